// SPDX-License-Identifier: BSL-1.0
#include "call_steps.hpp"

#include <tenon/detail/json.hpp>

#include <utility>

#include "example_requests.hpp"
#include "message.hpp"
#include "method_plan.hpp"

namespace tenon::command {

std::string configure_request(const TextMap& config) {
  json::Writer out;
  out.begin_object();
  out.key("config");
  out.begin_object();
  for (const auto& [key, value] : config) {
    out.key(key);
    out.text(value);
  }
  out.end_object();
  out.end_object();
  return out.take();
}

std::optional<std::vector<CallStep>> steps_before(const gen::KindVersion& kind,
                                                  const gen::Method& target, const TextMap& config,
                                                  tenon_call* call) {
  const auto before = methods_before(kind, target);
  if (!before) return std::nullopt;
  std::vector<CallStep> steps;
  for (const gen::Method* method : *before) {
    const std::string json = method->configures ? configure_request(config)
                                                : example_request(method->request, Example::empty);
    // A plugin without `configure` must reject a configuration.
    steps.push_back({method, read_request(call, method->request, json).value(),
                     !method->configures || config.empty()});
  }
  return steps;
}

Result<void> make_calls(CalledPlugin& plugin, const std::vector<CallStep>& steps,
                        std::chrono::milliseconds deadline) {
  for (const CallStep& step : steps) {
    auto called = plugin.call(*step.method, step.request, deadline);
    const bool missing = !called && called.error().status() == TENON_UNIMPLEMENTED;
    if (!called && !(missing && step.optional)) return std::move(called).error();
  }
  return {};
}

}  // namespace tenon::command
