// SPDX-License-Identifier: BSL-1.0
#include "package/choice.hpp"

#include <algorithm>

#include "package/components.hpp"

namespace tenon::detail {

Choice::Choice(Candidates& candidates)
    : candidates_(candidates),
      edges_(candidates.edges()),
      requirers_(candidates.repository().names() + 1, none),
      served_by_(candidates.repository().names() + 1, none),
      component_of_(candidates.repository().names() + 1, none),
      is_queued_(candidates.repository().names() + 1),
      is_counted_(candidates.repository().size()),
      is_kept_(candidates.repository().size()) {
  const auto all = components(candidates);
  used_.resize(all.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    for (const NameId name : all[i]) component_of_[name] = i;
  }
  add_used();
  const Range roots = candidates_.edges_of_roots();
  for (EdgeId id = roots.begin; id < roots.end; ++id) {
    if (!edges_[id].unmet) add_requirer(id);
  }
  for (component_ = 0; component_ < all.size(); ++component_) settle(all[component_]);
}

void Choice::add_used() {
  for (const Position position : candidates_.used()) {
    if (!candidates_.usable(position)) continue;
    used_[component_of_[candidates_.name(position)]].push_back(position);
  }
}

bool Choice::side_by_side() const {
  std::vector<bool> seen(requirers_.size());
  for (const Position position : kept_) {
    const NameId name = candidates_.name(position);
    if (seen[name]) return true;
    seen[name] = true;
  }
  return false;
}

// Chooses for the names of a component until no requirer is new. A version that is chosen counts
// as a requirer from then on, also when it is left again, so that this comes to an end. So does
// what is in use, from the beginning. At last what those outside of the component get is kept, what
// is in use, and what these require; the rest is forgotten.
void Choice::settle(const std::vector<NameId>& component) {
  queue_.clear();
  std::vector<EdgeId> from_outside;
  for (const NameId name : component) {
    if (requirers_[name] == none) continue;
    for (EdgeId id = requirers_[name]; id != none; id = edges_[id].next_requirer) {
      from_outside.push_back(id);
    }
    is_queued_[name] = 1;
    queue_.push_back(name);
  }
  std::vector<Position> to_keep = used_[component_];
  for (const Position position : to_keep) count(position);
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const NameId name = queue_[next];
    is_queued_[name] = 0;
    choose(name);
  }
  for (const EdgeId id : from_outside) to_keep.push_back(edges_[id].provider);
  while (!to_keep.empty()) {
    const Position position = to_keep.back();
    to_keep.pop_back();
    keep(position, to_keep);
  }
}

void Choice::add_requirer(EdgeId id) {
  Edge& edge = edges_[id];
  edge.next_requirer = requirers_[edge.name];
  requirers_[edge.name] = id;
}

void Choice::count(Position position) {
  if (is_counted_[position] != 0) return;
  is_counted_[position] = 1;
  const Range edges = candidates_.edges_of(position);
  for (EdgeId id = edges.begin; id < edges.end; ++id) {
    const Edge& edge = edges_[id];
    if (edge.unmet || edge.provider == position || !inside(edge.name)) continue;
    add_requirer(id);
    if (is_served(id) || is_queued_[edge.name] != 0) continue;
    is_queued_[edge.name] = 1;
    queue_.push_back(edge.name);
  }
}

// One who takes what all others of that name have got gets it too, and changes nothing for them.
bool Choice::is_served(EdgeId id) {
  Edge& edge = edges_[id];
  const Position position = served_by_[edge.name];
  if (position == none || edge.of_itself) return false;
  if (!contains(candidates_.taken_by(edge), position)) return false;
  edge.provider = position;
  return true;
}

void Choice::keep(Position position, std::vector<Position>& to_keep) {
  if (position == none || is_kept_[position] != 0) return;
  is_kept_[position] = 1;
  kept_.push_back(position);
  const Range edges = candidates_.edges_of(position);
  for (EdgeId id = edges.begin; id < edges.end; ++id) {
    const Edge& edge = edges_[id];
    if (edge.unmet) continue;
    if (inside(edge.name)) {
      if (edge.provider != none && is_kept_[edge.provider] == 0) to_keep.push_back(edge.provider);
    } else {
      add_requirer(id);
    }
  }
}

// A package that requires another version of itself shares that with its like only: what it takes
// is nothing that those who want the package itself can be asked to take.
void Choice::choose(NameId name) {
  served_by_[name] = none;
  if (choose_simply(name)) return;
  of_others_.clear();
  of_itself_.clear();
  for (EdgeId id = requirers_[name]; id != none; id = edges_[id].next_requirer) {
    (edges_[id].of_itself ? of_itself_ : of_others_).push_back(id);
  }
  served_by_[name] = choose_for(name, of_others_);
  choose_for(name, of_itself_);
}

// The usual case: everybody takes one range of versions, and they have one in common.
bool Choice::choose_simply(NameId name) {
  Range common = candidates_.versions(name);
  for (EdgeId id = requirers_[name]; id != none; id = edges_[id].next_requirer) {
    if (edges_[id].of_itself || edges_[id].ranges != 1) return false;
    common = both(common, edges_[id].taken);
    if (common.begin >= common.end) return false;
  }
  const Position position = candidates_.preferred({&common, 1});
  if (position == none || !candidates_.usable(position)) return false;
  for (EdgeId id = requirers_[name]; id != none; id = edges_[id].next_requirer) {
    edges_[id].provider = position;
  }
  served_by_[name] = position;
  count(position);
  return true;
}

// Returns what all of them got, or none.
Position Choice::choose_for(NameId name, std::vector<EdgeId>& edges) {
  Position given = none;
  while (!edges.empty()) {
    Position position = taken_by_all(edges);
    if (position == none) position = most_wanted(name, edges);
    if (position == none) return none;  // of wishes, which turned out to be vain
    if (!candidates_.usable(position)) continue;
    give(position, edges);
    if (given == none && edges.empty()) return position;
    given = position;
  }
  return none;
}

void Choice::give(Position position, std::vector<EdgeId>& edges) {
  std::erase_if(edges, [&](EdgeId id) {
    Edge& edge = edges_[id];
    const bool takes = contains(candidates_.taken_by(edge), position);
    if (takes) edge.provider = position;
    return takes;
  });
  count(position);
}

Position Choice::taken_by_all(const std::vector<EdgeId>& edges) {
  const auto first = candidates_.taken_by(edges_[edges[0]]);
  common_.assign(first.begin(), first.end());
  for (const EdgeId id : edges) {
    intersect(common_, candidates_.taken_by(edges_[id]));
    if (common_.empty()) return none;
  }
  return candidates_.preferred(common_);
}

Position Choice::most_wanted(NameId name, const std::vector<EdgeId>& edges) {
  const Range versions = candidates_.versions(name);
  steps_.assign(versions.end - versions.begin + 1, 0);
  for (const EdgeId id : edges) {
    for (const Range& range : candidates_.taken_by(edges_[id])) {
      ++steps_[range.begin - versions.begin];
      --steps_[range.end - versions.begin];
    }
  }
  Position best = none;
  std::int64_t most = 0;
  std::int64_t wanted = 0;
  for (Position position = versions.begin; position < versions.end; ++position) {
    wanted += steps_[position - versions.begin];
    if (wanted == 0 || wanted < most || !candidates_.alive(position)) continue;
    const bool better =
        wanted > most || (candidates_.locked(position) && !candidates_.locked(best));
    if (!better) continue;
    best = position;
    most = wanted;
  }
  return best;
}

}  // namespace tenon::detail
