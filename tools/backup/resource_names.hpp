// SPDX-License-Identifier: BSL-1.0
//
// The names of the resources of a cluster. A resource is written in many ways ("deploy",
// "Deployment", "deployments.apps") and has one full name, `resource.group`: "deployments.apps", or
// the plural alone in the core group: "pods".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace backup {

/// One type of resources.
struct ResourceType {
  std::string group;                       // eg: "apps"; empty: the core group
  std::string kind;                        // eg: "Deployment"
  std::string plural;                      // eg: "deployments"
  std::string singular;                    // eg: "deployment"; empty: the kind in lower case
  std::vector<std::string> short_names{};  // eg: "deploy"
};

/// Resolves the names of resources, upper and lower case alike. Const functions may be called from
/// any thread while nothing is added.
class ResourceNames {
 public:
  /// Knows the resources of Kubernetes 1.31 itself.
  ResourceNames();

  /// Adds a type, eg: the one that a CustomResourceDefinition defines. Adding it again changes
  /// nothing.
  void add(ResourceType type);

  /// Returns the full name of the resource that a document with this `apiVersion` and `kind` is:
  /// "apps/v1" and "Deployment" give "deployments.apps". The plural of an unknown kind is guessed
  /// by the rules of Kubernetes. Empty if the kind is.
  std::string resource_of(std::string_view api_version, std::string_view kind) const;

  /// Returns the full name of a resource that is written as a plural, singular, short name or kind,
  /// alone or with `.group` or `.version.group` after it; `written` itself where it is unknown. If
  /// several resources have the name, a plural wins over a short name, a short name over a
  /// singular, and a singular over a kind, as in kubectl. Among equals the core group wins, then
  /// the other groups of Kubernetes in the order of its API server, then all others in alphabetical
  /// order.
  std::string resolve(std::string_view written) const;

 private:
  /// Which of several resources with one name is meant: the least. The form of the name, the
  /// place of the group among those of Kubernetes itself or after them, its name.
  using Rank = std::tuple<std::size_t, std::size_t, std::string>;
  using Ranked = std::pair<Rank, std::string>;

  Rank rank_of(std::size_t form, const std::string& group) const;
  void add_name(std::size_t form, const std::string& name, const ResourceType& type);
  const std::string* find(const std::string& name) const;

  std::unordered_map<std::string, std::size_t> native_groups_;  // and their places
  std::unordered_map<std::string, Ranked> names_;               // "deploy", and "deploy.apps"
  std::unordered_map<std::string, std::string> kinds_;          // "deployment.apps": full names
};

}  // namespace backup
