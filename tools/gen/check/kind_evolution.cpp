// SPDX-License-Identifier: BSL-1.0
#include "gen/check/kind_evolution.hpp"

#include <algorithm>

#include "gen/check/evolution_steps.hpp"
#include "gen/check/method_steps.hpp"

namespace tenon::gen {
namespace {

/// Returns whether to compare methods.
bool read_adaptable(const ObjectReader& object, KindStep& step, Diagnostics& diagnostics) {
  step.adaptable = object.boolean("adaptable", true);
  step.reason = object.optional_text("reason");
  if (step.adaptable) {
    if (!step.reason.empty()) {
      add_unused(object.location("reason"), "an adaptable step cannot have a reason",
                 "remove it, or add \"adaptable\": false", diagnostics);
    }
    return true;
  }
  if (step.reason.empty()) {
    diagnostics.add({.location = object.location("adaptable"),
                     .code = "missing-key",
                     .message = "a step that is not adaptable needs a reason",
                     .needed = "\"reason\", which is shown to users of older plugins",
                     .fix = "add \"reason\": \"...\""});
  }
  if (object.optional("methods") != nullptr) {
    add_contradiction(object.location("methods"),
                      "a step that is not adaptable cannot have methods",
                      "remove \"methods\", or \"adaptable\" and \"reason\"", diagnostics);
  }
  return false;
}

void read_step(const ObjectReader& object, const Kind& kind, KindStep& step,
               Diagnostics& diagnostics) {
  step.notes = object.optional_text("notes");
  if (read_adaptable(object, step, diagnostics)) {
    read_method_steps(object, kind, step, diagnostics);
  }
}

}  // namespace

void read_kind_steps(const SpecDirectory& directory, Kind& kind, Diagnostics& diagnostics) {
  const auto steps =
      find_steps(directory, "kind", kind.id, {"adaptable", "reason", "methods"}, diagnostics);
  for (std::size_t i = 0; i + 1 < kind.versions.size(); ++i) {
    KindStep step{.from = kind.versions[i].get(), .to = kind.versions[i + 1].get()};
    const auto object = steps.find({step.to->number});
    if (object != steps.end()) read_step(object->second, kind, step, diagnostics);
    for (const Method& method : step.from->methods) {
      if (!step.adaptable) break;
      const auto answers = [&method](const MethodStep& method_step) {
        return method_step.older == &method;
      };
      if (std::none_of(step.methods.begin(), step.methods.end(), answers)) {
        step.removed.push_back(&method);
      }
    }
    kind.steps.push_back(std::move(step));
  }
}

}  // namespace tenon::gen
