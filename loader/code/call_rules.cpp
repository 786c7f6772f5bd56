// SPDX-License-Identifier: BSL-1.0
#include "code/call_rules.hpp"

#include <algorithm>

#include "base/quote.hpp"
#include "platform/process.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constexpr std::string_view created = "created";

/// Returns the configure method if the plugin does not implement it, otherwise nullptr.
const MethodInfo* missing_configure(const ValidatedPlugin& plugin) noexcept {
  const MethodInfo* configure = plugin.version->configure();
  return configure != nullptr && !plugin.implements(*configure) ? configure : nullptr;
}

/// Returns the first state. A plugin that takes no configuration need not be configured.
const std::string_view* first_state(const ValidatedPlugin& plugin) noexcept {
  const MethodInfo* missing = missing_configure(plugin);
  return missing != nullptr && !missing->to.empty() ? &missing->to : &created;
}

/// Returns whether a call is the first configuration of a plugin that takes none. Such a plugin is
/// configured from the beginning, but a caller does not have to know that.
bool is_needless(const ValidatedPlugin& plugin, const MethodInfo& method,
                 std::string_view state) noexcept {
  return &method == missing_configure(plugin) && state == method.to;
}

/// Returns eg "'open' or 'stopped'".
std::string any_of(std::span<const std::string_view> states) {
  std::string text;
  for (const std::string_view state : states) {
    text += (text.empty() ? "" : " or ") + in_quotes(state);
  }
  return text;
}

}  // namespace

CallRules::CallRules(const ValidatedPlugin& plugin) noexcept
    : plugin_(plugin), state_(first_state(plugin)) {}

std::string CallRules::begin(const MethodInfo& method) {
  const std::string_view state = *state_.load();
  // If calls overlap a restart, the state of the new object is not known.
  if (plugin_.kind->session && !method.from.empty() &&
      std::find(method.from.begin(), method.from.end(), state) == method.from.end() &&
      !is_needless(plugin_, method, state)) {
    return "it needs the state " + any_of(method.from) + ", and the instance has the state " +
           in_quotes(state);
  }
  if (method.threading == Threading::main && !platform::on_main_thread()) {
    return "it was called on another thread than the main thread of the process";
  }
  const MethodInfo* other = nullptr;
  if (method.threading == Threading::serial && !serial_.compare_exchange_strong(other, &method)) {
    return "it is serial, and a call of the serial method " + in_quotes(other->name) +
           " of this instance is in progress";
  }
  return {};
}

CallRules::Turn::Turn(CallRules& rules, const MethodInfo& method)
    : rules_(rules), method_(method), problem_(rules.begin(method)) {}

CallRules::Turn::~Turn() {
  if (problem_.empty() && method_.threading == Threading::serial) rules_.serial_.store(nullptr);
}

void CallRules::Turn::ended(bool succeeded) noexcept {
  if (method_.to.empty()) return;
  // A method that the plugin does not implement leads to the state as well.
  if (succeeded || !rules_.plugin_.implements(method_)) rules_.state_.store(&method_.to);
}

}}}  // namespace tenon::v0_1::detail
