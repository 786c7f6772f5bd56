// SPDX-License-Identifier: BSL-1.0
//
// Selects items by namespace, resource and labels: for the options of a backup, and for the items
// that an action applies to.
#pragma once

#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>
#include <tenon/selector.hpp>

#include <string>

#include "resource_names.hpp"
#include "selection/label_selector.hpp"
#include "selection/pattern_list.hpp"

namespace backup {

using tenon::selection::Labels;

/// A compiled selector. Excludes take precedence, and an empty list of includes matches all.
/// Const functions may be called from any thread.
class Selector {
 public:
  /// Compiles a selector. Resources are resolved to `resource.group`. Names that cannot be
  /// resolved, such as patterns, must match the full name: `deploy*` matches "deployments.apps",
  /// `deployment?` does not. Errors: bad-pattern, bad-label-selector, whose `where` is the location
  /// in the selector.
  static tenon::Result<Selector> compile(const tenon::SelectorV1& selector,
                                         const ResourceNames& names);

  /// Returns whether an item with these labels is selected.
  bool matches(const tenon::ResourceIdV1& id, const Labels& labels) const {
    return admits(id) && matches(labels);
  }

  /// Returns whether an item is selected if its labels match. Items without a namespace, including
  /// Namespace documents, are selected if the list of included namespaces is empty or contains `*`,
  /// regardless of the excluded namespaces.
  bool admits(const tenon::ResourceIdV1& id) const;

  /// Returns whether labels match.
  bool matches(const Labels& labels) const { return labels_.matches(labels); }

  /// Returns whether a backup with this selector may contain the document of the namespace `name`:
  /// both the resource `namespaces` and the namespace itself must be selected. Used for Namespace
  /// documents instead of `admits`. A backup adds the Namespace documents of its items regardless
  /// of their labels.
  bool admits_namespace(const std::string& name) const;

  bool excludes_namespaces() const { return !excluded_namespaces_.empty(); }

  /// Returns whether items of a resource may be selected.
  bool admits_resource(const std::string& resource) const;

 private:
  tenon::selection::PatternList included_namespaces_;
  tenon::selection::PatternList excluded_namespaces_;
  tenon::selection::PatternList included_resources_;
  tenon::selection::PatternList excluded_resources_;
  tenon::selection::LabelSelector labels_;
  bool cluster_scoped_ = true;
};

}  // namespace backup
