// SPDX-License-Identifier: BSL-1.0
#include "restore_order.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

namespace backup {
namespace {

constexpr std::array<std::string_view, 19> first = {
    "customresourcedefinitions.apiextensions.k8s.io",
    "namespaces",
    "storageclasses.storage.k8s.io",
    "volumesnapshotclasses.snapshot.storage.k8s.io",
    "volumesnapshotcontents.snapshot.storage.k8s.io",
    "volumesnapshots.snapshot.storage.k8s.io",
    "datauploads.velero.io",
    "persistentvolumes",
    "persistentvolumeclaims",
    "serviceaccounts",
    "secrets",
    "configmaps",
    "limitranges",
    "priorityclasses.scheduling.k8s.io",
    "pods",
    "replicasets.apps",
    "clusterclasses.cluster.x-k8s.io",
    "endpoints",
    "services"};

constexpr std::array<std::string_view, 5> last = {
    "clusterbootstraps.run.tanzu.vmware.com", "clusters.cluster.x-k8s.io",
    "clusterresourcesets.addons.cluster.x-k8s.io", "apps.kappctrl.k14s.io",
    "packageinstalls.packaging.carvel.dev"};

std::size_t rank(std::string_view resource) {
  const auto at = std::find(first.begin(), first.end(), resource);
  if (at != first.end()) return static_cast<std::size_t>(at - first.begin());
  const auto at_end = std::find(last.begin(), last.end(), resource);
  if (at_end == last.end()) return first.size();
  return first.size() + 1 + static_cast<std::size_t>(at_end - last.begin());
}

}  // namespace

std::vector<std::size_t> restore_order(const Items& items) {
  std::vector<std::size_t> order(items.size());
  std::vector<std::size_t> ranks(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < items.size(); ++i) ranks[i] = rank(items.id(i).resource);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return ranks[a] < ranks[b]; });
  return order;
}

}  // namespace backup
