// SPDX-License-Identifier: BSL-1.0
//
// Full names of resources, from documents and from the spellings of users.
#include "backup/resource_names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backup/definitions.hpp"
#include "backup/items.hpp"

namespace backup { namespace {

TEST(ResourceNames, ReturnTheResourceOfADocument) {
  struct {
    std::string api_version, kind, resource;
  } const rows[] = {
      {"v1", "Pod", "pods"},
      {"v1", "Namespace", "namespaces"},
      {"v1", "Endpoints", "endpoints"},
      {"v1", "ComponentStatus", "componentstatuses"},
      {"v1", "Event", "events"},
      {"events.k8s.io/v1", "Event", "events.events.k8s.io"},
      {"apps/v1", "Deployment", "deployments.apps"},
      {"apps/v1beta2", "Deployment", "deployments.apps"},
      {"extensions/v1beta1", "Deployment", "deployments.extensions"},
      {"batch/v1", "CronJob", "cronjobs.batch"},
      {"networking.k8s.io/v1", "Ingress", "ingresses.networking.k8s.io"},
      {"networking.k8s.io/v1", "NetworkPolicy", "networkpolicies.networking.k8s.io"},
      {"networking.k8s.io/v1beta1", "ServiceCIDR", "servicecidrs.networking.k8s.io"},
      {"rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles.rbac.authorization.k8s.io"},
      {"storage.k8s.io/v1", "StorageClass", "storageclasses.storage.k8s.io"},
      // Unknown kinds, as in English:
      {"example.io/v1", "Widget", "widgets.example.io"},
      {"example.io/v1", "Gas", "gases.example.io"},
      {"example.io/v1", "Policy", "policies.example.io"},
      {"example.io/v1", "Gateway", "gateways.example.io"},
      {"example.io/v1", "Box", "boxes.example.io"},
      {"example.io/v1", "Key", "keys.example.io"},
      {"example.io/v1", "Mesh", "meshes.example.io"},
      {"example.io/v1", "Switch", "switches.example.io"},
      {"example.io/v1", "MyEndpoints", "myendpoints.example.io"},
      {"v1", "Widget", "widgets"},
      {"example.io/v1", "Y", "ies.example.io"},
      {"v1", "", ""},
      {"", "Pod", "pods"},
  };
  ResourceNames names;
  for (const auto& row : rows) {
    EXPECT_EQ(names.resource_of(row.api_version, row.kind), row.resource)
        << row.api_version << " " << row.kind;
  }
}

TEST(ResourceNames, ResolveAllSpellings) {
  struct {
    std::string written, resource;
  } const rows[] = {
      {"pods", "pods"},
      {"pod", "pods"},
      {"po", "pods"},
      {"Pod", "pods"},
      {"PODS", "pods"},
      {"Po", "pods"},
      {"pods.", "pods"},
      {"pods.v1.", "pods"},
      {"deployments", "deployments.apps"},
      {"deployment", "deployments.apps"},
      {"deploy", "deployments.apps"},
      {"Deployment", "deployments.apps"},
      {"deployments.apps", "deployments.apps"},
      {"deployment.apps", "deployments.apps"},
      {"deploy.apps", "deployments.apps"},
      {"Deployments.Apps", "deployments.apps"},
      {"deployments.v1.apps", "deployments.apps"},
      {"deploy.v1beta1.apps", "deployments.apps"},
      {"Deployment.v2alpha3.apps", "deployments.apps"},
      {"ns", "namespaces"},
      {"svc", "services"},
      {"cm", "configmaps"},
      {"ep", "endpoints"},
      {"endpoints", "endpoints"},
      {"pvc", "persistentvolumeclaims"},
      {"pv", "persistentvolumes"},
      {"sa", "serviceaccounts"},
      {"quota", "resourcequotas"},
      {"limits", "limitranges"},
      {"no", "nodes"},
      {"cs", "componentstatuses"},
      {"rc", "replicationcontrollers"},
      {"ds", "daemonsets.apps"},
      {"rs", "replicasets.apps"},
      {"sts", "statefulsets.apps"},
      {"hpa", "horizontalpodautoscalers.autoscaling"},
      {"cj", "cronjobs.batch"},
      {"job", "jobs.batch"},
      {"csr", "certificatesigningrequests.certificates.k8s.io"},
      {"ing", "ingresses.networking.k8s.io"},
      {"netpol", "networkpolicies.networking.k8s.io"},
      {"pdb", "poddisruptionbudgets.policy"},
      {"pc", "priorityclasses.scheduling.k8s.io"},
      {"sc", "storageclasses.storage.k8s.io"},
      {"vac", "volumeattributesclasses.storage.k8s.io"},
      {"crd", "customresourcedefinitions.apiextensions.k8s.io"},
      {"crds", "customresourcedefinitions.apiextensions.k8s.io"},
      {"role", "roles.rbac.authorization.k8s.io"},
      // The core group goes first:
      {"events", "events"},
      {"ev", "events"},
      {"event", "events"},
      {"events.events.k8s.io", "events.events.k8s.io"},
      {"ev.events.k8s.io", "events.events.k8s.io"},
      {"events.v1.events.k8s.io", "events.events.k8s.io"},
      // Kept unchanged:
      {"widgets", "widgets"},
      {"Widgets.Example.io", "Widgets.Example.io"},
      {"deployments.example.io", "deployments.example.io"},
      {"deployments.vx.apps", "deployments.vx.apps"},
      {"deployments.v1rc1.apps", "deployments.v1rc1.apps"},
      {"deployments.v1beta.apps", "deployments.v1beta.apps"},
      {"deployments.v.apps", "deployments.v.apps"},
      {"deployments.v1", "deployments.v1"},
      {"deploy*", "deploy*"},
      {"*", "*"},
      {"*.apps", "*.apps"},
      {".", "."},
      {"..", ".."},
      {"", ""},
  };
  const ResourceNames names;
  for (const auto& row : rows) EXPECT_EQ(names.resolve(row.written), row.resource) << row.written;
}

TEST(ResourceNames, FindAnUnknownKindByAnyUsualName) {
  struct {
    std::string kind;
    std::vector<std::string> names;
    std::string resource;
  } const rows[] = {
      {"Certificate",
       {"certificate", "Certificate", "certificates", "certificatees", "certificates.cert.io",
        "certificate.cert.io", "certificates.v1.cert.io"},
       "certificates.cert.io"},
      {"Gateway", {"gateway", "gateways", "gatewaies"}, "gateways.cert.io"},
      {"Policy", {"policy", "policies", "policys"}, "policies.cert.io"},
      {"Mesh", {"mesh", "meshes", "meshs"}, "meshes.cert.io"},
      {"Sheep", {"sheep", "sheeps"}, "sheeps.cert.io"},
  };
  for (const auto& row : rows) {
    ResourceNames names;
    EXPECT_FALSE(names.knows(row.names[0])) << row.kind;
    EXPECT_EQ(names.resource_of("cert.io/v1", row.kind), row.resource);
    for (const std::string& name : row.names) {
      EXPECT_TRUE(names.knows(name)) << name;
      EXPECT_EQ(names.resolve(name), row.resource) << name;
    }
    ASSERT_EQ(names.added().size(), 1u);
    EXPECT_EQ(names.added()[0].kind, row.kind);
  }
}

TEST(ResourceNames, PreferResourcesOfKubernetesToUnknownKinds) {
  ResourceNames names;
  EXPECT_EQ(names.resource_of("serving.knative.dev/v1", "Service"), "services.serving.knative.dev");
  EXPECT_EQ(names.resolve("services"), "services");
  EXPECT_EQ(names.resolve("service.serving.knative.dev"), "services.serving.knative.dev");
}

TEST(ResourceNames, AddTypes) {
  ResourceNames names;
  names.add({"Example.io", "Gateway", "Gateways", "gateway", {"gw"}});
  EXPECT_EQ(names.resource_of("example.io/v1", "Gateway"), "gateways.example.io");
  for (const char* written : {"gateways", "gateway", "gw", "GW", "Gateway", "gw.example.io",
                              "gateways.v1.example.io", "Gateway.example.io"}) {
    EXPECT_EQ(names.resolve(written), "gateways.example.io") << written;
  }
}

TEST(ResourceNames, DefaultTheSingularToTheKind) {
  ResourceNames names;
  names.add({"example.io", "Widget", "widgetry", "", {"", "wd"}});
  EXPECT_EQ(names.resolve("widget"), "widgetry.example.io");
  EXPECT_EQ(names.resolve("wd"), "widgetry.example.io");
  EXPECT_EQ(names.resolve(""), "");
}

TEST(ResourceNames, PreferTheCoreGroupThenTheFirstGroup) {
  for (const bool reversed : {false, true}) {
    ResourceNames names;
    const ResourceType a{"a.example", "Widget", "widgets", "widget", {"wd"}};
    const ResourceType b{"b.example", "Widget", "widgets", "widget", {"wd"}};
    const ResourceType knative{"a.serving", "Service", "services", "service", {"kservice"}};
    names.add(reversed ? b : a);
    names.add(knative);
    names.add(reversed ? a : b);
    for (const char* written : {"widgets", "widget", "wd", "Widget"}) {
      EXPECT_EQ(names.resolve(written), "widgets.a.example") << written;
      EXPECT_EQ(names.resolve(std::string(written) + ".b.example"), "widgets.b.example");
    }
    EXPECT_EQ(names.resolve("service"), "services");
    names.add({"a.example", "Deployment", "deployments", "deployment", {"deploy"}});
    EXPECT_EQ(names.resolve("deploy"), "deployments.apps");
    EXPECT_EQ(names.resolve("kservice"), "services.a.serving");
  }
}

TEST(ResourceNames, PreferPluralsToShortNamesToSingularsToKinds) {
  ResourceNames names;
  names.add({"example.io", "One", "po", "one", {"pod"}});
  EXPECT_EQ(names.resolve("po"), "po.example.io");
  EXPECT_EQ(names.resolve("pod"), "po.example.io");
  names.add({"example.io", "Two", "twos", "crossing", {}});
  names.add({"a.example", "Crossing", "crossings", "x", {}});
  EXPECT_EQ(names.resolve("crossing"), "twos.example.io");
}

TEST(ResourceNames, IgnoreATypeAddedAgain) {
  ResourceNames names;
  names.add({"example.io", "Widget", "widgetry", "widget", {}});
  names.add({"example.io", "Widget", "widgetry", "widget", {}});
  EXPECT_EQ(names.resolve("widget"), "widgetry.example.io");
  EXPECT_EQ(names.resource_of("example.io/v1", "Widget"), "widgetry.example.io");
}

TEST(ResourceNames, AreInAnArchiveAsDefinitions) {
  const auto known_from = [](const std::string& text) {
    ItemsBuilder items;
    items.set_definitions(text);
    EXPECT_FALSE(items.sort());
    ResourceNames names;
    add_definitions(items.take(), names);
    return names;
  };
  ResourceNames names;
  EXPECT_EQ(definitions_text(names), "");
  names.add({"example.io", "Key", "keys", "key", {"k"}});
  const std::string text =
      R"([{"spec":{"group":"example.io","names":{"kind":"Key","plural":"keys",)"
      R"("singular":"key","shortNames":["k"]}}}])"
      "\n";
  EXPECT_EQ(definitions_text(names), text) << "backup.md documents it";
  EXPECT_EQ(known_from(text).resolve("k"), "keys.example.io");
  names.resource_of("example.io/v1", "Box");
  EXPECT_EQ(known_from(definitions_text(names)).resolve("boxs"), "boxes.example.io");
  for (const char* other :
       {"", "{}", "[1, {}]", R"([{"spec":{"names":{"kind":"Key","shortNames":["k"]}}}])"}) {
    EXPECT_FALSE(known_from(other).knows("k")) << other;
  }
}

TEST(ResourceNames, TakeLinearTimeForManyTypes) {
  ResourceNames names;
  for (int i = 0; i < 100'000; ++i) {
    const std::string number = std::to_string(i);
    names.add({"example.io", "Kind" + number, "kinds" + number, "kind" + number, {"k" + number}});
  }
  for (int i = 0; i < 100'000; ++i) {
    const std::string number = std::to_string(i);
    ASSERT_EQ(names.resolve("k" + number), "kinds" + number + ".example.io");
  }
}

}}  // namespace backup
