// SPDX-License-Identifier: BSL-1.0
//
// What stands around each call into the plugins of a generation: exceptions always end here or at
// the Entry; where the host asked for it calls are counted and checked, and crashes are contained.
#pragma once

#include <tenon/call.hpp>
#include <tenon/events.hpp>
#include <tenon/gen/supervised.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "call/call_counters.hpp"
#include "call/exceptions.hpp"
#include "call/operation.hpp"
#include "module/admission.hpp"
#include "module/call_rules.hpp"
#include "platform/containment.hpp"
#include "platform/image_map.hpp"

namespace tenon::detail {

class Generation;
class SupervisedPlugin;

/// What the host asked for.
struct SupervisionOptions {
  bool contain_crashes = false;
  bool check_calls = false;
  std::shared_ptr<CallCounters> counters = nullptr;  // nullptr: calls are not counted
  std::string file = {};                             // what a module is called that crashed
};

/// The status of a call in which the plugin crashed. The instance goes on in an earlier state.
inline constexpr tenon_status crashed_in_call = TENON_CRASHED | TENON_RESTARTED;

/// Of one generation, which it belongs to.
class Supervision {
 public:
  /// `image` is that of the generation; nullptr for a builtin, whose crashes nobody contains.
  Supervision(Generation& generation, const platform::ImageMap* image,
              const SupervisionOptions& options);

  /// Fills `plugin.contained`. REQUIRED for each plugin of the generation; its name does not move
  /// after that.
  void prepare(AdmittedPlugin& plugin) const;

  /// What stands between the methods of a plugin's object and who calls them; nullptr where nobody
  /// asked for anything.
  std::unique_ptr<SupervisedPlugin> of(const AdmittedPlugin& plugin, void* self);

  bool checks_calls() const noexcept { return options_.check_calls; }
  bool only_counts() const noexcept { return !options_.check_calls && !options_.contain_crashes; }

  /// TENON_OK, or an error where a response breaks a rule.
  tenon_status check_response(const MethodInfo& method, tenon_call* call, const void* request,
                              const void* response) const;

  /// Calls `function(data)`, which calls straight into the plugin. Returns TENON_OK after the
  /// function has returned. If it crashes, reports the crash and returns `if_crashed`. Calls
  /// nothing if the generation has crashed before. If `contained` is nullptr, crashes are not
  /// contained.
  tenon_status run(const platform::Called* contained, tenon_call* call, void (*function)(void*),
                   void* data, tenon_status if_crashed) {
    lock_order::expect_none();
    if (broken()) return refuse(call);
    if (contained == nullptr) {
      function(data);
      return TENON_OK;
    }
    std::optional<platform::Crash> crash;
    platform::call_contained(*contained, function, data, crash);
    return crash ? crashed(*contained, call, *crash, if_crashed) : TENON_OK;
  }

  /// The same for a function that is not a method. Returns the status that `body` returns; an
  /// exception is reported as a failure.
  template <class Body>
  tenon_status run_alone(std::string_view plugin, std::string_view function, tenon_call* call,
                         Body&& body, tenon_status if_crashed = TENON_CRASHED) {
    const Operation::Step step(plugin, function);
    const platform::Called called{plugin, function, image_};
    tenon_status result = TENON_OK;
    auto calls_body = [&] { result = body(); };
    try {
      const tenon_status status =
          run(options_.contain_crashes ? &called : nullptr, call,
              platform::call_body<decltype(calls_body)>, &calls_body, if_crashed);
      return status == TENON_OK ? result : status;
    } catch (...) {
      return thrown(plugin, function, call);
    }
  }

  /// An exception came out of a function. Inside a catch clause.
  tenon_status thrown(std::string_view plugin, std::string_view function, tenon_call* call);

 private:
  bool broken() const noexcept;
  static tenon_status refuse(tenon_call* call) noexcept;
  tenon_status crashed(const platform::Called& called, tenon_call* call,
                       const platform::Crash& crash, tenon_status status);
  void tell(RestartReason why, tenon_status status, std::string_view plugin,
            std::string_view function, tenon_call* call);

  Generation& generation_;
  const platform::ImageMap* const image_;
  const SupervisionOptions options_;
};

/// The `self` of a supervised table.
class SupervisedPlugin final : public Supervised {
 public:
  SupervisedPlugin(Supervision& supervision, const AdmittedPlugin& plugin, void* self,
                   MethodCounter* counters) noexcept
      : Supervised({plugin.table.get(), self}, counters, supervision.only_counts()),
        supervision_(supervision),
        plugin_(plugin),
        contained_(plugin.contained.empty() ? nullptr : plugin.contained.data()),
        rules_(plugin) {}

  /// The `self` of the supervised table.
  void* as_self() noexcept { return static_cast<Supervised*>(this); }

  tenon_status call(std::uint32_t index, Passed& passed);

 private:
  tenon_status pass_on(std::uint32_t index, Passed& passed);
  tenon_status check_and_pass_on(std::uint32_t index, Passed& passed);

  Supervision& supervision_;
  const AdmittedPlugin& plugin_;
  const platform::Called* const contained_;  // of each method; nullptr: crashes are not contained
  CallRules rules_;
};

}  // namespace tenon::detail
