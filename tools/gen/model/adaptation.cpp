// SPDX-License-Identifier: BSL-1.0
#include "gen/model/adaptation.hpp"

#include <cstdlib>

namespace tenon::gen {
namespace {

using Action = MethodStep::Action;

/// Whether the plugin or a hand-written step implements the method.
bool is_implemented(const Adapted& origin, std::size_t index, const Method& method) {
  const Method* at = &method;
  while (index > origin.index) {
    const MethodStep& step = step_of(origin, index, *at);
    if (step.action == Action::hook) return true;
    if (step.action != Action::forward) return false;
    at = step.older;
    index -= step.back;
  }
  return true;
}

/// Returns the name of the plugin's method that implements this one; empty if an adapter or a
/// hand-written step implements it.
std::string own_name(const Adapted& origin, std::size_t index, const Method& method) {
  const Method* at = &method;
  while (index > origin.index) {
    const MethodStep& step = step_of(origin, index, *at);
    if (step.action != Action::forward) return {};
    at = step.older;
    index -= step.back;
  }
  return at->name;
}

}  // namespace

const MethodStep& step_of(const Adapted& origin, std::size_t index, const Method& method) {
  const KindStep& all = origin.kind.steps[index - 1];
  for (const MethodStep& step : all.reintroduced) {
    if (step.method == &method && index >= origin.index + step.back) return step;
  }
  for (const MethodStep& step : all.methods) {
    if (step.method == &method) return step;
  }
  std::abort();  // a checked model has a step for each method
}

std::size_t Adapted::newest() const {
  std::size_t at = index;
  while (at < kind.steps.size() && kind.steps[at].adaptable) ++at;
  return at;
}

std::string Adapted::incompatibility() const {
  const KindStep& step = kind.steps[newest()];
  std::string text = "version " + std::to_string(step.from->number) +
                     " cannot be used as version " + std::to_string(step.to->number);
  return step.reason.empty() ? text : text + ": " + step.reason;
}

std::vector<std::string> Adapted::missing_methods(std::size_t to) const {
  std::vector<std::string> missing;
  for (const Method& method : kind.versions[to]->methods) {
    if (!is_implemented(*this, to, method)) missing.push_back(method.name);
  }
  return missing;
}

std::vector<std::pair<std::string, std::string>> Adapted::own_methods(std::size_t to) const {
  std::vector<std::pair<std::string, std::string>> own;
  for (const Method& method : kind.versions[to]->methods) {
    std::string name = own_name(*this, to, method);
    if (!name.empty()) own.emplace_back(method.name, std::move(name));
  }
  return own;
}

}  // namespace tenon::gen
