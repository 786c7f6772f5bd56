// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/remap-labels: a restore item action that changes labels. Each key of its configuration
// is the key of a label, and its value is the change of that label:
//
//   tier: set backend                gives every resource the label tier=backend
//   env: replace prod staging        changes env=prod to env=staging; other values stay
//   app: rename app.example.com/name gives the label another key; the value stays
//   pod-template-hash: remove        removes the label
//
// All rules start from the labels as they were, so two labels can be swapped. A label that a rename
// would overwrite is an error, unless it is renamed or removed itself.
//
// Labels of templates inside a resource (template, jobTemplate, volumeClaimTemplates) change in the
// same way, but `set` adds none that was absent. Selectors follow, so that they still match the
// resources that they matched before: those with matchLabels or matchExpressions in members that
// are called `selector` or end with `Selector` or `Selectors`, and those of Services and
// ReplicationControllers. If a selector cannot follow, because the last label that it requires
// is removed or because it excludes values of a label that is set, the item fails with an error.
// Nodes and selectors of nodes are not changed.
#pragma once

#include "label_rules.hpp"

#include <tenon/sdk/restore_item_action.hpp>

#include <string>

namespace tenon::builtin {

class RemapLabels : public sdk::RestoreItemActionV2 {
 public:
  void configure(const sdk::Config& config) override;
  std::string name() override { return Plugin::name(); }
  SelectorV1 applies_to() override;
  /// The updated item is absent if the rules change nothing.
  ExecuteResult execute(std::string_view item, std::string_view item_from_backup,
                        RestoreV1View restore) override;

 private:
  LabelRules rules_;
};

}  // namespace tenon::builtin
