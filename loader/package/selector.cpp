// SPDX-License-Identifier: BSL-1.0
#include "package/selector.hpp"

#include <algorithm>
#include <utility>

#include "package/strongly_connected_components.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

Selector::Selector(Propagator& propagator)
    : propagator_(propagator),
      edges_(propagator.edges()),
      requirers_(propagator.repository().names() + 1, none),
      common_provider_(propagator.repository().names() + 1, none),
      component_of_(propagator.repository().names() + 1, none),
      is_queued_(propagator.repository().names() + 1),
      is_counted_(propagator.repository().size()),
      is_kept_(propagator.repository().size()) {
  const Components all = strongly_connected_components(propagator);
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    for (const NameId name : all[i]) component_of_[name] = i;
  }
  add_used();
  const Range roots = propagator_.edges_of_roots();
  for (EdgeId id = roots.begin; id < roots.end; ++id) {
    if (!edges_[id].unmet) add_requirer(id);
  }
  for (component_ = 0; component_ < all.size(); ++component_) select(all[component_]);
}

void Selector::add_used() {
  for (const Position position : propagator_.used()) {
    if (!propagator_.usable(position)) continue;
    used_.emplace_back(component_of_[propagator_.name(position)], position);
  }
  std::ranges::stable_sort(used_, {}, &std::pair<std::uint32_t, Position>::first);
}

bool Selector::side_by_side() const {
  std::vector<bool> seen(requirers_.size());
  for (const Position position : kept_) {
    const NameId name = propagator_.name(position);
    if (seen[name]) return true;
    seen[name] = true;
  }
  return false;
}

// Chooses versions for the names of a component until there are no new requirers. A chosen version
// counts as a requirer from then on, even if it is dropped again; therefore the loop ends. Versions
// of `Problem::used` count from the start. Finally keeps the providers of requirers outside of the
// component, the used versions, and all that these require.
void Selector::select(std::span<const NameId> component) {
  queue_.clear();
  from_outside_.clear();
  for (const NameId name : component) {
    if (requirers_[name] == none) continue;
    for (EdgeId id = requirers_[name]; id != none; id = edges_[id].next_requirer) {
      from_outside_.push_back(id);
    }
    is_queued_[name] = 1;
    queue_.push_back(name);
  }
  to_keep_.clear();
  for (; next_used_ < used_.size() && used_[next_used_].first == component_; ++next_used_)
    to_keep_.push_back(used_[next_used_].second);
  for (const Position position : to_keep_) count_as_requirer(position);
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const NameId name = queue_[next];
    is_queued_[name] = 0;
    choose(name);
  }
  for (const EdgeId id : from_outside_) to_keep_.push_back(edges_[id].provider);
  while (!to_keep_.empty()) {
    const Position position = to_keep_.back();
    to_keep_.pop_back();
    keep(position);
  }
}

void Selector::add_requirer(EdgeId id) {
  Edge& edge = edges_[id];
  edge.next_requirer = requirers_[edge.name];
  requirers_[edge.name] = id;
}

void Selector::count_as_requirer(Position position) {
  if (is_counted_[position] != 0) return;
  is_counted_[position] = 1;
  const Range edges = propagator_.edges_of(position);
  for (EdgeId id = edges.begin; id < edges.end; ++id) {
    const Edge& edge = edges_[id];
    if (edge.unmet || edge.provider == position || !in_component(edge.name)) continue;
    add_requirer(id);
    if (reuse_provider(id) || is_queued_[edge.name] != 0) continue;
    is_queued_[edge.name] = 1;
    queue_.push_back(edge.name);
  }
}

// Assigns the version that all other requirers of the name got, if the edge accepts it and does not
// prefer a locked one. Returns whether it did. Nothing changes for the others.
bool Selector::reuse_provider(EdgeId id) {
  Edge& edge = edges_[id];
  const Position position = common_provider_[edge.name];
  if (position == none || edge.requires_itself) return false;
  const Ranges accepted = propagator_.accepted_by(edge);
  if (!contains(accepted, position)) return false;
  if (!propagator_.locked(position) && propagator_.preferred_locked(accepted) != none) return false;
  edge.provider = position;
  return true;
}

