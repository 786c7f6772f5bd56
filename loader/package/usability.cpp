// SPDX-License-Identifier: BSL-1.0
//
// What is usable, and the reasons of what is not. For each edge that is not met the nearest end is
// known, a requirement that no version meets whatever that version is like, so that a chain of any
// length is explained in a few steps.
#include "package/usability.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "package/explanation.hpp"

namespace tenon {

using detail::Candidates;
using detail::Chain;
using detail::Edge;
using detail::EdgeId;
using detail::Explanation;
using detail::Position;
using detail::Range;

class Usability::Search {
 public:
  explicit Search(const Repository& repository);

  bool usable(PackageId id) const { return candidates_.alive(candidates_.position(id)); }
  Error reason(PackageId id);

 private:
  /// An edge that is not met, and the place of the one that leads to it.
  struct Step {
    EdgeId edge;
    std::size_t before;
  };
  /// What is told of all that is in the way of one package.
  struct Reasons {
    std::vector<Step> steps;    // in breadth
    std::vector<EdgeId> ends;   // that no step shows
    std::vector<Chain> chains;  // to each end
    bool cut = false;
  };

  const Edge& edge(EdgeId id) const { return candidates_.edges()[id]; }
  void find_ends();
  void reach(Position position, EdgeId end, std::vector<EdgeId>& reached);
  Reasons reasons_of(Position position) const;
  void add_steps(Position position, std::size_t before, Reasons& reasons) const;
  bool go_on(std::size_t at, std::set<Position>& seen, Reasons& reasons) const;
  void add_end(std::size_t at, Reasons& reasons) const;
  std::string in_words(const Reasons& reasons) const;

