// SPDX-License-Identifier: BSL-1.0
//
// Surrounds the calls into the plugins of a generation: catches exceptions and, if the host enables
// it, checks calls and contains crashes.
#pragma once

#include <tenon/call.hpp>
#include <tenon/detail/intercept.hpp>
#include <tenon/events.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/fork.hpp"
#include "call/exceptions.hpp"
#include "call/plugin_status.hpp"
#include "call/supervised_work.hpp"
#include "code/call_rules.hpp"
#include "code/validation.hpp"
#include "image/host_state.hpp"
#include "platform/containment.hpp"
#include "platform/forced_unwind.hpp"
#include "platform/image_map.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

class Generation;
class PluginInterceptor;

/// The options of the host for calls.
struct InterceptionOptions {
  std::shared_ptr<const platform::CrashHandlers> crash_handlers = nullptr;  // to contain crashes
  bool check_calls = false;
  std::string file = {};  // names the module after a crash
  std::shared_ptr<HostStateReport> host_state = nullptr;
};

/// The status of a call in which the plugin crashed. The instance continues in an earlier state.
inline constexpr tenon_status crashed_in_call = TENON_CRASHED | TENON_RESTARTED;

/// Intercepts the calls of one generation, which owns it.
class Interception {
 public:
  /// `image` is that of the generation; nullptr for a builtin, whose crashes are not contained.
  Interception(Generation& generation, const platform::ImageMap* image,
               const InterceptionOptions& options);

  /// Fills `plugin.contained`. Called for each plugin of the generation, whose name must not move
  /// after that.
  void prepare(ValidatedPlugin& plugin) const;

  /// Returns the interceptor of a plugin's object; nullptr if the host enables nothing.
  std::unique_ptr<PluginInterceptor> of(const ValidatedPlugin& plugin, void* self);

  bool contains_crashes() const noexcept { return options_.crash_handlers != nullptr; }
  bool checks_calls() const noexcept { return options_.check_calls; }

  /// Returns TENON_OK, or an error if the response violates a rule.
  tenon_status check_response(const MethodInfo& method, tenon_call* call, const void* request,
                              const void* response) const;

  /// Calls `function(data)`, which calls straight into the plugin. Returns TENON_OK after the
  /// function has returned. If it crashes, reports the crash and returns `if_crashed`. Calls
  /// nothing if the generation has crashed before. If `contained` is nullptr, crashes are not
  /// contained, and exceptions pass through. Otherwise an exception is reported here, because its
  /// functions may crash too.
  tenon_status run(const platform::ContainedCall* contained, tenon_call* call,
                   void (*function)(void*), void* data, tenon_status if_crashed) {
    lock_order::expect_none();
    if (broken()) return refuse(call);
    if (contained == nullptr) {
      function(data);
      return TENON_OK;
    }
    std::optional<platform::Crash> crash;
    std::optional<std::string> exception;
    auto body = [&] {
      try {
        function(data);
      } catch (const platform::ForcedUnwind&) {
        throw;
      } catch (...) {
        exception = text_of_exception("the plugin");
      }
    };
    platform::call_contained(*contained, platform::call_body<decltype(body)>, &body, crash);
    if (crash) return crashed(*contained, call, *crash, if_crashed);
    if (!exception) return TENON_OK;
    return thrown(contained->plugin, contained->function, call, *exception);
  }

  /// Runs a function that is not a method. Returns the status of `body`. An exception is reported
  /// as a failure.
  template <class Body>
  tenon_status run_alone(std::string_view plugin, std::string_view function, tenon_call* call,
                         Body&& body, tenon_status if_crashed = TENON_CRASHED) {
    const SupervisedWork::Step step(plugin, function);
    const platform::ContainedCall called{plugin, function, image_};
    tenon_status result = TENON_OK;
    auto calls_body = [&] { result = body(); };
    try {
      const tenon_status status =
          run(contains_crashes() ? &called : nullptr, call,
              platform::call_body<decltype(calls_body)>, &calls_body, if_crashed);
      return status == TENON_OK ? status_of_plugin(call, result) : status;
    } catch (const platform::ForcedUnwind&) {
      // On a worker, a function that ends its thread is treated like one that hangs.
      if (SupervisedWork::is_performed()) SupervisedWork::hang();
      throw;
    } catch (...) {
      return thrown(plugin, function, call, text_of_exception("the plugin"));
    }
  }

  /// Runs a function of the life cycle, after which the state of the thread is as it was before.
  template <class Body>
  tenon_status run_lifecycle(std::string_view plugin, std::string_view function, tenon_call* call,
                             Body&& body, Preserved preserved = Preserved::float_modes) {
    if (contains_crashes()) platform::prepare_contained_calls();
    const PreservedState state(options_.host_state.get(), function, preserved);
    return run_alone(plugin, function, call, std::forward<Body>(body));
  }

  /// Reports an exception of a function with this text.
  tenon_status thrown(std::string_view plugin, std::string_view function, tenon_call* call,
                      std::string_view text);

 private:
  bool broken() const noexcept;
  tenon_status refuse(tenon_call* call) const noexcept;
  tenon_status crashed(const platform::ContainedCall& called, tenon_call* call,
                       const platform::Crash& crash, tenon_status status);
  void report(RestartReason why, tenon_status status, std::string_view plugin,
              std::string_view function, tenon_call* call);

  Generation& generation_;
  const platform::ImageMap* const image_;
  const InterceptionOptions options_;
  const platform::ProcessMark process_;
};

/// The `self` of an intercepting vtable.
class PluginInterceptor final : public Interceptor {
 public:
  PluginInterceptor(Interception& interception, const ValidatedPlugin& plugin, void* self) noexcept
      : Interceptor({plugin.table.get(), self}, nullptr),
        interception_(interception),
        plugin_(plugin),
        contained_(plugin.contained.empty() ? nullptr : plugin.contained.data()),
        rules_(plugin) {}

  /// Returns the `self` of the intercepting vtable.
  void* as_self() noexcept { return static_cast<Interceptor*>(this); }

  tenon_status call(std::uint32_t index, Passed& passed);

 private:
  tenon_status pass_on(std::uint32_t index, Passed& passed);
  tenon_status check_and_pass_on(std::uint32_t index, Passed& passed);

  Interception& interception_;
  const ValidatedPlugin& plugin_;
  const platform::ContainedCall* const contained_;  // per method; nullptr: not contained
  CallRules rules_;
};

}}}  // namespace tenon::v0_1::detail
