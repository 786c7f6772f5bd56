// SPDX-License-Identifier: BSL-1.0
//
// Calls plugins on a thread of their own, since a call may never return. A call that does not
// return by its deadline is abandoned together with its thread: its module is restarted, and the
// run continues with another thread.
#pragma once

#include <tenon/call.hpp>
#include <tenon/call_thread.hpp>
#include <tenon/host.hpp>
#include <tenon/mutex.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common/console.hpp"
#include "plugin.hpp"

namespace backup {

/// Belongs to one thread, except for `cancel` and `cancelled`.
class Caller {
 public:
  /// Both must outlive the Caller.
  Caller(tenon::Host& host, tenon::tools::Console& console);

  /// Calls `body(call)`, a function that calls `method` of a plugin and returns its Result. Views
  /// in the result are valid until the next call. The body must own everything that it uses,
  /// because an abandoned call continues after this function has returned. While the module is
  /// restarting, the call is repeated for up to `timeout`. Errors: those of the body;
  /// deadline-exceeded if the call was abandoned; cancelled.
  template <class Body>
  auto call(const tenon::PluginInfo& plugin, std::string_view method,
            std::chrono::nanoseconds timeout, Body body)
      -> std::invoke_result_t<Body, tenon::Call&> {
    const auto single = std::make_shared<SingleCall<Body>>(plugin, std::move(body));
    finish(start(single, method, timeout));
    if (!single->result) return cancelled_error();
    return *std::move(single->result);
  }
  /// The same for an instance: calls `body(*plugin->handle, call)`.
  template <class K, class Body>
  auto call(const PluginPtr<K>& plugin, std::string_view method, std::chrono::nanoseconds timeout,
            Body body) -> std::invoke_result_t<Body, K&, tenon::Call&> {
    return call(plugin->info, method, timeout, [plugin, body = std::move(body)](tenon::Call& call) {
      return body(*plugin->handle, call);
    });
  }

  /// The state of a series: calls that are made one after the other without a thread switch for
  /// each. A Series has these functions. They are called one at a time, on any thread:
  ///   bool next()    advances to the next call; returns false if there is none
  ///   plugin()       returns the PluginInfo of the current call
  ///   body()         returns a function of a Call that makes the call, see `call`
  ///   take(result)   receives the Result of that function
  ///   abandon(error) receives the Error of a call that did not return, instead of its Result
  template <class Series>
  struct Started {
    Started(std::shared_ptr<Series> series, std::string_view method,
            std::chrono::nanoseconds timeout, bool has_current)
        : series(std::move(series)), method(method), timeout(timeout), has_current(has_current) {}

    const std::shared_ptr<Series> series;
    const std::string_view method;
    const std::chrono::nanoseconds timeout;
    tenon::sync::Mutex mutex;  // guards the series, too, until its calls are abandoned
    // The series is at a call that has not returned.
    bool has_current TENON_GUARDED_BY(mutex);
    bool in_call TENON_GUARDED_BY(mutex) = false;  // that call has begun
    bool abandoned TENON_GUARDED_BY(mutex) = false;
  };

  /// Starts the calls of a series. No other call may be made until it is finished. `method` must
  /// have static storage duration.
  template <class Series>
  std::shared_ptr<Started<Series>> start(std::shared_ptr<Series> series, std::string_view method,
                                         std::chrono::nanoseconds timeout) {
    return resume(std::move(series), method, timeout, false);
  }
  /// Waits until all calls of a series have been made, or the Caller was cancelled. A call that
  /// does not return is abandoned, and the calls after it are still made.
  template <class Series>
  void finish(std::shared_ptr<Started<Series>> started) {
    while (!await_thread()) {
      bool in_call = false;
      bool has_current = false;
      {
        const tenon::sync::Lock lock(started->mutex);
        started->abandoned = true;
        in_call = started->in_call;
        has_current = started->has_current;
      }
      Series& series = *started->series;
      if (in_call) series.abandon(abandon(series.plugin(), started->method, started->timeout));
      started = resume(started->series, started->method, started->timeout, has_current && !in_call);
    }
  }

  /// Cancels the current call and refuses further calls. May be called from any thread.
  void cancel();
  /// Sets a function that `cancel` calls on its thread. It is called immediately if the Caller was
  /// already cancelled. An empty function removes it, but a concurrent `cancel` may still call the
  /// previous one.
  void on_cancel(const std::function<void()>& act);
  /// Allows calls again, so that a cancelled run can clean up. `cancelled` stays true.
  void begin_cleanup();
  bool cancelled() const TENON_EXCLUDES(mutex_);
  /// Returns the error of a run that was cancelled.
  static tenon::Error cancelled_error();
  /// Waits for this time, or until the Caller is cancelled.
  void wait(std::chrono::nanoseconds time);

