// SPDX-License-Identifier: BSL-1.0
//
// A thread that waits for changes of module files.
#pragma once

#include <tenon/result.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "base/internal_thread.hpp"
#include "platform/watch.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Thread-safe.
class FileWatcher {
 public:
  using Callback = std::function<void(const std::filesystem::path&)>;
  using Clock = std::chrono::steady_clock;

  /// Starts the thread. It calls `changed` for each changed file. If memory is exhausted, it checks
  /// all files again later. Errors: cannot-watch, no-thread.
  static Result<std::unique_ptr<FileWatcher>> start(Callback changed);
  /// Detaches the thread if it has not ended.
  ~FileWatcher();
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  /// Starts to watch a file. Error: cannot-watch.
  Result<void> add(const std::filesystem::path& file);
  /// Stops watching the files for which `unwanted` returns true. It must not call this object.
  void remove_if(const std::function<bool(const std::filesystem::path&)>& unwanted);
  /// Ends the thread. Waits until a running callback has returned, unless that callback calls this.
  /// Waits until the deadline, and at least for half a second. Returns false if the thread has not
  /// ended by then, because a file system hangs.
  bool stop(Clock::time_point deadline) noexcept;

 private:
  struct State;
  explicit FileWatcher(std::shared_ptr<State> state) : state_(std::move(state)) {}
  static void run(State& state);

  // Shared with the thread, which may outlive the watcher.
  const std::shared_ptr<State> state_;
  InternalThread thread_;
};

}}}  // namespace tenon::v0_1::detail
