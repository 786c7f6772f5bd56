// SPDX-License-Identifier: BSL-1.0
//
// Calls of plugins that may never return. They run on a thread of their own. A call that has not
// returned by its deadline is left behind with its thread, its module is restarted, and the run
// continues with another thread.
#pragma once

#include "lane.hpp"
#include "plugin.hpp"

#include "common/console.hpp"

#include <tenon/call.hpp>
#include <tenon/host.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace backup {

/// Belongs to one thread, `cancel` and `cancelled` excepted.
class Caller {
 public:
  /// Both must outlive the Caller.
  Caller(tenon::Host& host, tenon::tools::Console& console);

  /// Calls `body(call)`, a function that calls `method` of a plugin and returns its Result. Views
  /// in the result are valid until the next call. The body must own what it uses: it continues
  /// after this function has returned if the call is left behind. While the module waits for a
  /// restart the call is made again, for as long as `timeout`. Errors: those of the body;
  /// deadline-exceeded if the call is left behind; cancelled.
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

  /// Calls that are made one after the other without a hand-over between threads for each. A Series
  /// has these functions, of which one at a time is called, on any thread:
  ///   bool next()    moves on to the next call; false: there is none
  ///   plugin()       the PluginInfo of that call
  ///   body()         returns a function of a Call that makes it, a body as above
  ///   take(result)   gets the Result of that function; for a call that was left behind, its Error
  template <class Series>
  struct Started {
    explicit Started(std::shared_ptr<Series> series) : series(std::move(series)) {}

    const std::shared_ptr<Series> series;
    std::string_view method;
    std::chrono::nanoseconds timeout{};
    std::mutex mutex;        // of the series and what follows
    bool has_moved = false;  // on to a call that has not returned
    bool calling = false;    // whether that call is under way
    bool left = false;
  };

  /// Starts the calls of a series. Nothing else may be called until it is finished. `method` must
  /// live as long as the process.
  template <class Series>
  std::shared_ptr<Started<Series>> start(std::shared_ptr<Series> series, std::string_view method,
                                         std::chrono::nanoseconds timeout) {
    return resume(std::move(series), method, timeout, false);
  }
  /// Waits until all calls of a series have been made, or the Caller was cancelled: then some are
  /// missing. A call that does not return is left behind; those after it are made nevertheless.
  template <class Series>
  void finish(std::shared_ptr<Started<Series>> started) {
    while (!await_lane()) {
      bool calling = false;
      bool has_moved = false;
      {
        const std::lock_guard lock(started->mutex);
        started->left = true;
        calling = started->calling;
        has_moved = started->has_moved;
      }
      Series& series = *started->series;
      if (calling) series.take(leave(series.plugin(), started->method, started->timeout));
      started = resume(started->series, started->method, started->timeout, has_moved && !calling);
    }
  }

  /// Cancels the call under way and refuses all that follow. From any thread.
  void cancel();
  /// `act` is called as well when that happens, on the thread that cancels, or at once if it has
  /// happened. An empty one ends that; the one before may still be called for a moment.
  void on_cancel(const std::function<void()>& act);
  /// Makes calls again, so that a run that was cancelled can clean up. `cancelled` stays true.
  void begin_cleanup();
  bool cancelled() const;
  /// Waits for some time, or until it is cancelled.
  void wait(std::chrono::nanoseconds time);

  /// Says that a call is left behind: restarts its module and returns the error of the call.
  /// `how` says what it did, eg: "the call did not return within 1m".
  tenon::Error leave(const tenon::PluginInfo& plugin, std::string_view method,
                     const std::string& how);
  /// Returns whether a call was left behind, so that its thread may still run code of this program.
  bool has_left_calls() const noexcept { return has_left_calls_; }

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

    const tenon::PluginInfo* const info;
    const Body make;
    std::optional<Result> result{};
    bool made = false;
  };

  /// `has_moved`: the series has moved on to a call that has not begun.
  template <class Series>
  std::shared_ptr<Started<Series>> resume(std::shared_ptr<Series> series, std::string_view method,
                                          std::chrono::nanoseconds timeout, bool has_moved) {
    auto started = std::make_shared<Started<Series>>(std::move(series));
    started->method = method;
    started->timeout = timeout;
    started->has_moved = has_moved;
    run([started](Lane::Turn& turn) { make_calls(*started, turn); });
    return started;
  }

  template <class Series>
  static void make_calls(Started<Series>& started, Lane::Turn& turn) {
    std::unique_lock lock(started.mutex);
    for (;;) {
      if (!started.has_moved && !started.series->next()) return;
      started.has_moved = true;
      tenon::Call* call = turn.begin(started.timeout);
      if (call == nullptr) return;
      started.calling = true;
      const auto body = started.series->body();
      const auto until = std::chrono::steady_clock::now() + started.timeout;
      lock.unlock();
      auto result = body(*call);
      while (!result && result.error().code() == "module-restarting" &&
             std::chrono::steady_clock::now() < until) {
        turn.pause(std::chrono::milliseconds(10));
        call = turn.begin(started.timeout);
        if (call == nullptr) break;
        result = body(*call);
      }
      lock.lock();
      if (started.left) return;
      started.calling = false;
      started.has_moved = false;
      started.series->take(std::move(result));
    }
  }

  void run(Lane::Body body);
  bool await_lane();
  static tenon::Error cancelled_error();
  tenon::Error leave(const tenon::PluginInfo& plugin, std::string_view method,
                     std::chrono::nanoseconds timeout);

  tenon::Host& host_;
  tenon::tools::Console& console_;
  mutable std::mutex mutex_;  // is locked before the one of a Lane
  std::condition_variable stopped_;
  std::function<void()> on_cancel_;
  bool cancelled_ = false;
  bool cleans_up_ = false;
  std::unique_ptr<Lane> lane_;
  bool has_left_calls_ = false;
};

/// eg: "1.5s"
std::string to_text(std::chrono::nanoseconds time);

}  // namespace backup
