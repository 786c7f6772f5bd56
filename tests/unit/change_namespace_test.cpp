// SPDX-License-Identifier: BSL-1.0
//
// The action tenon.dev/change-namespace renames namespaces in every field that refers to one.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "unit/backup_actions.hpp"

namespace tenon::tests { namespace {

const RestoreV1 web_to_test = mapping({{"web", "test"}, {"db", "db-test"}, {"same", "same"}});

std::string moved(std::string_view item, const RestoreV1& restore = web_to_test) {
  return restored("tenon.dev/change-namespace", {}, item, restore);
}

struct Move {
  std::string_view before;
  std::string_view after;
};

class ChangeNamespaceAction : public testing::TestWithParam<Move> {};

TEST_P(ChangeNamespaceAction, RenamesReferencesToNamespaces) {
  EXPECT_EQ(moved(GetParam().before), GetParam().after);
}

INSTANTIATE_TEST_SUITE_P(
    References, ChangeNamespaceAction,
    testing::Values(
        Move{R"({"kind":"Pod","metadata":{"name":"web","namespace":"web","labels":{"a":"web"}}})",
             R"({"kind":"Pod","metadata":{"name":"web","namespace":"test","labels":{"a":"web"}}})"},
        Move{R"({"metadata":{"namespace":"db"}})", R"({"metadata":{"namespace":"db-test"}})"},
        Move{R"({"metadata":{"namespace":"same"}})", "unchanged"},
        Move{R"({"metadata":{"namespace":"other"}})", "unchanged"},
        Move{R"({"metadata":{"namespace":["web"]}})", "unchanged"}, Move{"{}", "unchanged"},
        Move{R"({"kind":"Namespace","metadata":{"name":"web",)"
             R"("labels":{"kubernetes.io/metadata.name":"web","app":"web"}}})",
             R"({"kind":"Namespace","metadata":{"name":"test",)"
             R"("labels":{"kubernetes.io/metadata.name":"test","app":"web"}}})"},
        Move{R"({"kind":"ConfigMap","metadata":{"name":"web"}})", "unchanged"},
        Move{R"({"kind":"RoleBinding","metadata":{"namespace":"web"},"subjects":[)"
             R"({"kind":"ServiceAccount","name":"web","namespace":"web"},)"
             R"({"kind":"ServiceAccount","name":"s","namespace":"kube-system"},)"
             R"({"kind":"User","name":"system:serviceaccount:db:web"},)"
             R"({"kind":"User","name":"web"},)"
             R"({"kind":"User","name":"custom:serviceaccount:web:a"},)"
             R"({"kind":"Group","name":"system:serviceaccounts:web"},)"
             R"({"kind":"Group","name":"system:serviceaccounts"}]})",
             R"({"kind":"RoleBinding","metadata":{"namespace":"test"},"subjects":[)"
             R"({"kind":"ServiceAccount","name":"web","namespace":"test"},)"
             R"({"kind":"ServiceAccount","name":"s","namespace":"kube-system"},)"
             R"({"kind":"User","name":"system:serviceaccount:db-test:web"},)"
             R"({"kind":"User","name":"web"},)"
             R"({"kind":"User","name":"custom:serviceaccount:web:a"},)"
             R"({"kind":"Group","name":"system:serviceaccounts:test"},)"
             R"({"kind":"Group","name":"system:serviceaccounts"}]})"},
        Move{R"({"kind":"ClusterRoleBinding","metadata":{"name":"web"},"subjects":[)"
             R"({"kind":"ServiceAccount","name":"s","namespace":"web"},)"
             R"({"kind":"User","name":"system:serviceaccount:web:s"},)"
             R"({"kind":"Group","name":"system:serviceaccounts:db"}]})",
             R"({"kind":"ClusterRoleBinding","metadata":{"name":"web"},"subjects":[)"
             R"({"kind":"ServiceAccount","name":"s","namespace":"test"},)"
             R"({"kind":"User","name":"system:serviceaccount:test:s"},)"
             R"({"kind":"Group","name":"system:serviceaccounts:db-test"}]})"},
        Move{R"({"kind":"Deployment","subjects":[{"kind":"ServiceAccount","namespace":"web"}]})",
             "unchanged"},
        Move{R"({"kind":"PersistentVolume","spec":{"claimRef":{"name":"c","namespace":"web"},)"
             R"("csi":{"controllerExpandSecretRef":{"namespace":"web"},)"
             R"("controllerPublishSecretRef":{"namespace":"web"},)"
             R"("nodeExpandSecretRef":{"namespace":"web"},)"
             R"("nodePublishSecretRef":{"namespace":"web"},)"
             R"("nodeStageSecretRef":{"namespace":"web"}}}})",
             R"({"kind":"PersistentVolume","spec":{"claimRef":{"name":"c","namespace":"test"},)"
             R"("csi":{"controllerExpandSecretRef":{"namespace":"test"},)"
             R"("controllerPublishSecretRef":{"namespace":"test"},)"
             R"("nodeExpandSecretRef":{"namespace":"test"},)"
             R"("nodePublishSecretRef":{"namespace":"test"},)"
             R"("nodeStageSecretRef":{"namespace":"test"}}}})"},
        Move{R"({"kind":"PersistentVolumeClaim","spec":{"dataSourceRef":{"namespace":"web"}}})",
             R"({"kind":"PersistentVolumeClaim","spec":{"dataSourceRef":{"namespace":"test"}}})"},
        Move{
            R"({"kind":"MutatingWebhookConfiguration","webhooks":[{"clientConfig":)"
            R"({"service":{"name":"web","namespace":"web"}}},{"namespaceSelector":{"matchLabels":)"
            R"({"kubernetes.io/metadata.name":"web"}}}]})",
            R"({"kind":"MutatingWebhookConfiguration","webhooks":[{"clientConfig":)"
            R"({"service":{"name":"web","namespace":"test"}}},{"namespaceSelector":{"matchLabels":)"
            R"({"kubernetes.io/metadata.name":"test"}}}]})"},
        Move{R"({"kind":"ValidatingWebhookConfiguration","webhooks":[{"clientConfig":)"
             R"({"service":{"namespace":"web"}},"namespaceSelector":{"matchLabels":)"
             R"({"kubernetes.io/metadata.name":"db"}}}]})",
             R"({"kind":"ValidatingWebhookConfiguration","webhooks":[{"clientConfig":)"
             R"({"service":{"namespace":"test"}},"namespaceSelector":{"matchLabels":)"
             R"({"kubernetes.io/metadata.name":"db-test"}}}]})"},
        Move{R"({"kind":"CustomResourceDefinition","spec":{"conversion":{"webhook":)"
             R"({"clientConfig":{"service":{"namespace":"web"}}}}}})",
             R"({"kind":"CustomResourceDefinition","spec":{"conversion":{"webhook":)"
             R"({"clientConfig":{"service":{"namespace":"test"}}}}}})"},
        Move{R"({"kind":"APIService","spec":{"service":{"name":"s","namespace":"web"}}})",
             R"({"kind":"APIService","spec":{"service":{"name":"s","namespace":"test"}}})"},
        Move{
            R"({"kind":"NetworkPolicy","spec":{"ingress":[{"from":[{"namespaceSelector":)"
            R"({"matchLabels":{"kubernetes.io/metadata.name":"web","team":"web"}}}]}],)"
            R"("egress":[{"to":[{"namespaceSelector":{"matchExpressions":[)"
            R"({"key":"kubernetes.io/metadata.name","operator":"In","values":["a","db","web"]},)"
            R"({"key":"team","operator":"In","values":["web"]}]}}]}]}})",
            R"({"kind":"NetworkPolicy","spec":{"ingress":[{"from":[{"namespaceSelector":)"
            R"({"matchLabels":{"kubernetes.io/metadata.name":"test","team":"web"}}}]}],)"
            R"("egress":[{"to":[{"namespaceSelector":{"matchExpressions":[)"
            R"({"key":"kubernetes.io/metadata.name","operator":"In","values":["a","db-test","test"]},)"
            R"({"key":"team","operator":"In","values":["web"]}]}}]}]}})"}));

/// A resource in which each `@` is a reference to a namespace.
struct Resource {
  std::string kind;
  std::string members;
};

std::string in_namespace(const Resource& resource, const std::string& space) {
  std::string text = R"({"kind":")" + resource.kind + R"(",)" + resource.members + "}";
  for (std::size_t at = 0; (at = text.find('@', at)) != text.npos;) text.replace(at, 1, space);
  return text;
}

const std::string selector =
    R"({"matchLabels":{"kubernetes.io/metadata.name":"@","team":"web"},"matchExpressions":[)"
    R"({"key":"kubernetes.io/metadata.name","operator":"NotIn","values":["@","x"]}]})";
const std::string reference = R"({"name":"web","namespace":"@"})";
const std::string claim = R"({"metadata":{"name":"web","namespace":"@"},"spec":{"dataSourceRef":)" +
                          reference + R"(,"volumeName":"web"}})";
const std::string pod_template =
    R"({"metadata":{"namespace":"@","labels":{"app":"web"}},"spec":{"volumes":[{"name":"web",)"
    R"("ephemeral":{"volumeClaimTemplate":)" +
    claim + "}}]}}";
const std::string volume =
    R"({"claimRef":)" + reference + R"(,"cephfs":{"secretRef":)" + reference +
    R"(},"rbd":{"secretRef":)" + reference + R"(},"iscsi":{"secretRef":)" + reference +
    R"(},"scaleIO":{"secretRef":)" + reference + R"(},"storageos":{"secretRef":)" + reference +
    R"(},"flexVolume":{"secretRef":)" + reference +
    R"(},"azureFile":{"secretName":"web","secretNamespace":"@","shareName":"web"},)"
    R"("glusterfs":{"endpoints":"web","endpointsNamespace":"@","path":"web"}})";
const std::string mirror = R"([{"requestMirror":{"backendRef":)" + reference +
                           R"(}},{"externalAuth":{"backendRef":)" + reference + "}}]";
const std::string listener = R"([{"name":"web","tls":{"certificateRefs":[)" + reference +
                             R"(],"frontendValidation":{"caCertificateRefs":[)" + reference +
                             R"(]}},"allowedRoutes":{"namespaces":{"selector":)" + selector +
                             "}}}]";

TEST(ChangeNamespaceReferences, ChangeInEachKind) {
  const Resource resources[] = {
      {"PersistentVolume",
       R"("metadata":{"annotations":{"volume.kubernetes.io/provisioner-deletion-secret-namespace":)"
       R"("@","other":"web"}},"spec":)" +
           volume},
      {"VolumeAttachment", R"("spec":{"source":{"inlineVolumeSpec":)" + volume + "}}"},
      {"StorageClass",
       R"("provisioner":"web","parameters":{"csi.storage.k8s.io/provisioner-secret-name":"web",)"
       R"("csi.storage.k8s.io/provisioner-secret-namespace":"@",)"
       R"("csi.storage.k8s.io/controller-publish-secret-namespace":"@",)"
       R"("csi.storage.k8s.io/controller-expand-secret-namespace":"@",)"
       R"("csi.storage.k8s.io/node-stage-secret-namespace":"@",)"
       R"("csi.storage.k8s.io/node-publish-secret-namespace":"@",)"
       R"("csi.storage.k8s.io/node-expand-secret-namespace":"@",)"
       R"("adminSecretNamespace":"@","secretNamespace":"@","pool":"web"})"},
      {"VolumeSnapshotClass",
       R"("parameters":{"csi.storage.k8s.io/snapshotter-secret-namespace":"@",)"
       R"("csi.storage.k8s.io/snapshotter-list-secret-namespace":"@"})"},
      {"VolumeSnapshotContent",
       R"("metadata":{"annotations":{"snapshot.storage.kubernetes.io/deletion-secret-namespace":)"
       R"("@"}},"spec":{"volumeSnapshotRef":)" +
           reference + "}"},
      {"VolumeGroupSnapshotClass",
       R"("parameters":{"csi.storage.k8s.io/group-snapshotter-secret-namespace":"@",)"
       R"("csi.storage.k8s.io/group-snapshotter-get-secret-namespace":"@"})"},
      {"VolumeGroupSnapshotContent",
       R"("metadata":{"annotations":{)"
       R"("groupsnapshot.storage.kubernetes.io/deletion-secret-namespace":"@"}},)"
       R"("spec":{"volumeGroupSnapshotRef":)" +
           reference + "}"},
      {"PodTemplate", R"("template":)" + pod_template},
      {"ControllerRevision", R"("data":{"spec":{"template":)" + pod_template + "}}"},
      {"CronJob", R"("spec":{"jobTemplate":{"metadata":{"namespace":"@"},"spec":{"template":)" +
                      pod_template + "}}}"},
      {"DaemonSet", R"("spec":{"template":)" + pod_template + "}"},
      {"Deployment", R"("spec":{"template":)" + pod_template + "}"},
      {"Job", R"("spec":{"template":)" + pod_template + "}"},
      {"ReplicaSet", R"("spec":{"template":)" + pod_template + "}"},
      {"ReplicationController", R"("spec":{"template":)" + pod_template + "}"},
      {"StatefulSet",
       R"("spec":{"volumeClaimTemplates":[)" + claim + R"(],"template":)" + pod_template + "}"},
      {"Pod", pod_template.substr(1, pod_template.size() - 2)},
      {"ResourceClaimTemplate", R"("spec":{"metadata":{"namespace":"@"}})"},
      {"Binding", R"("target":)" + reference},
      {"Endpoints", R"("subsets":[{"addresses":[{"ip":"1","targetRef":)" + reference +
                        R"(}],"notReadyAddresses":[{"targetRef":)" + reference + "}]}]"},
      {"EndpointSlice", R"("endpoints":[{"hostname":"web","targetRef":)" + reference + "}]"},
      {"Event", R"("involvedObject":)" + reference + R"(,"related":)" + reference},
      {"Event", R"("regarding":)" + reference + R"(,"reason":"web")"},
      {"IPAddress", R"("spec":{"parentRef":)" + reference + "}"},
      {"IngressClass", R"("spec":{"controller":"web","parameters":)" + reference + "}"},
      {"Node", R"("spec":{"configSource":{"configMap":)" + reference + "}}"},
      {"ServiceAccount", R"("secrets":[)" + reference + R"(],"imagePullSecrets":[{"name":"web"}])"},
      {"FlowSchema", R"("spec":{"rules":[{"subjects":[{"kind":"ServiceAccount","serviceAccount":)" +
                         reference +
                         R"(},{"kind":"User","user":{"name":"system:serviceaccount:@:web"}},)"
                         R"({"kind":"User","user":{"name":"web"}},)"
                         R"({"kind":"Group","group":{"name":"system:serviceaccounts:@"}}],)"
                         R"("resourceRules":[{"resources":["web"],"namespaces":["@","*"]}]}]})"},
      {"ValidatingAdmissionPolicy",
       R"("spec":{"matchConstraints":{"namespaceSelector":)" + selector + "}}"},
      {"MutatingAdmissionPolicy",
       R"("spec":{"matchConstraints":{"namespaceSelector":)" + selector + "}}"},
      {"ValidatingAdmissionPolicyBinding", R"("spec":{"policyName":"web","paramRef":)" + reference +
                                               R"(,"matchResources":{"namespaceSelector":)" +
                                               selector + "}}"},
      {"MutatingAdmissionPolicyBinding", R"("spec":{"paramRef":)" + reference +
                                             R"(,"matchResources":{"namespaceSelector":)" +
                                             selector + "}}"},
      {"AdminNetworkPolicy", R"("spec":{"subject":{"namespaces":)" + selector +
                                 R"(},"ingress":[{"from":[{"namespaces":)" + selector +
                                 R"(},{"pods":{"namespaceSelector":)" + selector +
                                 R"(}}]}],"egress":[{"to":[{"namespaces":)" + selector +
                                 R"(},{"pods":{"namespaceSelector":)" + selector + "}}]}]}"},
      {"BaselineAdminNetworkPolicy",
       R"("spec":{"subject":{"pods":{"namespaceSelector":)" + selector + "}}}"},
      {"GatewayClass", R"("spec":{"parametersRef":)" + reference + "}"},
      {"Gateway", R"("spec":{"gatewayClassName":"web","backendTLS":{"clientCertificateRef":)" +
                      reference + R"(},"tls":{"backend":{"clientCertificateRef":)" + reference +
                      R"(},"frontend":{"default":{"validation":{"caCertificateRefs":[)" +
                      reference + R"(]}},"perPort":[{"tls":{"validation":{"caCertificateRefs":[)" +
                      reference + R"(]}}}]}},"allowedListeners":{"namespaces":{"selector":)" +
                      selector + R"(}},"listeners":)" + listener + "}"},
      {"ListenerSet", R"("spec":{"parentRef":)" + reference + R"(,"listeners":)" + listener + "}"},
      {"XListenerSet", R"("spec":{"parentRef":)" + reference + R"(,"listeners":)" + listener + "}"},
      {"ReferenceGrant", R"("spec":{"from":[)" + reference + R"(],"to":[{"name":"web"}]})"},
  };
  for (const Resource& resource : resources) {
    EXPECT_EQ(moved(in_namespace(resource, "web")), in_namespace(resource, "test"))
        << resource.kind;
  }
  for (const char* kind : {"HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"}) {
    const Resource route = {
        kind, R"("spec":{"hostnames":["web"],"parentRefs":[)" + reference +
                  R"(],"rules":[{"filters":)" + mirror +
                  R"(,"backendRefs":[{"name":"web","namespace":"@","filters":)" + mirror +
                  R"(}]}]},"status":{"parents":[{"parentRef":)" + reference + "}]}"};
    EXPECT_EQ(moved(in_namespace(route, "web")), in_namespace(route, "test")) << kind;
  }
}

/// Returns a pod specification with each kind of affinity term, for the pods of a namespace.
std::string affinity_to(const std::string& space) {
  const std::string term = R"({"namespaces":["x",")" + space +
                           R"("],"namespaceSelector":{"matchLabels":{)"
                           R"("kubernetes.io/metadata.name":")" +
                           space + R"("}}})";
  const std::string terms = R"({"requiredDuringSchedulingIgnoredDuringExecution":[)" + term +
                            R"(],"preferredDuringSchedulingIgnoredDuringExecution":[)"
                            R"({"weight":1,"podAffinityTerm":)" +
                            term + "}]}";
  return R"({"affinity":{"podAffinity":)" + terms + R"(,"podAntiAffinity":)" + terms + "}}";
}

