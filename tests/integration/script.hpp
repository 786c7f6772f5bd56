// SPDX-License-Identifier: BSL-1.0
//
// Stops functions of plugins at a point that a test chooses, so that something else can happen
// there. Nothing waits for luck: the test knows who is inside, and lets go.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "framework/world.hpp"
#include "integration/host_echo.hpp"

namespace tenon::tests {

/// Answers the functions of test modules that ask the host's echo what to do, eg: "2:create". It
/// can let a function hang until the test lets it go.
class Script {
 public:
  /// `copies`: the folder of this test's private copies of modules.
  explicit Script(std::filesystem::path copies) : copies_(std::move(copies)) {
    host_echo_says = [this](std::string_view asking) { return answer(asking); };
  }
  /// The last functions of what was left behind ask as well.
  ~Script() {
    let_go();
    eventually([&] {
      const std::string maps = read_file("/proc/self/maps");
      return maps.find(copies_.string() + "/") == std::string::npos;
    });
  }

  void hang(const std::string& function) {
    set(function, [this, function] { return stay(function); });
  }
  void say(const std::string& function, const std::string& word) {
    set(function, [word] { return word; });
  }
  /// What the function makes asks as well, and is told nothing.
  void say_once(const std::string& function, const std::string& word) {
    set(function, [this, function, word] {
      say(function, "");
      return word;
    });
  }
  void set(const std::string& function, std::function<std::string()> what) {
    const std::lock_guard lock(mutex_);
    words_[function] = std::move(what);
  }
  /// Lets all functions that hang return, now and later; or all of one name.
  void let_go(const std::string& function = "") {
    const std::lock_guard lock(mutex_);
    let_go_.insert(function);
    changed_.notify_all();
  }
  /// How many functions hang.
  int inside() {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(inside_.size());
  }
  bool hangs() {
    return eventually([&] { return inside() != 0; });
  }
  bool hangs(const std::string& function) {
    return eventually([&] {
      const std::lock_guard lock(mutex_);
      return inside_.count(function) != 0;
    });
  }

 private:
  std::string answer(std::string_view asking) {
    std::function<std::string()> what;
    {
      const std::lock_guard lock(mutex_);
      const auto found = words_.find(asking);
      if (found == words_.end()) return "";
      what = found->second;
    }
    return what();
  }
  std::string stay(const std::string& function) {
    std::unique_lock lock(mutex_);
    const auto entered = inside_.insert(function);
    changed_.wait(lock, [&] { return let_go_.count("") != 0 || let_go_.count(function) != 0; });
    inside_.erase(entered);
    return "";
  }

  const std::filesystem::path copies_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::function<std::string()>, std::less<>> words_;
  std::set<std::string> let_go_;
  std::multiset<std::string> inside_;
};

}  // namespace tenon::tests
