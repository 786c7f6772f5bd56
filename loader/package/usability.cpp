// SPDX-License-Identifier: BSL-1.0
//
// For each unmet edge the search finds the nearest end: an edge that accepts no version at all.
// Therefore a chain of any length is explained in a few steps.
#include "package/usability.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "package/explanation.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

using detail::Chain;
using detail::Edge;
using detail::EdgeId;
using detail::Explanation;
using detail::Position;
using detail::Propagator;
using detail::Range;

class Usability::Search {
 public:
  explicit Search(const Repository& repository);

  bool usable(PackageId id) const { return propagator_.alive(propagator_.position(id)); }
  Error reason(PackageId id);

 private:
  /// An unmet edge, and the index of the step that leads to it.
  struct Step {
    EdgeId edge;
    std::size_t previous;
  };
  /// The part of the reasons for one package that its error shows.
  struct Reasons {
    std::vector<Step> steps;    // breadth-first
    std::vector<EdgeId> ends;   // that are not among the steps
    std::vector<Chain> chains;  // to each end
    bool cut = false;
  };

  const Edge& edge(EdgeId id) const { return propagator_.edges()[id]; }
  void find_ends();
  std::vector<EdgeId> sorted_unmet() const;
  void reach(Position position, EdgeId end, std::vector<EdgeId>& reached);
  Reasons reasons_of(Position position) const;
  void add_steps(Position position, std::size_t previous, Reasons& reasons) const;
  bool expand(std::size_t at, std::set<Position>& seen, Reasons& reasons) const;
  void add_end(std::size_t at, Reasons& reasons) const;
  std::string describe(const Reasons& reasons) const;

  const Problem empty_problem_{};
  Propagator propagator_;
  Explanation explanation_;
  std::vector<EdgeId> ends_;          // by unmet edge: the nearest end
  std::vector<EdgeId> waiting_;       // by name: the first unmet edge whose end is not known,
  std::vector<EdgeId> next_waiting_;  // and by edge: the next one
};

Usability::Search::Search(const Repository& repository)
    : propagator_(repository, empty_problem_), explanation_(propagator_, empty_problem_) {
  propagator_.admit_all(Propagator::Mode::exact);
  for (Position position = 0; position < repository.size(); ++position) {
    static_cast<void>(propagator_.usable(position));
  }
  find_ends();
}

// Searches breadth-first from the ends. An unmet edge that is not an end accepts versions, and each
// of them is unusable because of some edge. Therefore the search reaches each unmet edge. It visits
// edges in the order of names and versions, because their ids depend on the order in which packages
// were added.
void Usability::Search::find_ends() {
  const auto count = propagator_.edges().size();
  ends_.assign(count, none);
  next_waiting_.assign(count, none);
  waiting_.assign(propagator_.repository().names() + 1, none);
  std::vector<EdgeId> reached;
  for (const EdgeId id : sorted_unmet()) {
    if (propagator_.accepted_by(edge(id)).empty()) {
      ends_[id] = id;
      reached.push_back(id);
    } else {
      next_waiting_[id] = std::exchange(waiting_[edge(id).name], id);
    }
  }
  std::vector<bool> seen(propagator_.repository().size());
  for (std::size_t at = 0; at < reached.size(); ++at) {
    const Position position = edge(reached[at]).requirer;
    if (seen[position] || propagator_.alive(position)) continue;
    seen[position] = true;
    reach(position, ends_[reached[at]], reached);
  }
}

std::vector<EdgeId> Usability::Search::sorted_unmet() const {
  std::vector<EdgeId> unmet;
  for (EdgeId id = 0; id < propagator_.edges().size(); ++id) {
    if (edge(id).unmet) unmet.push_back(id);
  }
  if (unmet.empty()) return unmet;  // the usual case; sorting all names takes long
  const Repository& repository = propagator_.repository();
  std::vector<NameId> names(repository.names());
  std::iota(names.begin(), names.end(), NameId{0});
  std::ranges::sort(names, {},
                    [&](NameId name) -> const std::string& { return repository.text(name); });
  std::vector<std::uint32_t> rank(names.size());
  for (std::uint32_t i = 0; i < names.size(); ++i) rank[names[i]] = i;
  std::ranges::sort(unmet, {}, [&](EdgeId id) {
    const Edge& one = edge(id);
    return std::tuple(rank[one.name], rank[propagator_.name(one.requirer)], one.requirer);
  });
  return unmet;
}