  /// Restarts the module of an abandoned call and returns the error of the call. `reason`: eg: "the
  /// call did not return within 1m".
  tenon::Error abandon(const tenon::PluginInfo& plugin, std::string_view method,
                       const std::string& reason);
  /// Returns how long the calls of a plugin took, for `tenon status`.
  static tenon::Figure seconds_in(tenon::Host& host, const tenon::PluginInfo& plugin) {
    return host.figure({.name = "calls", .unit = "seconds", .part = plugin.name()});
  }

  /// Returns whether a call was abandoned. Its thread may still run code of this program.
  bool has_abandoned_calls() const noexcept { return has_abandoned_calls_; }

 private:
  template <class Body>
  struct SingleCall {
    using Result = std::invoke_result_t<Body, tenon::Call&>;

    SingleCall(const tenon::PluginInfo& plugin, Body body) : info(&plugin), make(std::move(body)) {}

    bool next() { return !std::exchange(made, true); }
    const tenon::PluginInfo& plugin() const { return *info; }
    auto body() {
      return [this](tenon::Call& call) { return make(call); };
    }
    void take(Result taken) { result.emplace(std::move(taken)); }
    void abandon(tenon::Error error) { result.emplace(std::move(error)); }

    const tenon::PluginInfo* const info;
    const Body make;
    std::optional<Result> result{};
    bool made = false;
  };

  /// `has_current`: the series is at a call that has not begun.
  template <class Series>
  std::shared_ptr<Started<Series>> resume(std::shared_ptr<Series> series, std::string_view method,
                                          std::chrono::nanoseconds timeout, bool has_current) {
    auto started =
        std::make_shared<Started<Series>>(std::move(series), method, timeout, has_current);
    run([started, host = &host_](tenon::CallThread::Context& context) {
      make_calls(*host, *started, context);
    });
    return started;
  }

  template <class Series>
  static void make_calls(tenon::Host& host, Started<Series>& started,
                         tenon::CallThread::Context& context) {
    const tenon::PluginInfo* measured = nullptr;
    tenon::Figure seconds;  // of that plugin
    tenon::sync::Lock lock(started.mutex);
    for (;;) {
      if (!started.has_current && !started.series->next()) return;
      started.has_current = true;
      tenon::Call* call = context.begin(started.timeout);
      if (call == nullptr) return;
      started.in_call = true;
      if (const auto* plugin = &started.series->plugin(); plugin != measured) {
        measured = plugin;
        seconds = seconds_in(host, *plugin);
      }
      const auto body = started.series->body();
      const auto begun = std::chrono::steady_clock::now();
      const auto until = begun + started.timeout;
      lock.unlock();
      auto result = body(*call);
      while (!result && result.error().code() == "module-restarting" &&
             std::chrono::steady_clock::now() < until) {
        context.pause(std::chrono::milliseconds(10));
        call = context.begin(started.timeout);
        if (call == nullptr) break;
        result = body(*call);
      }
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begun;
      seconds.add(time.count());
      lock.lock();
      if (started.abandoned) return;
      started.in_call = false;
      started.has_current = false;
      started.series->take(std::move(result));
    }
  }

  void run(tenon::CallThread::Task task);
  bool await_thread();
  bool refuses_calls() const TENON_EXCLUDES(mutex_);
  tenon::Error abandon(const tenon::PluginInfo& plugin, std::string_view method,
                       std::chrono::nanoseconds timeout);

  tenon::Host& host_;
  tenon::tools::Console& console_;
  mutable tenon::sync::Mutex mutex_;  // is locked before the mutex of a CallThread
  tenon::sync::ConditionVariable stopped_;
  std::function<void()> on_cancel_ TENON_GUARDED_BY(mutex_);
  bool cancelled_ TENON_GUARDED_BY(mutex_) = false;
  bool cleans_up_ TENON_GUARDED_BY(mutex_) = false;
  std::unique_ptr<tenon::CallThread> thread_;  // replaced under the mutex
  bool has_abandoned_calls_ = false;
};

/// Returns a text such as "1.5s".
std::string to_text(std::chrono::nanoseconds time);

}  // namespace backup
