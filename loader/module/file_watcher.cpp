// SPDX-License-Identifier: BSL-1.0
#include "module/file_watcher.hpp"

#include <utility>

#include "platform/event.hpp"

namespace tenon::detail {

Result<std::unique_ptr<FileWatcher>> FileWatcher::begin(
    std::function<void(const std::filesystem::path&)> changed) {
  auto watch = platform::FileWatch::open();
  if (!watch) return std::move(watch).error();
  return std::unique_ptr<FileWatcher>(new FileWatcher(std::move(*watch), std::move(changed)));
}

FileWatcher::FileWatcher(platform::FileWatch watch,
                         std::function<void(const std::filesystem::path&)> changed)
    : watch_(std::move(watch)),
      changed_(std::move(changed)),
      stop_(platform::create_event()),
      thread_([this] { run(); }) {}

FileWatcher::~FileWatcher() {
  stopped_.store(true);
  platform::signal_event(stop_);
  thread_.join();
  platform::close_event(stop_);
}

void FileWatcher::run() {
  const std::intptr_t events[] = {stop_, watch_.event()};
  for (;;) {
    platform::wait_events(events, -1);
    if (stopped_.load()) return;
    for (const auto& file : watch_.changed()) changed_(file);
  }
}

}  // namespace tenon::detail
