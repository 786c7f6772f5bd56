// SPDX-License-Identifier: BSL-1.0
//
// Resolves the names of resources. A resource has several names ("deploy", "Deployment",
// "deployments.apps") and one full name, `resource.group`: "deployments.apps". In the core group it
// is the plural alone: "pods".
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

/// Resolves the names of resources regardless of case. Const functions may be called from any
/// thread while no type is added.
class ResourceNames {
 public:
  /// Contains the builtin resources of Kubernetes 1.31.
  ResourceNames();

  /// Adds a type, eg: of a CustomResourceDefinition. Adding it again has no effect.
  void add(ResourceType type);

  /// Returns the full name of the resource of documents with this `apiVersion` and `kind`, eg:
  /// "deployments.apps" for "apps/v1" and "Deployment". The plural of an unknown kind is formed as
  /// in English. Returns an empty text if the kind is empty.
  std::string find_resource(std::string_view api_version, std::string_view kind) const;
  /// The same. Adds an unknown kind as a type; the other usual plurals become its short names.
  std::string resource_of(std::string_view api_version, std::string_view kind);

  /// Returns the full name of a resource. `name` is a plural, singular, short name or kind,
  /// optionally followed by `.group` or `.version.group`. Returns `name` itself if it is unknown.
  /// If several resources have the name, a plural takes precedence over a short name, a short name
  /// over a singular, and a singular over a kind, as in kubectl. Otherwise the core group takes
  /// precedence, then the other groups of Kubernetes in the order of its API server, then all
  /// others in alphabetical order.
  std::string resolve(std::string_view name) const;
  /// Returns whether a type has the name, in one of the forms that `resolve` accepts.
  bool knows(std::string_view name) const { return find_written(name) != nullptr; }

  /// Returns all names of types without their groups, for suggestions.
  std::vector<std::string> names() const;
  /// Returns the types that were added and are not builtin resources of Kubernetes.
  const std::vector<ResourceType>& added() const noexcept { return added_; }

 private:
  /// The form of the name, the number of the group (groups of Kubernetes first), and the name of
  /// the group. Among resources with the same name, the one with the lowest rank is used.
  using Rank = std::tuple<std::size_t, std::size_t, std::string>;
  using Ranked = std::pair<Rank, std::string>;

  Rank rank_of(std::size_t form, const std::string& group) const;
  void add_name(std::size_t form, const std::string& name, const ResourceType& type);
  void add_names(const ResourceType& type);
  const std::string* find(const std::string& name) const;
  const std::string* find_written(std::string_view name) const;

  std::unordered_map<std::string, std::size_t> native_groups_;  // and their numbers
  std::unordered_map<std::string, Ranked> names_;               // "deploy", and "deploy.apps"
  std::unordered_map<std::string, std::string> kinds_;          // "deployment.apps": full names
  std::vector<ResourceType> added_;
};

}  // namespace backup
