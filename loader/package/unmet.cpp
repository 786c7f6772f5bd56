// SPDX-License-Identifier: BSL-1.0
#include "package/unmet.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "package/explanation.hpp"

namespace tenon::detail {
namespace {

/// One edge on the way from a root to what is not met, and the place of the one before it.
struct Step {
  EdgeId edge;
  std::size_t before;
};

class Search {
 public:
  explicit Search(const Candidates& candidates) : candidates_(candidates) {}

  /// What no version that is there would meet, whatever that version is like. From the roots on in
  /// breadth, so that the first chain that leads to something is the shortest.
  std::vector<std::size_t> find_ends();
  const Edge& edge(std::size_t at) const { return candidates_.edges()[steps_[at].edge]; }
  Chain chain_to(std::size_t end) const;

 private:
  void add_steps(Range edges, std::size_t before);

  const Candidates& candidates_;
  std::vector<Step> steps_;
};

void Search::add_steps(Range edges, std::size_t before) {
  for (EdgeId id = edges.begin; id < edges.end; ++id) {
    if (candidates_.edges()[id].unmet) steps_.push_back({.edge = id, .before = before});
  }
}

std::vector<std::size_t> Search::find_ends() {
  std::vector<std::size_t> ends;
  std::vector<bool> seen(candidates_.repository().size());
  add_steps(candidates_.edges_of_roots(), none);
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    const auto taken = candidates_.taken_by(edge(at));
    if (taken.empty()) ends.push_back(at);
    for (const Range& range : taken) {
      for (Position position = range.begin; position < range.end; ++position) {
        if (!seen[position]) add_steps(candidates_.edges_of(position), at);
        seen[position] = true;
      }
    }
  }
  return ends;
}

Chain Search::chain_to(std::size_t end) const {
  Chain chain;
  for (std::size_t at = end; at != none; at = steps_[at].before) chain.push_back(edge(at));
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace

std::vector<Unmet> unmet_needs(Candidates& candidates, const Question& question) {
  Search search(candidates);
  Explanation explanation(candidates, question);
  std::vector<Unmet> all;
  std::set<std::string> reported;
  for (const std::size_t end : search.find_ends()) {
    if (!reported.insert(explanation.required(search.edge(end))).second) continue;
    const Chain chain = search.chain_to(end);
    Unmet unmet = {.chain = {}, .error = explanation.error(chain)};
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const auto provider = i + 1 < chain.size() ? chain[i + 1].requirer : none;
      unmet.chain.push_back(binding_of(candidates, chain[i], provider));
    }
    all.push_back(std::move(unmet));
  }
  return all;
}

}  // namespace tenon::detail
