// SPDX-License-Identifier: BSL-1.0
//
// The thread that waits for files of modules to change.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <thread>

#include "platform/watch.hpp"

namespace tenon::detail {

/// Thread-safe.
class FileWatcher {
 public:
  using Callback = std::function<void(const std::filesystem::path&)>;

  /// `changed` is called by the thread, for each file that changed. Errors: cannot-watch,
  /// no-thread.
  static Result<std::unique_ptr<FileWatcher>> start(Callback changed);
  /// Waits for a callback that is running, unless it is called from there.
  ~FileWatcher();
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  /// Watches a file from now on. Errors: cannot-watch.
  Result<void> add(const std::filesystem::path& file);

 private:
  struct State;
  explicit FileWatcher(std::shared_ptr<State> state) : state_(std::move(state)) {}
  static void run(State& state);

  // Shared with the thread, since a callback may destroy the watcher.
  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace tenon::detail
