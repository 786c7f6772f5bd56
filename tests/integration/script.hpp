// SPDX-License-Identifier: BSL-1.0
//
// Blocks functions of test modules at a chosen point until the test releases them, which makes
// races deterministic.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "framework/world.hpp"
#include "integration/host_echo.hpp"

namespace tenon::tests {

/// Replies to functions of test modules that send their name to the echo of the host, eg:
/// "2:create". A function can also hang until the test releases it.
class Script {
 public:
  /// `copies`: the directory of the private copies of modules of this test.
  explicit Script(std::filesystem::path copies) : copies_(std::move(copies)) {
    host_echo_says = [this](std::string_view asking) { return reply(asking); };
  }
  /// Waits until all copies are unmapped, since their last functions call this object.
  ~Script() {
    release();
    eventually([&] {
      if (hanging_count() != 0) return false;
      return mapped_files().find(copies_.generic_string() + "/") == std::string::npos;
    });
  }

  /// Makes a function hang until `release`.
  void hang(const std::string& function) {
    set(function, [this, function] { return wait_for_release(function); });
  }
  /// Sets the reply to a function.
  void say(const std::string& function, const std::string& word) {
    set(function, [word] { return word; });
  }
  /// Sets the reply to the next call only, since the function may cause further calls of its kind.
  void say_once(const std::string& function, const std::string& word) {
    set(function, [this, function, word] {
      say(function, "");
      return word;
    });
  }
  /// Sets a callback that returns the reply.
  void set(const std::string& function, std::function<std::string()> what) {
    const std::lock_guard lock(mutex_);
    words_[function] = std::move(what);
  }
  /// Releases hanging functions, now and later: all of them, or all of one name.
  void release(const std::string& function = "") {
    const std::lock_guard lock(mutex_);
    released_.insert(function);
    changed_.notify_all();
  }
  /// Hangs until `release`, for a callback of this function.
  std::string wait_for_release(const std::string& function) {
    std::unique_lock lock(mutex_);
    const auto entered = hanging_.insert(function);
    changed_.wait(lock, [&] { return released_.count("") != 0 || released_.count(function) != 0; });
    hanging_.erase(entered);
    return "";
  }
  /// Returns the number of functions that hang.
  int hanging_count() {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(hanging_.size());
  }
  /// Waits until a function hangs.
  bool hangs() {
    return eventually([&] { return hanging_count() != 0; });
  }
  bool hangs(const std::string& function) {
    return eventually([&] {
      const std::lock_guard lock(mutex_);
      return hanging_.count(function) != 0;
    });
  }

 private:
  std::string reply(std::string_view asking) {
    std::function<std::string()> what;
    {
      const std::lock_guard lock(mutex_);
      const auto found = words_.find(asking);
      if (found == words_.end()) return "";
      what = found->second;
    }
    return what();
  }

  const std::filesystem::path copies_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::function<std::string()>, std::less<>> words_;
  std::set<std::string> released_;
  std::multiset<std::string> hanging_;
};

}  // namespace tenon::tests