  const Question nobody_{};
  Candidates candidates_;
  Explanation explanation_;
  std::vector<EdgeId> ends_;          // of each edge that is not met: the nearest end
  std::vector<EdgeId> waiting_;       // of each name: the first edge that is not met, ...
  std::vector<EdgeId> next_waiting_;  // ... and the next one, as long as its end is not known
};

Usability::Search::Search(const Repository& repository)
    : candidates_(repository, nobody_), explanation_(candidates_, nobody_) {
  candidates_.admit_all(Candidates::Mode::exact);
  for (Position position = 0; position < repository.size(); ++position) {
    static_cast<void>(candidates_.usable(position));
  }
  find_ends();
}

// In breadth from the ends on. An edge that is not met and is no end takes versions, all of which
// are unusable for some edge, so that each edge is reached.
void Usability::Search::find_ends() {
  const auto count = candidates_.edges().size();
  ends_.assign(count, none);
  next_waiting_.assign(count, none);
  waiting_.assign(candidates_.repository().names() + 1, none);
  std::vector<EdgeId> reached;
  for (EdgeId id = 0; id < count; ++id) {
    if (!edge(id).unmet) continue;
    if (candidates_.taken_by(edge(id)).empty()) {
      ends_[id] = id;
      reached.push_back(id);
    } else {
      next_waiting_[id] = std::exchange(waiting_[edge(id).name], id);
    }
  }
  std::vector<bool> seen(candidates_.repository().size());
  for (std::size_t at = 0; at < reached.size(); ++at) {
    const Position position = edge(reached[at]).requirer;
    if (seen[position] || candidates_.alive(position)) continue;
    seen[position] = true;
    reach(position, ends_[reached[at]], reached);
  }
}

void Usability::Search::reach(Position position, EdgeId end, std::vector<EdgeId>& reached) {
  EdgeId* id = &waiting_[candidates_.name(position)];
  while (*id != none) {
    if (contains(candidates_.taken_by(edge(*id)), position)) {
      ends_[*id] = end;
      reached.push_back(*id);
      *id = next_waiting_[*id];
    } else {
      id = &next_waiting_[*id];
    }
  }
}

// In breadth, so that what the package requires itself comes first, and as far as there is room.
Usability::Search::Reasons Usability::Search::reasons_of(Position position) const {
  Reasons reasons;
  std::set<Position> seen{position};
  add_steps(position, none, reasons);
  for (std::size_t at = 0; at < reasons.steps.size(); ++at) {
    if (!go_on(at, seen, reasons)) add_end(at, reasons);
  }
  if (reasons.chains.empty()) add_end(0, reasons);
  return reasons;
}

void Usability::Search::add_steps(Position position, std::size_t before, Reasons& reasons) const {
  constexpr std::size_t most = 16;
  const Range edges = candidates_.edges_of(position);
  for (EdgeId id = edges.begin; id < edges.end && !reasons.cut; ++id) {
    if (!edge(id).unmet) continue;
    reasons.cut = reasons.steps.size() == most;
    if (!reasons.cut) reasons.steps.push_back({.edge = id, .before = before});
  }
}

/// Adds what the versions lack that a step takes. Returns whether that is told, here or before.
bool Usability::Search::go_on(std::size_t at, std::set<Position>& seen, Reasons& reasons) const {
  const Edge& last = edge(reasons.steps[at].edge);
  const std::size_t before = reasons.steps.size();
  bool is_new = candidates_.taken_by(last).empty();
  for (const Range& range : candidates_.taken_by(last)) {
    for (Position position = range.begin; position < range.end && !reasons.cut; ++position) {
      if (!seen.insert(position).second) continue;
      is_new = true;
      add_steps(position, at, reasons);
    }
    is_new = is_new || reasons.cut;
  }
  return !is_new || reasons.steps.size() > before;
}

/// The chain through a step to the end that is nearest to it.
void Usability::Search::add_end(std::size_t at, Reasons& reasons) const {
  const EdgeId last = reasons.steps[at].edge;
  const EdgeId end = ends_[last];
  Chain chain;
  if (end != last) {
    reasons.ends.push_back(end);
    chain.push_back(edge(end));
  }
  for (; at != none; at = reasons.steps[at].before) chain.push_back(edge(reasons.steps[at].edge));
  std::reverse(chain.begin(), chain.end());
  reasons.chains.push_back(std::move(chain));
}

// "requires a.b/blur ^1; requires a.b/noise *; a.b/blur 1.2.0 requires a.b/colour ^2"
std::string Usability::Search::in_words(const Reasons& reasons) const {
  const Position of = edge(reasons.steps[0].edge).requirer;
  std::string words;
  for (const Step& step : reasons.steps) {
    const Edge& told = edge(step.edge);
    words += words.empty() ? "" : "; ";
    words += told.requirer == of ? "requires " + explanation_.required(told)
                                 : explanation_.statement(told);
  }
  if (reasons.cut) words += "; ...";
  const std::set<EdgeId> ends(reasons.ends.begin(), reasons.ends.end());
  for (const EdgeId end : ends) words += "; " + explanation_.statement(edge(end));
  return words;
}

Error Usability::Search::reason(PackageId id) {
  const Reasons reasons = reasons_of(candidates_.position(id));
  ErrorDetails details{.code = std::string(explanation_.code(reasons.chains[0].back())),
                       .message = in_words(reasons),
                       .where = explanation_.requirer(reasons.chains[0][0])};
  std::set<std::string> told;
  for (const Chain& chain : reasons.chains) {
    std::string needed = explanation_.required(chain.back());
    if (!told.insert(needed).second) continue;
    const std::string_view between = details.needed.empty() ? "" : "; ";
    details.found.append(between).append(explanation_.found(chain.back()));
    details.needed.append(between).append(needed);
    details.fix.append(between).append(explanation_.fix(chain));
  }
  return Error(std::move(details));
}

Usability::Usability(const Repository& repository)
    : search_(std::make_unique<Search>(repository)) {}
Usability::~Usability() = default;

bool Usability::usable(PackageId id) const {
  return search_->usable(id);
}

Error Usability::reason(PackageId id) const {
  return search_->reason(id);
}

}  // namespace tenon
