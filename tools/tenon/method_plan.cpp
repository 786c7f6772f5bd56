// SPDX-License-Identifier: BSL-1.0
#include "method_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace tenon::command {
namespace {

using gen::KindVersion;
using gen::Method;
using Methods = std::vector<const Method*>;

constexpr const char* first_state = "created";

bool may_be_called(const Method& method, const std::string& state) {
  return !method.from || std::ranges::find(*method.from, state) != method.from->end();
}

bool needs_stream(const Method& method) {
  const auto is_stream = [](const gen::Field& field) {
    return field.type.shape == gen::Shape::reader || field.type.shape == gen::Shape::writer;
  };
  return std::ranges::any_of(method.request, is_stream) ||
         std::ranges::any_of(method.response, is_stream);
}

/// A state, and the methods that lead to it.
struct Reached {
  std::string state;
  Methods methods;
};

/// Searches the shortest sequence from `start`.
std::optional<Methods> search(const KindVersion& kind, const Method& target, Reached start) {
  std::vector<Reached> reached{std::move(start)};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Reached at = reached[i];
    if (may_be_called(target, at.state)) return at.methods;
    for (const Method& method : kind.methods) {
      const bool known = std::ranges::find(reached, method.to, &Reached::state) != reached.end();
      if (method.to.empty() || known || !may_be_called(method, at.state)) continue;
      if (needs_stream(method)) continue;
      Reached next{method.to, at.methods};
      next.methods.push_back(&method);
      reached.push_back(std::move(next));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Methods> methods_before(const KindVersion& kind, const Method& target) {
  const Method* const configure = kind.configure();
  if (configure != nullptr && &target != configure && may_be_called(*configure, first_state)) {
    const std::string state = configure->to.empty() ? first_state : configure->to;
    if (auto found = search(kind, target, {state, {configure}})) return found;
  }
  return search(kind, target, {first_state, {}});
}

}  // namespace tenon::command
