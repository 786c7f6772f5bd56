// SPDX-License-Identifier: BSL-1.0
#include "pod_volumes.hpp"

#include <boost/json.hpp>

#include <set>
#include <utility>
#include <vector>

#include "resource.hpp"

namespace tenon::builtin {
namespace {

using boost::json::object;
using Items = std::vector<ResourceIdV1>;

/// Returns the claim of one volume of a pod, or an empty text if the volume has none.
std::string claim_of(const object& volume, std::string_view pod) {
  if (const object* claim = object_in(&volume, "persistentVolumeClaim")) {
    return std::string(text_in(claim, "claimName"));
  }
  const std::string_view name = text_in(&volume, "name");
  if (object_in(&volume, "ephemeral") == nullptr || pod.empty() || name.empty()) return {};
  return sdk::text(pod, "-", name);
}

Items claims_of(const object& pod) {
  const object* metadata = object_in(&pod, "metadata");
  const object* spec = object_in(&pod, "spec");
  const boost::json::value* volumes = spec != nullptr ? spec->if_contains("volumes") : nullptr;
  if (volumes == nullptr || !volumes->is_array()) return {};

  Items items;
  std::set<std::string> seen;
  for (const boost::json::value& volume : volumes->get_array()) {
    if (!volume.is_object()) continue;
    std::string claim = claim_of(volume.get_object(), text_in(metadata, "name"));
    if (claim.empty() || !seen.insert(claim).second) continue;
    items.push_back({"persistentvolumeclaims",
                     std::string(text_in(metadata, "namespace")),
                     std::move(claim),
                     {}});
  }
  return items;
}

Items volume_of(const object& claim) {
  const std::string_view volume = text_in(object_in(&claim, "spec"), "volumeName");
  if (volume.empty()) return {};
  return {{"persistentvolumes", "", std::string(volume), {}}};
}

}  // namespace

SelectorV1 PodVolumes::applies_to() {
  SelectorV1 selector;
  selector.included_resources = {"pods", "persistentvolumeclaims"};
  return selector;
}

PodVolumes::ExecuteResult PodVolumes::execute(std::string_view item, BackupV2View) {
  // Most pods have neither a persistentVolumeClaim nor an ephemeral volume.
  if (!may_contain(item, {"VolumeClaim", "ephemeral"})) return {};
  const Resource resource(item);
  const object& members = resource.members();
  const std::string_view kind = text_in(&members, "kind");
  ExecuteResult result;
  if (kind == "Pod") result.additional_items = claims_of(members);
  if (kind == "PersistentVolumeClaim") result.additional_items = volume_of(members);
  return result;
}

}  // namespace tenon::builtin
