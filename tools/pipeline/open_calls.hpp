// SPDX-License-Identifier: BSL-1.0
//
// In-flight calls of plugins, to report why a run does not end.
#pragma once

#include <tenon/figures.hpp>
#include <tenon/mutex.hpp>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace pipeline {

/// A call in flight.
struct OpenCall {
  std::string plugin;
  std::string_view method;
  std::chrono::nanoseconds lasted;
};

/// The calls that one thread makes to one plugin, one at a time.
class CallSlot {
 public:
  /// `seconds`: how long the calls took.
  explicit CallSlot(std::string plugin, tenon::Figure seconds)
      : plugin_(std::move(plugin)), seconds_(std::move(seconds)) {}

  const std::string& plugin() const noexcept { return plugin_; }
  /// Returns the call in flight, if there is one. May be called from any thread.
  std::optional<OpenCall> call() const;

  /// Marks a call as in flight from construction to destruction. `method` must be a string literal.
  class Scope {
   public:
    Scope(CallSlot& slot, const char* method) noexcept : slot_(slot) {
      slot_.since_ = std::chrono::steady_clock::now().time_since_epoch();
      slot_.method_ = method;
    }
    ~Scope() {
      slot_.method_ = nullptr;
      const std::chrono::duration<double> time =
          std::chrono::steady_clock::now().time_since_epoch() - slot_.since_.load();
      slot_.seconds_.add(time.count());
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    CallSlot& slot_;
  };

 private:
  const std::string plugin_;
  tenon::Figure seconds_;
  std::atomic<const char*> method_{nullptr};  // nullptr: no call is in flight
  std::atomic<std::chrono::steady_clock::duration> since_{};
};

/// The time that a call may delay the end of a run before it is reported.
inline constexpr std::chrono::seconds stop_grace_period(5);

/// The in-flight calls of a pipeline. Thread-safe.
class OpenCalls {
 public:
  using Say = std::function<void(const std::string&)>;

  /// Starts a thread that watches calls after `end`. It calls `say` for each call that lasts longer
  /// than `grace`, and again each time the duration has doubled. Throws std::system_error.
  OpenCalls(Say say, std::chrono::milliseconds grace);
  ~OpenCalls();
  OpenCalls(const OpenCalls&) = delete;
  OpenCalls& operator=(const OpenCalls&) = delete;

  /// Returns a new slot, which lives as long as this object.
  CallSlot& add(std::string plugin, tenon::Figure seconds = {});

  /// Begins to watch calls, because the run has to end.
  void end();

  /// Returns the calls in flight.
  std::vector<OpenCall> calls() const TENON_EXCLUDES(mutex_);
  /// Returns descriptions of the calls that have lasted longer than `time`, eg: "x.example/y:
  /// read_batch has not returned for 5 s".
  std::vector<std::string> longer_than(std::chrono::nanoseconds time) const TENON_EXCLUDES(mutex_);

 private:
  void run();

  const Say say_;
  const std::chrono::milliseconds grace_;
  mutable tenon::sync::Mutex mutex_;
  std::deque<CallSlot> slots_ TENON_GUARDED_BY(mutex_);
  tenon::sync::ConditionVariable changed_;
  bool ending_ TENON_GUARDED_BY(mutex_) = false;  // the run has to end
  bool ended_ TENON_GUARDED_BY(mutex_) = false;   // the thread has to end
  std::thread thread_;
};

}  // namespace pipeline
