// SPDX-License-Identifier: BSL-1.0
//
// In-flight calls of plugins, so that a run that does not end can report the reason.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace pipeline {

/// The calls that one thread makes to one plugin, one at a time.
class CallSlot {
 public:
  explicit CallSlot(std::string plugin) : plugin_(std::move(plugin)) {}

  /// A call under way, from construction to destruction. `method` is a literal.
  class Scope {
   public:
    Scope(CallSlot& slot, const char* method) noexcept : slot_(slot) {
      slot_.since_ = std::chrono::steady_clock::now().time_since_epoch();
      slot_.method_ = method;
    }
    ~Scope() { slot_.method_ = nullptr; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    CallSlot& slot_;
  };

 private:
  friend class OpenCalls;
  const std::string plugin_;
  std::atomic<const char*> method_{nullptr};  // nullptr: no call is under way
  std::atomic<std::chrono::steady_clock::duration> since_{};
};

/// How long a call may delay the end of a run before it is reported.
inline constexpr std::chrono::seconds grace_of_stop(5);

/// Thread-safe.
class OpenCalls {
 public:
  using Say = std::function<void(const std::string&)>;

  /// Starts a thread, which calls `say` after `end` for calls that last longer than `grace`, and
  /// again each time that they last twice as long. Throws std::system_error.
  OpenCalls(Say say, std::chrono::milliseconds grace);
  ~OpenCalls();
  OpenCalls(const OpenCalls&) = delete;
  OpenCalls& operator=(const OpenCalls&) = delete;

  /// Returns a new slot, which lives as long as this object.
  CallSlot& add(std::string plugin);

  /// Expects each call to return from now on, because the run is to end.
  void end();

  /// Describes the calls that have lasted some time, eg: "x.example/y: read_batch has not returned
  /// for 5 s".
  std::vector<std::string> longer_than(std::chrono::nanoseconds time) const;

 private:
  void run();

  const Say say_;
  const std::chrono::milliseconds grace_;
  mutable std::mutex mutex_;
  std::deque<CallSlot> slots_;
  std::condition_variable changed_;
  bool ending_ = false;  // the run
  bool ended_ = false;   // this object
  std::thread thread_;
};

}  // namespace pipeline