void Usability::Search::reach(Position position, EdgeId end, std::vector<EdgeId>& reached) {
  EdgeId* id = &waiting_[propagator_.name(position)];
  while (*id != none) {
    if (contains(propagator_.accepted_by(edge(*id)), position)) {
      ends_[*id] = end;
      reached.push_back(*id);
      *id = next_waiting_[*id];
    } else {
      id = &next_waiting_[*id];
    }
  }
}

// Breadth-first, so that the package's own requirements come first. Limited in length.
Usability::Search::Reasons Usability::Search::reasons_of(Position position) const {
  Reasons reasons;
  std::set<Position> seen{position};
  add_steps(position, none, reasons);
  for (std::size_t at = 0; at < reasons.steps.size(); ++at) {
    if (!expand(at, seen, reasons)) add_end(at, reasons);
  }
  if (reasons.chains.empty()) add_end(0, reasons);
  return reasons;
}

void Usability::Search::add_steps(Position position, std::size_t previous, Reasons& reasons) const {
  constexpr std::size_t most = 16;
  const Range edges = propagator_.edges_of(position);
  for (EdgeId id = edges.begin; id < edges.end && !reasons.cut; ++id) {
    if (!edge(id).unmet) continue;
    reasons.cut = reasons.steps.size() == most;
    if (!reasons.cut) reasons.steps.push_back({.edge = id, .previous = previous});
  }
}

/// Adds the unmet edges of the versions that a step accepts. Returns whether the steps show them,
/// these or earlier ones.
bool Usability::Search::expand(std::size_t at, std::set<Position>& seen, Reasons& reasons) const {
  const Edge& last = edge(reasons.steps[at].edge);
  const std::size_t count = reasons.steps.size();
  bool is_new = propagator_.accepted_by(last).empty();
  for (const Range& range : propagator_.accepted_by(last)) {
    for (Position position = range.begin; position < range.end && !reasons.cut; ++position) {
      if (!seen.insert(position).second) continue;
      is_new = true;
      add_steps(position, at, reasons);
    }
    is_new = is_new || reasons.cut;
  }
  return !is_new || reasons.steps.size() > count;
}

/// Adds the chain through a step to its nearest end.
void Usability::Search::add_end(std::size_t at, Reasons& reasons) const {
  const EdgeId last = reasons.steps[at].edge;
  const EdgeId end = ends_[last];
  Chain chain;
  if (end != last) {
    reasons.ends.push_back(end);
    chain.push_back(edge(end));
  }
  for (; at != none; at = reasons.steps[at].previous) chain.push_back(edge(reasons.steps[at].edge));
  std::reverse(chain.begin(), chain.end());
  reasons.chains.push_back(std::move(chain));
}

// "requires a.b/blur ^1; requires a.b/noise *; a.b/blur 1.2.0 requires a.b/colour ^2"
std::string Usability::Search::describe(const Reasons& reasons) const {
  const Position first = edge(reasons.steps[0].edge).requirer;
  std::string words;
  for (const Step& step : reasons.steps) {
    const Edge& shown = edge(step.edge);
    words += words.empty() ? "" : "; ";
    words += shown.requirer == first ? "requires " + explanation_.required(shown)
                                     : explanation_.statement(shown);
  }
  if (reasons.cut) words += "; ...";
  std::set<EdgeId> described;
  for (const EdgeId end : reasons.ends) {
    if (described.insert(end).second) words += "; " + explanation_.statement(edge(end));
  }
  return words;
}

Error Usability::Search::reason(PackageId id) {
  const Reasons reasons = reasons_of(propagator_.position(id));
  ErrorDetails details{.code = std::string(explanation_.code(reasons.chains[0].back())),
                       .message = describe(reasons),
                       .where = explanation_.requirer(reasons.chains[0][0])};
  std::set<std::string> reported;
  for (const Chain& chain : reasons.chains) {
    std::string needed = explanation_.required(chain.back());
    if (!reported.insert(needed).second) continue;
    const std::string_view between = details.needed.empty() ? "" : "; ";
    details.found.append(between).append(explanation_.found(chain.back()));
    details.needed.append(between).append(needed);
    details.fix.append(between).append(explanation_.fix(chain));
  }
  return Error(std::move(details));
}

Usability::Usability(const Repository& repository)
    : search_(repository.links().empty() ? nullptr : std::make_unique<Search>(repository)) {}
Usability::~Usability() = default;

bool Usability::usable(PackageId id) const {
  return search_ == nullptr || search_->usable(id);
}

Error Usability::reason(PackageId id) const {
  return search_->reason(id);
}

}}}  // namespace tenon::v0_1::detail
