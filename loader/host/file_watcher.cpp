// SPDX-License-Identifier: BSL-1.0
#include "host/file_watcher.hpp"

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/threads.hpp"
#include "platform/event.hpp"

namespace tenon::inline v0_1::detail {

struct FileWatcher::State {
  State(platform::FileWatch watched, Callback callback)
      : watch(std::move(watched)), changed(std::move(callback)), stop(platform::create_event()) {}
  ~State() { platform::close_event(stop); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  platform::FileWatch watch;
  const Callback changed;
  const std::intptr_t stop;
  std::atomic<bool> stopped{false};
};

Result<std::unique_ptr<FileWatcher>> FileWatcher::start(Callback changed) {
  auto watch = platform::FileWatch::open();
  if (!watch) return std::move(watch).error();
  std::unique_ptr<FileWatcher> watcher(
      new FileWatcher(std::make_shared<State>(std::move(*watch), std::move(changed))));
  auto thread = start_thread("watching files", [state = watcher->state_] { run(*state); });
  if (!thread) return std::move(thread).error();
  watcher->thread_ = std::move(*thread);
  return watcher;
}

FileWatcher::~FileWatcher() {
  state_->stopped.store(true);
  platform::signal_event(state_->stop);
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id()) {
    leave_running(thread_);
  } else {
    thread_.join();
  }
}

Result<void> FileWatcher::add(const std::filesystem::path& file) {
  return state_->watch.add(file);
}

void FileWatcher::remove_if(const std::function<bool(const std::filesystem::path&)>& unwanted) {
  state_->watch.remove_if(unwanted);
}

void FileWatcher::run(State& state) {
  const std::intptr_t events[] = {state.stop, state.watch.event()};
  for (;;) {
    platform::wait_events(events, -1);
    if (state.stopped.load()) return;
    for (const auto& file : state.watch.changed()) state.changed(file);
  }
}

}  // namespace tenon::inline v0_1::detail
