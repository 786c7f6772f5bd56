// SPDX-License-Identifier: BSL-1.0
#include "namespace_references.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cstdint>

#include "resource.hpp"

namespace tenon::builtin {
namespace {

using Found = std::function<void(const NamespaceReference&)>;

/// A path in resources of some kinds.
struct ResourcePath {
  std::string_view kinds;  // separated by blanks
  /// Steps separated by blanks: the name of a member; `*` for each element of a list; `name=text`
  /// to continue only in objects whose member `name` is that text.
  std::string_view path;
  /// The part of the text before the namespace.
  std::string_view prefix = {};
};

constexpr std::string_view bindings = "RoleBinding ClusterRoleBinding";
constexpr std::string_view webhooks = "MutatingWebhookConfiguration ValidatingWebhookConfiguration";
constexpr std::string_view policies = "ValidatingAdmissionPolicy MutatingAdmissionPolicy";
constexpr std::string_view policy_bindings =
    "ValidatingAdmissionPolicyBinding MutatingAdmissionPolicyBinding";
constexpr std::string_view network_policies = "AdminNetworkPolicy BaselineAdminNetworkPolicy";
constexpr std::string_view routes = "HTTPRoute GRPCRoute TLSRoute TCPRoute UDPRoute";
constexpr std::string_view listeners = "Gateway ListenerSet XListenerSet";

constexpr std::string_view account = "system:serviceaccount:";
constexpr std::string_view accounts = "system:serviceaccounts:";

/// Fields that name a namespace.
constexpr ResourcePath names[] = {
    // The cluster sets this label of each namespace to its name, so that selectors can name it.
    {"Namespace", "metadata name"},
    {"Namespace", "metadata labels kubernetes.io/metadata.name"},

    {bindings, "subjects * kind=ServiceAccount namespace"},
    {bindings, "subjects * kind=User name", account},
    {bindings, "subjects * kind=Group name", accounts},
    {"FlowSchema", "spec rules * subjects * kind=ServiceAccount serviceAccount namespace"},
    {"FlowSchema", "spec rules * subjects * kind=User user name", account},
    {"FlowSchema", "spec rules * subjects * kind=Group group name", accounts},
    {"FlowSchema", "spec rules * resourceRules * namespaces *"},

    {"Binding", "target namespace"},
    {"Endpoints", "subsets * addresses * targetRef namespace"},
    {"Endpoints", "subsets * notReadyAddresses * targetRef namespace"},
    {"EndpointSlice", "endpoints * targetRef namespace"},
    {"Event", "involvedObject namespace"},
    {"Event", "regarding namespace"},
    {"Event", "related namespace"},
    {"IPAddress", "spec parentRef namespace"},
    {"IngressClass", "spec parameters namespace"},
    {"Node", "spec configSource configMap namespace"},
    {"ServiceAccount", "secrets * namespace"},

    {"CronJob", "spec jobTemplate metadata namespace"},
    {"ResourceClaimTemplate", "spec metadata namespace"},
    {"StatefulSet", "spec volumeClaimTemplates * metadata namespace"},
    {"StatefulSet", "spec volumeClaimTemplates * spec dataSourceRef namespace"},
    {"PersistentVolumeClaim", "spec dataSourceRef namespace"},
    {"PersistentVolume",
     "metadata annotations volume.kubernetes.io/provisioner-deletion-secret-namespace"},
    {"StorageClass", "parameters csi.storage.k8s.io/controller-expand-secret-namespace"},
    {"StorageClass", "parameters csi.storage.k8s.io/controller-publish-secret-namespace"},
    {"StorageClass", "parameters csi.storage.k8s.io/node-expand-secret-namespace"},
    {"StorageClass", "parameters csi.storage.k8s.io/node-publish-secret-namespace"},
    {"StorageClass", "parameters csi.storage.k8s.io/node-stage-secret-namespace"},
    {"StorageClass", "parameters csi.storage.k8s.io/provisioner-secret-namespace"},
    {"StorageClass", "parameters adminSecretNamespace"},
    {"StorageClass", "parameters secretNamespace"},
    {"VolumeSnapshotClass", "parameters csi.storage.k8s.io/snapshotter-list-secret-namespace"},
    {"VolumeSnapshotClass", "parameters csi.storage.k8s.io/snapshotter-secret-namespace"},
    {"VolumeSnapshotContent", "spec volumeSnapshotRef namespace"},
    {"VolumeSnapshotContent",
     "metadata annotations snapshot.storage.kubernetes.io/deletion-secret-namespace"},
    {"VolumeGroupSnapshotClass",
     "parameters csi.storage.k8s.io/group-snapshotter-get-secret-namespace"},
    {"VolumeGroupSnapshotClass",
     "parameters csi.storage.k8s.io/group-snapshotter-secret-namespace"},
    {"VolumeGroupSnapshotContent", "spec volumeGroupSnapshotRef namespace"},
    {"VolumeGroupSnapshotContent",
     "metadata annotations groupsnapshot.storage.kubernetes.io/deletion-secret-namespace"},

    {webhooks, "webhooks * clientConfig service namespace"},
    {policy_bindings, "spec paramRef namespace"},
    {"CustomResourceDefinition", "spec conversion webhook clientConfig service namespace"},
    {"APIService", "spec service namespace"},

    {"GatewayClass", "spec parametersRef namespace"},
    {"Gateway", "spec backendTLS clientCertificateRef namespace"},
    {"Gateway", "spec tls backend clientCertificateRef namespace"},
    {"Gateway", "spec tls frontend default validation caCertificateRefs * namespace"},
    {"Gateway", "spec tls frontend perPort * tls validation caCertificateRefs * namespace"},
    {"ListenerSet XListenerSet", "spec parentRef namespace"},
    {listeners, "spec listeners * tls certificateRefs * namespace"},
    {listeners, "spec listeners * tls frontendValidation caCertificateRefs * namespace"},
    {"ReferenceGrant", "spec from * namespace"},
    {routes, "spec parentRefs * namespace"},
    {routes, "spec rules * backendRefs * namespace"},
    {routes, "spec rules * backendRefs * filters * requestMirror backendRef namespace"},
    {routes, "spec rules * backendRefs * filters * externalAuth backendRef namespace"},
    {routes, "spec rules * filters * requestMirror backendRef namespace"},
    {routes, "spec rules * filters * externalAuth backendRef namespace"},
    {routes, "status parents * parentRef namespace"},
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
    {network_policies, "spec subject namespaces"},
    {network_policies, "spec subject pods namespaceSelector"},
    {network_policies, "spec ingress * from * namespaces"},
    {network_policies, "spec ingress * from * pods namespaceSelector"},
    {network_policies, "spec egress * to * namespaces"},
    {network_policies, "spec egress * to * pods namespaceSelector"},
    {webhooks, "webhooks * namespaceSelector"},
    {policies, "spec matchConstraints namespaceSelector"},
    {policy_bindings, "spec matchResources namespaceSelector"},
    {"Gateway", "spec allowedListeners namespaces selector"},
    {listeners, "spec listeners * allowedRoutes namespaces selector"},
};

/// The path of the specification of a volume in each kind that has one.
constexpr ResourcePath volume_specs[] = {
    {"PersistentVolume", "spec"},
    {"VolumeAttachment", "spec source inlineVolumeSpec"},
};

/// Paths within the specification of a volume.
constexpr std::string_view volume_paths[] = {
    "azureFile secretNamespace",
    "cephfs secretRef namespace",
    "claimRef namespace",
    "csi controllerExpandSecretRef namespace",
    "csi controllerPublishSecretRef namespace",
    "csi nodeExpandSecretRef namespace",
    "csi nodePublishSecretRef namespace",
    "csi nodeStageSecretRef namespace",
    "flexVolume secretRef namespace",
    "glusterfs endpointsNamespace",
    "iscsi secretRef namespace",
    "rbd secretRef namespace",
    "scaleIO secretRef namespace",
    "storageos secretRef namespace",
};

/// The path of the template of pods in each kind that has one.
constexpr ResourcePath pod_templates[] = {
    {"PodTemplate", "template"},
    {"ControllerRevision", "data spec template"},
    {"CronJob", "spec jobTemplate spec template"},
    {"DaemonSet Deployment Job ReplicaSet ReplicationController StatefulSet", "spec template"},
};

/// Paths within a pod specification.
constexpr std::string_view pod_paths[] = {
    "volumes * ephemeral volumeClaimTemplate metadata namespace",
    "volumes * ephemeral volumeClaimTemplate spec dataSourceRef namespace",
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

/// Returns whether a text of words separated by blanks has a word.
bool contains_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    if (take_step(words) == word) return true;
  }
  return false;
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

void find_at(boost::json::value& value, std::string_view path, const Found& found) {
  walk(value, path, [&](boost::json::value& end) { find_in(end, {}, found); });
}

void find_in_selector(boost::json::value& selector, const Found& found) {
  for (const std::string_view path : selector_paths) find_at(selector, path, found);
}

void find_in_pod(boost::json::value& spec, const Found& found) {
  for (const std::string_view path : pod_paths) find_at(spec, path, found);
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
  const auto each_of_kind = [&](const auto& paths, const auto& visit) {
    for (const ResourcePath& path : paths) {
      if (contains_word(path.kinds, kind)) {
        walk(resource, path.path, [&](boost::json::value& value) { visit(value, path); });
      }
    }
  };
  using boost::json::value;
  find_at(resource, "metadata namespace", found);
  each_of_kind(names,
               [&](value& name, const ResourcePath& path) { find_in(name, path.prefix, found); });
  each_of_kind(selectors, [&](value& selector, const auto&) { find_in_selector(selector, found); });
  each_of_kind(volume_specs, [&](value& spec, const auto&) {
    for (const std::string_view path : volume_paths) find_at(spec, path, found);
  });
  each_of_kind(pod_templates, [&](value& pod, const auto&) {
    find_at(pod, "metadata namespace", found);
    walk(pod, "spec", [&](value& spec) { find_in_pod(spec, found); });
  });
  if (kind == "Pod") walk(resource, "spec", [&](value& spec) { find_in_pod(spec, found); });
}

}  // namespace tenon::builtin
