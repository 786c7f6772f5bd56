// SPDX-License-Identifier: BSL-1.0
#include "service_account.hpp"

#include "resource.hpp"

namespace tenon::builtin {

SelectorV1 ServiceAccount::applies_to() {
  SelectorV1 pods;
  pods.included_resources = {"pods"};
  return pods;
}

ServiceAccount::ExecuteResult ServiceAccount::execute(std::string_view item, BackupV2View) {
  const Resource resource(item);
  const boost::json::object& pod = resource.members();
  if (text_in(&pod, "kind") != "Pod") return {};
  const boost::json::object* spec = object_in(&pod, "spec");
  std::string_view account = text_in(spec, "serviceAccountName");
  if (account.empty()) account = text_in(spec, "serviceAccount");
  if (account.empty()) account = "default";  // the default of the cluster

  ExecuteResult result;
  const std::string_view space = text_in(object_in(&pod, "metadata"), "namespace");
  result.additional_items.push_back(
      {"serviceaccounts", std::string(space), std::string(account), {}});
  return result;
}

}  // namespace tenon::builtin
