// SPDX-License-Identifier: BSL-1.0
//
// Selects items by namespace, resource and labels: for the options of a backup, and for the items
// that an action applies to.
#pragma once

#include "glob.hpp"
#include "label_selector.hpp"
#include "resource_names.hpp"

#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>
#include <tenon/selector.hpp>

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace backup {

/// The patterns of one list. Plain names are looked up, so that there may be many of them.
class PatternList {
 public:
  /// Compiles a list. Error: bad-pattern, whose `where` is the place in the list `name`.
  static tenon::Result<PatternList> compile(const std::vector<std::string>& patterns,
                                            std::string_view name);

  bool empty() const noexcept { return names_.empty() && globs_.empty(); }
  bool matches(const std::string& text) const;

 private:
  std::unordered_set<std::string> names_;
  std::vector<Glob> globs_;
};

/// A compiled selector. Excludes take precedence, and an empty list of includes matches all.
/// Const functions may be called from any thread.
class Selector {
 public:
  /// Compiles a selector. Resources are resolved to `resource.group`. Those that cannot be
  /// resolved, such as patterns, match that whole name: `deploy*` matches "deployments.apps",
  /// `deployment?` does not. Errors: bad-pattern, bad-label-selector, whose `where` is the place in
  /// the selector.
  static tenon::Result<Selector> compile(const tenon::SelectorV1& selector,
                                         const ResourceNames& names);

  /// Returns whether an item with these labels is selected.
  bool matches(const tenon::ResourceIdV1& id, const Labels& labels) const {
    return admits(id) && matches(labels);
  }

  /// Returns whether an item is selected if its labels match. Items without a namespace, including
  /// Namespace documents, are selected if the list of included namespaces is empty or exactly `*`,
  /// regardless of the excluded namespaces.
  bool admits(const tenon::ResourceIdV1& id) const;

  /// Returns whether labels match.
  bool matches(const Labels& labels) const { return labels_.matches(labels); }

  /// Returns whether a backup with this selector may hold the document of the namespace `name`:
  /// whether both the resource `namespaces` and the namespace itself are selected. A backup uses
  /// this for Namespace documents instead of `admits`, and adds those of its items regardless of
  /// their labels.
  bool admits_namespace(const std::string& name) const;

 private:
  bool admits_resource(const std::string& resource) const;

  PatternList included_namespaces_;
  PatternList excluded_namespaces_;
  PatternList included_resources_;
  PatternList excluded_resources_;
  LabelSelector labels_;
  bool cluster_scoped_ = true;
};

}  // namespace backup
