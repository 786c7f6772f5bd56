// SPDX-License-Identifier: BSL-1.0
//
// An order in which each of several definitions stands behind those that it needs.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace tenon::gen {

/// Ranks `nodes`, from 1. `needs(node)` answers a range of pointers to the nodes that one needs;
/// `on_cycle(node, needed)` is called where there is no such order, and the search goes on.
template <class Node, class Needs, class OnCycle>
class DependencyOrder {
 public:
  DependencyOrder(const std::vector<const Node*>& nodes, Needs needs, OnCycle on_cycle)
      : needs_(needs), on_cycle_(on_cycle) {
    for (const Node* node : nodes) visit(*node);
  }

  std::size_t rank(const Node& node) const { return ranks_.at(&node); }

 private:
  static constexpr std::size_t under_way = 0;

  void visit(const Node& node) {
    if (!ranks_.emplace(&node, under_way).second) return;
    for (const Node* needed : needs_(node)) {
      visit(*needed);
      if (ranks_.at(needed) == under_way) on_cycle_(node, *needed);
    }
    ranks_.at(&node) = ++last_rank_;
  }

  Needs needs_;
  OnCycle on_cycle_;
  std::map<const Node*, std::size_t> ranks_{};
  std::size_t last_rank_ = under_way;
};

template <class Node, class Needs, class OnCycle>
DependencyOrder(const std::vector<const Node*>&, Needs, OnCycle)
    -> DependencyOrder<Node, Needs, OnCycle>;

}  // namespace tenon::gen
