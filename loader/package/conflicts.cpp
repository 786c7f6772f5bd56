// SPDX-License-Identifier: BSL-1.0
#include "package/conflicts.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "package/explanation.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// An edge on the path from a root to an unmet requirement, and the index of the previous step.
struct Step {
  EdgeId edge;
  std::size_t previous;
};

class Search {
 public:
  explicit Search(const Propagator& propagator) : propagator_(propagator) {}

  /// Returns the steps whose edges accept no version at all. Searches breadth-first from the roots,
  /// so that the first chain to an end is the shortest.
  std::vector<std::size_t> find_ends();
  const Edge& edge(std::size_t at) const { return propagator_.edges()[steps_[at].edge]; }
  Chain chain_to(std::size_t end) const;

 private:
  void add_steps(Range edges, std::size_t previous);

  const Propagator& propagator_;
  std::vector<Step> steps_;
};

void Search::add_steps(Range edges, std::size_t previous) {
  for (EdgeId id = edges.begin; id < edges.end; ++id) {
    if (propagator_.edges()[id].unmet) steps_.push_back({.edge = id, .previous = previous});
  }
}

std::vector<std::size_t> Search::find_ends() {
  std::vector<std::size_t> ends;
  std::vector<bool> seen(propagator_.repository().size());
  add_steps(propagator_.edges_of_roots(), none);
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    const auto accepted = propagator_.accepted_by(edge(at));
    if (accepted.empty()) ends.push_back(at);
    for (const Range& range : accepted) {
      for (Position position = range.begin; position < range.end; ++position) {
        if (!seen[position]) add_steps(propagator_.edges_of(position), at);
        seen[position] = true;
      }
    }
  }
  return ends;
}

Chain Search::chain_to(std::size_t end) const {
  Chain chain;
  for (std::size_t at = end; at != none; at = steps_[at].previous) chain.push_back(edge(at));
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace

std::vector<Conflict> find_conflicts(Propagator& propagator, const Problem& problem) {
  Search search(propagator);
  Explanation explanation(propagator, problem);
  std::vector<Conflict> all;
  std::set<std::string> reported;
  for (const std::size_t end : search.find_ends()) {
    if (!reported.insert(explanation.required(search.edge(end))).second) continue;
    const Chain chain = search.chain_to(end);
    Conflict conflict = {.chain = {}, .error = explanation.error(chain)};
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const auto provider = i + 1 < chain.size() ? chain[i + 1].requirer : none;
      conflict.chain.push_back(binding_of(propagator, chain[i], provider));
    }
    all.push_back(std::move(conflict));
  }
  return all;
}

}}}  // namespace tenon::v0_1::detail
