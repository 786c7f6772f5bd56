// SPDX-License-Identifier: BSL-1.0
//
// Which items are meant, by namespace, resource and labels: what the options of a backup say, and
// what an action applies to.
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

/// Patterns of one list: the plain names among them are looked up, however many there are.
class PatternList {
 public:
  /// Error: bad-pattern, which says where in the list `name` it is.
  static tenon::Result<PatternList> compile(const std::vector<std::string>& patterns,
                                            std::string_view name);

  bool empty() const noexcept { return names_.empty() && globs_.empty(); }
  bool matches(const std::string& text) const;

 private:
  std::unordered_set<std::string> names_;
  std::vector<Glob> globs_;
};

/// A compiled selector. An exclude beats an include, and an empty list of includes matches all.
/// Const functions may be called from any thread.
class Selector {
 public:
  /// Resources are resolved to `resource.group`, and those that cannot be, such as patterns, match
  /// that whole name: `deploy*` matches "deployments.apps", `deployment?` does not. Errors:
  /// bad-pattern, bad-label-selector, which say where in the selector they are.
  static tenon::Result<Selector> compile(const tenon::SelectorV1& selector,
                                         const ResourceNames& names);

  /// Returns whether an item with these labels is meant.
  bool matches(const tenon::ResourceIdV1& id, const Labels& labels) const {
    return admits(id) && matches(labels);
  }

  /// Returns whether an item is meant if its labels match. What belongs to no namespace, Namespace
  /// documents too, is meant if the included namespaces are empty or exactly `*`, whatever
  /// namespaces are excluded.
  bool admits(const tenon::ResourceIdV1& id) const;

  /// Returns whether labels match.
  bool matches(const Labels& labels) const { return labels_.matches(labels); }

  /// Returns whether a backup of this selector holds the document of the namespace `name`: if
  /// `namespaces` is a resource that is meant and the namespace is. A backup asks this of Namespace
  /// documents instead of `admits`, and adds, whatever their labels, those whose items it holds.
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
