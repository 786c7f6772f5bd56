// SPDX-License-Identifier: BSL-1.0
//
// Orders definitions so that each comes after those that it needs.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace tenon::gen {

/// Ranks `nodes` from 1 in topological order. `needs(node)` returns a range of pointers to the
/// nodes that a node needs. `on_cycle(node, needed)` is called for each edge that closes a cycle.
template <class Node, class Needs, class OnCycle>
class DependencyOrder {
 public:
  DependencyOrder(const std::vector<const Node*>& nodes, Needs needs, OnCycle on_cycle)
      : needs_(needs), on_cycle_(on_cycle) {
    for (const Node* node : nodes) visit(*node);
  }

  std::size_t rank(const Node& node) const { return ranks_.at(&node); }

 private:
  static constexpr std::size_t visiting = 0;

  void visit(const Node& node) {
    if (!ranks_.emplace(&node, visiting).second) return;
    for (const Node* needed : needs_(node)) {
      visit(*needed);
      if (ranks_.at(needed) == visiting) on_cycle_(node, *needed);
    }
    ranks_.at(&node) = ++last_rank_;
  }

  Needs needs_;
  OnCycle on_cycle_;
  std::map<const Node*, std::size_t> ranks_{};
  std::size_t last_rank_ = visiting;
};

template <class Node, class Needs, class OnCycle>
DependencyOrder(const std::vector<const Node*>&, Needs, OnCycle)
    -> DependencyOrder<Node, Needs, OnCycle>;

}  // namespace tenon::gen
