// SPDX-License-Identifier: BSL-1.0
//
// A thread that waits for changes of module files.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <thread>

#include "platform/watch.hpp"

namespace tenon::inline v0_1::detail {

/// Thread-safe.
class FileWatcher {
 public:
  using Callback = std::function<void(const std::filesystem::path&)>;

  /// Starts the thread. It calls `changed` for each changed file. Errors: cannot-watch, no-thread.
  static Result<std::unique_ptr<FileWatcher>> start(Callback changed);
  /// Waits until a running callback has returned, unless the callback itself destroys the watcher.
  ~FileWatcher();
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  /// Starts to watch a file. Error: cannot-watch.
  Result<void> add(const std::filesystem::path& file);
  /// Stops watching the files for which `unwanted` returns true. It must not call this object.
  void remove_if(const std::function<bool(const std::filesystem::path&)>& unwanted);

 private:
  struct State;
  explicit FileWatcher(std::shared_ptr<State> state) : state_(std::move(state)) {}
  static void run(State& state);

  // Shared with the thread, since a callback may destroy the watcher.
  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace tenon::inline v0_1::detail
