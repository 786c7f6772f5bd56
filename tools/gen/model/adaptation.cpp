// SPDX-License-Identifier: BSL-1.0
#include "gen/model/adaptation.hpp"

#include <cstdlib>

namespace tenon::gen {
namespace {

using Answer = MethodStep::Answer;

/// Whether the plugin, or a hand-written step, has something to say to the method.
bool is_there(const Adapted& origin, std::size_t place, const Method& method) {
  const Method* at = &method;
  while (place > origin.place) {
    const MethodStep& step = step_of(origin, place, *at);
    if (step.answer == Answer::hook) return true;
    if (step.answer != Answer::forward) return false;
    at = step.older;
    place -= step.back;
  }
  return true;
}

/// The name of the plugin's own method behind this one; empty where an adapter or a hand-written
/// step takes its place.
std::string own_name(const Adapted& origin, std::size_t place, const Method& method) {
  const Method* at = &method;
  while (place > origin.place) {
    const MethodStep& step = step_of(origin, place, *at);
    if (step.answer != Answer::forward) return {};
    at = step.older;
    place -= step.back;
  }
  return at->name;
}

}  // namespace

const MethodStep& step_of(const Adapted& origin, std::size_t place, const Method& method) {
  const KindStep& all = origin.kind.steps[place - 1];
  for (const MethodStep& step : all.returned) {
    if (step.method == &method && place >= origin.place + step.back) return step;
  }
  for (const MethodStep& step : all.methods) {
    if (step.method == &method) return step;
  }
  std::abort();  // a checked model has a step for each method
}

std::size_t Adapted::newest() const {
  std::size_t at = place;
  while (at < kind.steps.size() && kind.steps[at].adaptable) at++;
  return at;
}

std::string Adapted::refusal() const {
  const KindStep& step = kind.steps[newest()];
  std::string text = "version " + std::to_string(step.from->number) +
                     " cannot be used as version " + std::to_string(step.to->number);
  return step.reason.empty() ? text : text + ": " + step.reason;
}

std::vector<std::string> Adapted::missing_methods(std::size_t to) const {
  std::vector<std::string> missing;
  for (const Method& method : kind.versions[to]->methods) {
    if (!is_there(*this, to, method)) missing.push_back(method.name);
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