TEST(ChangeNamespacePods, RenamesNamespacesOfAffinityTerms) {
  const auto item = [](const std::string& kind, const std::string& path, const std::string& space) {
    std::string text = affinity_to(space);
    for (std::size_t end = path.size(); end != std::string::npos && end > 0;) {
      const std::size_t dot = path.rfind('.', end - 1);
      const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
      text = "{\"" + path.substr(begin, end - begin) + "\":" + text + "}";
      end = dot;
    }
    return "{\"kind\":\"" + kind + "\"," + text.substr(1);
  };
  const std::pair<std::string, std::string> places[] = {
      {"Pod", "spec"},
      {"PodTemplate", "template.spec"},
      {"CronJob", "spec.jobTemplate.spec.template.spec"},
      {"DaemonSet", "spec.template.spec"},
      {"Deployment", "spec.template.spec"},
      {"Job", "spec.template.spec"},
      {"ReplicaSet", "spec.template.spec"},
      {"ReplicationController", "spec.template.spec"},
      {"StatefulSet", "spec.template.spec"},
  };
  for (const auto& [kind, path] : places) {
    EXPECT_EQ(moved(item(kind, path, "web")), item(kind, path, "test")) << kind;
  }
  EXPECT_EQ(moved(item("ConfigMap", "spec", "web")), "unchanged");
}

