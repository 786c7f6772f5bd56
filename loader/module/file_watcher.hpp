// SPDX-License-Identifier: BSL-1.0
//
// The thread that waits for files of modules to change.
#pragma once

#include <tenon/result.hpp>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <thread>

#include "platform/watch.hpp"

namespace tenon::detail {

/// Thread-safe.
class FileWatcher {
 public:
  /// `changed` is called by the thread, for each file that changed. Errors: cannot-watch.
  static Result<std::unique_ptr<FileWatcher>> begin(
      std::function<void(const std::filesystem::path&)> changed);
  ~FileWatcher();
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  /// Watches a file from now on. Errors: cannot-watch.
  Result<void> add(const std::filesystem::path& file) { return watch_.add(file); }

 private:
  FileWatcher(platform::FileWatch watch, std::function<void(const std::filesystem::path&)> changed);
  void run();

  platform::FileWatch watch_;
  const std::function<void(const std::filesystem::path&)> changed_;
  const std::intptr_t stop_;
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

}  // namespace tenon::detail
