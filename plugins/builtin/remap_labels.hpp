// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/remap-labels: a restore item action that changes labels. Each key of its configuration
// is the key of a label, and its value is the change of that label:
//
//   tier: set backend                sets the label tier=backend of every resource
//   env: replace prod staging        changes env=prod to env=staging; keeps other values
//   app: rename app.example.com/name changes the key of the label; keeps its value
//   pod-template-hash: remove        removes the label
//
// All rules are applied to the original labels, so two labels can be swapped. A rename onto an
// existing label is an error, unless that label is renamed or removed itself.
//
// Labels of templates inside a resource (template, jobTemplate, volumeClaimTemplates) change in the
// same way, but `set` does not add absent labels. Selectors change, too, so that they match the
// same resources as before: those with matchLabels or matchExpressions in members whose name is
// `selector` or ends with `Selector` or `Selectors`, and those of Services and
// ReplicationControllers. If that is impossible, because the last label that a selector requires is
// removed or because it excludes values of a label that is set, the item fails with an error. Nodes
// and selectors of nodes are not changed.
#pragma once

#include <tenon/sdk/restore_item_action.hpp>

#include <string>

#include "label_rules.hpp"

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