void Selector::keep(Position position) {
  if (position == none || is_kept_[position] != 0) return;
  is_kept_[position] = 1;
  kept_.push_back(position);
  const Range edges = propagator_.edges_of(position);
  for (EdgeId id = edges.begin; id < edges.end; ++id) {
    const Edge& edge = edges_[id];
    if (edge.unmet) continue;
    if (in_component(edge.name)) {
      if (edge.provider != none && is_kept_[edge.provider] == 0) to_keep_.push_back(edge.provider);
    } else {
      add_requirer(id);
    }
  }
}

// Packages that require another version of themselves share versions only with each other, since
// their choice must not restrict those that require the package itself.
void Selector::choose(NameId name) {
  common_provider_[name] = none;
  if (choose_common(name)) return;
  on_others_.clear();
  on_itself_.clear();
  for (EdgeId id = requirers_[name]; id != none; id = edges_[id].next_requirer) {
    (edges_[id].requires_itself ? on_itself_ : on_others_).push_back(id);
  }
  common_provider_[name] = choose_for(name, on_others_);
  choose_for(name, on_itself_);
}

// The usual case: each requirer accepts one range of versions, and the ranges overlap.
bool Selector::choose_common(NameId name) {
  const Range all = propagator_.versions(name);
  Range common = all;
  for (EdgeId id = requirers_[name]; id != none; id = edges_[id].next_requirer) {
    if (edges_[id].requires_itself || edges_[id].ranges != 1) return false;
    common = intersection(common, edges_[id].accepted);
    if (common.begin >= common.end) return false;
  }
  const Position position = propagator_.preferred({&common, 1});
  if (position == none || !propagator_.usable(position)) return false;
  if (!propagator_.locked(position) && propagator_.preferred_locked({&all, 1}) != none)
    return false;
  for (EdgeId id = requirers_[name]; id != none; id = edges_[id].next_requirer) {
    edges_[id].provider = position;
  }
  common_provider_[name] = position;
  count_as_requirer(position);
  return true;
}

// Returns the version that all edges got, or none if they got several.
Position Selector::choose_for(NameId name, std::vector<EdgeId>& edges) {
  Position given = none;
  while (!edges.empty()) {
    Position position = accepted_by_all(edges);
    if (position == none || (!propagator_.locked(position) && accept_locked(edges))) {
      position = most_accepted(name, edges);
    }
    if (position == none) return none;  // advisory requirements that nothing meets
    if (!propagator_.usable(position)) continue;
    assign(position, edges);
    if (given == none && edges.empty()) return position;
    given = position;
  }
  return none;
}

void Selector::assign(Position position, std::vector<EdgeId>& edges) {
  std::erase_if(edges, [&](EdgeId id) {
    Edge& edge = edges_[id];
    const bool accepts = contains(propagator_.accepted_by(edge), position);
    if (accepts) edge.provider = position;
    return accepts;
  });
  count_as_requirer(position);
}

Position Selector::accepted_by_all(const std::vector<EdgeId>& edges) {
  const auto first = propagator_.accepted_by(edges_[edges[0]]);
  common_.assign(first.begin(), first.end());
  for (const EdgeId id : edges) {
    intersect(common_, propagator_.accepted_by(edges_[id]));
    if (common_.empty()) return none;
  }
  return propagator_.preferred(common_);
}

// Returns whether some requirer accepts a locked version, which it should get even if all of them
// accept another one.
bool Selector::accept_locked(const std::vector<EdgeId>& edges) const {
  return std::ranges::any_of(edges, [this](EdgeId id) {
    return propagator_.preferred_locked(propagator_.accepted_by(edges_[id])) != none;
  });
}

// Locked versions take precedence. A requirer that the lock does not suit would otherwise move
// others away from their locked versions.
Position Selector::most_accepted(NameId name, const std::vector<EdgeId>& edges) {
  const Range versions = propagator_.versions(name);
  steps_.assign(versions.end - versions.begin + 1, 0);
  for (const EdgeId id : edges) {
    for (const Range& range : propagator_.accepted_by(edges_[id])) {
      ++steps_[range.begin - versions.begin];
      --steps_[range.end - versions.begin];
    }
  }
  Position best = none;
  std::pair highest(false, std::int64_t{0});
  std::int64_t accepting = 0;
  for (Position position = versions.begin; position < versions.end; ++position) {
    accepting += steps_[position - versions.begin];
    if (accepting == 0 || !propagator_.alive(position)) continue;
    const std::pair rank(propagator_.locked(position), accepting);
    if (rank <= highest) continue;
    best = position;
    highest = rank;
  }
  return best;
}

}}}  // namespace tenon::v0_1::detail
