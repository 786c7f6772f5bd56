// SPDX-License-Identifier: BSL-1.0
//
// Calls of plugins that may never return. They run on a thread of their own; one that is not back
// some time after its deadline is left behind with its thread, its module is restarted, and the run
// continues on another thread.
#pragma once

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
#include <thread>
#include <type_traits>
#include <utility>

namespace backup {

/// Belongs to one thread, `cancel` and `cancelled` excepted.
class Caller {
 public:
  /// Both must outlive the Caller.
  Caller(tenon::Host& host, tenon::tools::Console& console);
  ~Caller();
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  /// Calls `body(*plugin->handle, call)`, a function that calls `method` of the plugin and returns
  /// its Result. Views in the result are valid until the next call. The body must own what it
  /// uses: it continues after this function has returned if the call is left behind. While the
  /// module waits for a restart the call is made again, for as long as `timeout`.
  /// Errors: those of the body; deadline-exceeded if the call is left behind; cancelled.
  template <class K, class Body>
  auto call(const PluginPtr<K>& plugin, std::string_view method, std::chrono::nanoseconds timeout,
            Body body) -> std::invoke_result_t<Body, K&, tenon::Call&> {
    const auto shared = std::make_shared<Body>(std::move(body));
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (;;) {
      auto result = call_once(plugin, method, timeout, shared);
      const bool waits = !result && result.error().code() == "restarting";
      if (!waits || std::chrono::steady_clock::now() >= deadline) return result;
      wait(std::chrono::milliseconds(10));
    }
  }
  /// Cancels the call under way and refuses all that follow. From any thread.
  void cancel();
  /// `act` is called as well when that happens, at once if it has; an empty one ends that. It must
  /// not call the Caller.
  void on_cancel(std::function<void()> act);
  /// Makes calls again, so that a run that was cancelled can clean up. `cancelled` stays true.
  void begin_cleanup();
  bool cancelled() const;
  /// Waits for some time, or until it is cancelled.
  void wait(std::chrono::nanoseconds time);

  /// Whether a call was left behind, so that its thread may still run code of this program.
  bool has_left_calls() const noexcept { return has_left_calls_; }

 private:
  struct Lane;
  enum class End { returned, cancelled, left_behind };

  template <class K, class Body>
  auto call_once(const PluginPtr<K>& plugin, std::string_view method,
                 std::chrono::nanoseconds timeout, const std::shared_ptr<Body>& body)
      -> std::invoke_result_t<Body, K&, tenon::Call&> {
    using Result = std::invoke_result_t<Body, K&, tenon::Call&>;
    const auto result = std::make_shared<std::optional<Result>>();
    const End end = run(timeout, [plugin, result, body](tenon::Call& call) {
      result->emplace((*body)(*plugin->handle, call));
    });
    if (end == End::returned) return *std::move(*result);
    if (end == End::cancelled) return cancelled_error();
    return left_behind(plugin->info, method, timeout);
  }

  End run(std::chrono::nanoseconds timeout, std::function<void(tenon::Call&)> body);
  static void serve(const std::shared_ptr<Lane>& lane);
  static tenon::Error cancelled_error();
  tenon::Error left_behind(const tenon::PluginInfo& plugin, std::string_view method,
                           std::chrono::nanoseconds timeout);

  tenon::Host& host_;
  tenon::tools::Console& console_;
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  std::function<void()> on_cancel_;
  bool cancelled_ = false;
  bool cleans_up_ = false;
  std::shared_ptr<Lane> lane_;
  std::thread thread_;  // serves the lane
  bool has_left_calls_ = false;
};

/// eg: "1.5s"
std::string to_text(std::chrono::nanoseconds time);

}  // namespace backup
