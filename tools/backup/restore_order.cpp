// SPDX-License-Identifier: BSL-1.0
#include "restore_order.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

namespace backup {
namespace {

constexpr std::array<std::string_view, 13> first = {
    "customresourcedefinitions.apiextensions.k8s.io",
    "namespaces",
    "storageclasses.storage.k8s.io",
    "volumesnapshotclasses.snapshot.storage.k8s.io",
    "persistentvolumes",
    "persistentvolumeclaims",
    "secrets",
    "configmaps",
    "serviceaccounts",
    "limitranges",
    "pods",
    "replicasets.apps",
    "deployments.apps"};

std::size_t rank(std::string_view resource) {
  return static_cast<std::size_t>(std::find(first.begin(), first.end(), resource) - first.begin());
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
