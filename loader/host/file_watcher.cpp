// SPDX-License-Identifier: BSL-1.0
#include "host/file_watcher.hpp"

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include "platform/event.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

struct FileWatcher::State {
  State(platform::FileWatch watched, Callback callback)
      : watch(std::move(watched)), changed(std::move(callback)), stop(platform::create_event()) {}
  ~State() { platform::close_event(stop); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  platform::FileWatch watch;
  const Callback changed;
  std::atomic<bool> stopped{false};
  const std::intptr_t stop;  // the last member: nothing throws after the event was created
};

Result<std::unique_ptr<FileWatcher>> FileWatcher::start(Callback changed) {
  auto watch = platform::FileWatch::open();
  if (!watch) return std::move(watch).error();
  std::unique_ptr<FileWatcher> watcher(
      new FileWatcher(std::make_shared<State>(std::move(*watch), std::move(changed))));
  auto started =
      watcher->thread_.start("watching files", [state = watcher->state_] { run(*state); });
  if (!started) return std::move(started).error();
  return watcher;
}

FileWatcher::~FileWatcher() {
  stop(Clock::now());
}

bool FileWatcher::stop(Clock::time_point deadline) noexcept {
  state_->stopped.store(true);
  platform::signal_event(state_->stop);
  return thread_.end(deadline);
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
    platform::wait_events(events, state.watch.retry_after());
    if (state.stopped.load()) return;
    try {
      for (const auto& file : state.watch.changed()) state.changed(file);
    } catch (const std::bad_alloc&) {
      state.watch.lose_all();
    }
  }
}

}}}  // namespace tenon::v0_1::detail
