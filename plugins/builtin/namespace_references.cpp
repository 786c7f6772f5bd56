// SPDX-License-Identifier: BSL-1.0
#include "namespace_references.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cstdint>

#include "resource.hpp"

namespace tenon::builtin {
namespace {

using Found = std::function<void(const NamespaceReference&)>;

/// A path in resources of one kind.
struct ResourcePath {
  std::string_view kind;
  /// Steps separated by blanks: the name of a member; `*` for each element of a list; `name=text`
  /// to continue only in objects whose member `name` is that text.
  std::string_view path;
  /// The part of the text before the namespace.
  std::string_view prefix = {};
};

/// Fields that name a namespace.
constexpr ResourcePath names[] = {
    // The cluster sets this label of each namespace to its name, so that selectors can name it.
    {"Namespace", "metadata name"},
    {"Namespace", "metadata labels kubernetes.io/metadata.name"},

    {"RoleBinding", "subjects * kind=ServiceAccount namespace"},
    {"RoleBinding", "subjects * kind=User name", "system:serviceaccount:"},
    {"RoleBinding", "subjects * kind=Group name", "system:serviceaccounts:"},
    {"ClusterRoleBinding", "subjects * kind=ServiceAccount namespace"},
    {"ClusterRoleBinding", "subjects * kind=User name", "system:serviceaccount:"},
    {"ClusterRoleBinding", "subjects * kind=Group name", "system:serviceaccounts:"},

    {"PersistentVolume", "spec claimRef namespace"},
    {"PersistentVolume", "spec csi controllerExpandSecretRef namespace"},
    {"PersistentVolume", "spec csi controllerPublishSecretRef namespace"},
    {"PersistentVolume", "spec csi nodeExpandSecretRef namespace"},
    {"PersistentVolume", "spec csi nodePublishSecretRef namespace"},
    {"PersistentVolume", "spec csi nodeStageSecretRef namespace"},
    {"PersistentVolumeClaim", "spec dataSourceRef namespace"},

    {"MutatingWebhookConfiguration", "webhooks * clientConfig service namespace"},
    {"ValidatingWebhookConfiguration", "webhooks * clientConfig service namespace"},
    {"CustomResourceDefinition", "spec conversion webhook clientConfig service namespace"},
    {"APIService", "spec service namespace"},
};

/// Paths to namespaces within a selector of namespaces.
constexpr std::string_view selector_paths[] = {
    "matchLabels kubernetes.io/metadata.name",
    "matchExpressions * key=kubernetes.io/metadata.name values *",
};

/// Selectors of namespaces.
constexpr ResourcePath selectors[] = {
    {"NetworkPolicy", "spec ingress * from * namespaceSelector"},
    {"NetworkPolicy", "spec egress * to * namespaceSelector"},
    {"MutatingWebhookConfiguration", "webhooks * namespaceSelector"},
    {"ValidatingWebhookConfiguration", "webhooks * namespaceSelector"},
};

/// The path of the pod specification in each kind that has one.
constexpr ResourcePath pod_specs[] = {
    {"Pod", "spec"},
    {"PodTemplate", "template spec"},
    {"CronJob", "spec jobTemplate spec template spec"},
    {"DaemonSet", "spec template spec"},
    {"Deployment", "spec template spec"},
    {"Job", "spec template spec"},
    {"ReplicaSet", "spec template spec"},
    {"ReplicationController", "spec template spec"},
    {"StatefulSet", "spec template spec"},
};

/// Paths within a pod specification to the terms of affinity to other pods.
constexpr std::string_view affinity_terms[] = {
    "affinity podAffinity requiredDuringSchedulingIgnoredDuringExecution *",
    "affinity podAffinity preferredDuringSchedulingIgnoredDuringExecution * podAffinityTerm",
    "affinity podAntiAffinity requiredDuringSchedulingIgnoredDuringExecution *",
    "affinity podAntiAffinity preferredDuringSchedulingIgnoredDuringExecution * podAffinityTerm",
};

std::string_view take_step(std::string_view& path) {
  const std::size_t end = std::min(path.find(' '), path.size());
  const std::string_view step = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return step;
}

/// Calls `visit` with each value that the path selects.
template <class Visit>
void walk(boost::json::value& value, std::string_view path, const Visit& visit) {
  if (path.empty()) return visit(value);
  const std::string_view step = take_step(path);
  if (step == "*") {
    if (!value.is_array()) return;
    for (boost::json::value& element : value.get_array()) walk(element, path, visit);
    return;
  }
  boost::json::object* object = value.if_object();
  if (const std::size_t equals = step.find('='); equals != std::string_view::npos) {
    if (text_in(object, step.substr(0, equals)) == step.substr(equals + 1)) {
      walk(value, path, visit);
    }
    return;
  }
  boost::json::value* member = object != nullptr ? object->if_contains(step) : nullptr;
  if (member != nullptr) walk(*member, path, visit);
}

void find_in(boost::json::value& value, std::string_view prefix, const Found& found) {
  boost::json::string* text = value.if_string();
  if (text == nullptr) return;
  const std::string_view all = *text;
  if (all.substr(0, prefix.size()) != prefix) return;
  std::size_t end = all.size();
  if (!prefix.empty()) end = std::min(all.find(':', prefix.size()), all.size());
  found(NamespaceReference(*text, prefix.size(), end - prefix.size()));
}

void find_at(boost::json::value& value, std::string_view path, const Found& found,
             std::string_view prefix = {}) {
  walk(value, path, [&](boost::json::value& end) { find_in(end, prefix, found); });
}

void find_in_selector(boost::json::value& selector, const Found& found) {
  for (const std::string_view path : selector_paths) find_at(selector, path, found);
}

void find_in_pods(boost::json::value& spec, const Found& found) {
  for (const std::string_view path : affinity_terms) {
    walk(spec, path, [&](boost::json::value& term) {
      find_at(term, "namespaces *", found);
      walk(term, "namespaceSelector",
           [&](boost::json::value& selector) { find_in_selector(selector, found); });
    });
  }
}

}  // namespace

void for_each_namespace(boost::json::value& resource, const Found& found) {
  const std::string kind(text_in(resource.if_object(), "kind"));
  find_at(resource, "metadata namespace", found);
  for (const ResourcePath& name : names) {
    if (name.kind == kind) find_at(resource, name.path, found, name.prefix);
  }
  for (const ResourcePath& selector : selectors) {
    if (selector.kind != kind) continue;
    walk(resource, selector.path,
         [&](boost::json::value& value) { find_in_selector(value, found); });
  }
  for (const ResourcePath& pod_spec : pod_specs) {
    if (pod_spec.kind != kind) continue;
    walk(resource, pod_spec.path, [&](boost::json::value& value) { find_in_pods(value, found); });
  }
}

}  // namespace tenon::builtin