TEST(ChangeNamespaceMapping, SwapsNamespaces) {
  EXPECT_EQ(moved(R"({"kind":"RoleBinding","metadata":{"namespace":"a"},"subjects":[)"
                  R"({"kind":"ServiceAccount","namespace":"b"}]})",
                  mapping({{"a", "b"}, {"b", "a"}})),
            R"({"kind":"RoleBinding","metadata":{"namespace":"b"},"subjects":[)"
            R"({"kind":"ServiceAccount","namespace":"a"}]})");
}

TEST(ChangeNamespaceMapping, RefusesAnEmptyName) {
  EXPECT_NE(moved(R"({"metadata":{"namespace":"a"}})", mapping({{"a", ""}}))
                .find("the namespace \"a\" is mapped to nothing; fix: "),
            std::string::npos);
  EXPECT_EQ(moved(R"({"metadata":{"namespace":"b"}})", mapping({{"a", ""}})), "unchanged");
}

TEST(ChangeNamespaceMapping, ChangesNothingWithoutAMapping) {
  EXPECT_EQ(moved(R"({"metadata":{"namespace":"web"}})", mapping({})), "unchanged");
}

TEST(ChangeNamespaceMapping, KeepsTheOrderOfMembersAndTheirValues) {
  EXPECT_EQ(moved(R"({"z":-1,"metadata":{"b":true,"namespace":"web","a":[1.50,null,"\u00e4\n"]},)"
                  R"("big":18446744073709551615,"a":{}})"),
            "{\"z\":-1,\"metadata\":{\"b\":true,\"namespace\":\"test\",\"a\":[1.50,null,\"\xc3\xa4"
            "\\n\"]},\"big\":18446744073709551615,\"a\":{}}");
}

TEST(ChangeNamespaceMapping, KeepsTheTextOfNumbers) {
  const std::string numbers =
      R"({"a":[12345678901234567890123,-9223372036854775809,449.49106478873813,1.0,100.50,0.1],)"
      R"("b":{"c":1e3,"d":18446744073709551615,"e":18446744073709551616,"f":-0.0,"g":1e400,)"
      R"("h":-1E-400,"i":0,"j":123456789012345678.90123456789e+1}})";
  EXPECT_EQ(moved(R"({"metadata":{"namespace":"web"},"spec":)" + numbers + "}"),
            R"({"metadata":{"namespace":"test"},"spec":)" + numbers + "}");
}

}}  // namespace tenon::tests
