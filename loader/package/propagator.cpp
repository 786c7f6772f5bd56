// SPDX-License-Identifier: BSL-1.0
#include "package/propagator.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// Adds the range of `versions`, which start at position `offset` with the newest one, that are in
// `interval`.
void add_range(const Repository& repository, std::span<const PackageId> versions,
               std::uint32_t offset, const Interval& interval, std::vector<Range>& ranges) {
  const auto at_least = [&](const Version& low) {
    return [&](PackageId id) { return total_order(repository.package(id).version, low) >= 0; };
  };
  const auto first = versions.begin();
  const auto begin =
      interval.high ? std::partition_point(first, versions.end(), at_least(*interval.high)) : first;
  const auto end = std::partition_point(begin, versions.end(), at_least(interval.low));
  if (begin == end) return;
  ranges.push_back({offset + static_cast<std::uint32_t>(begin - first),
                    offset + static_cast<std::uint32_t>(end - first)});
}

}  // namespace

void intersect(std::vector<Range>& ranges, Ranges others) {
  if (ranges.size() == 1 && others.size() == 1) {
    ranges[0] = intersection(ranges[0], others[0]);
    if (ranges[0].begin >= ranges[0].end) ranges.clear();
    return;
  }
  std::vector<Range> result;
  for (std::size_t i = 0, j = 0; i < ranges.size() && j < others.size();) {
    const Range common = intersection(ranges[i], others[j]);
    if (common.begin < common.end) result.push_back(common);
    ranges[i].end < others[j].end ? ++i : ++j;
  }
  ranges = std::move(result);
}

Propagator::Propagator(const Repository& repository, const Problem& problem)
    : repository_(repository) {
  add_versions();
  add_roots(problem);
  add_lock(problem);
  for (const PackageId id : problem.used) used_.push_back(positions_[id]);
}

void Propagator::add_versions() {
  packages_.reserve(repository_.size());
  positions_.resize(repository_.size());
  packed_.reserve(repository_.size());
  versions_.reserve(repository_.names() + 1);
  for (NameId name = 0; name < repository_.names(); ++name) {
    const auto begin = static_cast<Position>(packages_.size());
    for (const PackageId id : repository_.versions(name)) {
      positions_[id] = static_cast<Position>(packages_.size());
      packages_.push_back(id);
      packed_.push_back(repository_.packed(id));
    }
    versions_.push_back({begin, static_cast<Position>(packages_.size())});
    all_packed_.push_back(std::find(packed_.begin() + begin, packed_.end(), 0) == packed_.end());
  }
  const auto end = static_cast<Position>(packages_.size());
  versions_.push_back({end, end});
  all_packed_.push_back(false);
}

void Propagator::add_roots(const Problem& problem) {
  std::vector<EdgeId> edge_of(versions_.size(), none);  // by name: the last root edge
  for (std::uint32_t root = 0; root < problem.roots.size(); ++root) {
    const auto first = static_cast<EdgeId>(roots_.size());
    for (const Dependency& dependency : problem.roots[root].dependencies) {
      const auto known = repository_.find_name(dependency.name);
      const auto name = known == none ? static_cast<NameId>(repository_.names()) : known;
      const EdgeId same = edge_of[name];
      if (known != none && same != none && same >= first) {
        roots_[same].dependencies.push_back(&dependency);
        roots_[same].release_range = {};
        continue;
      }
      edge_of[name] = static_cast<EdgeId>(roots_.size());
      roots_.push_back({.root = root,
                        .name = name,
                        .release_range = Repository::release_range(dependency.versions),
                        .dependencies = {&dependency}});
    }
  }
}

void Propagator::add_lock(const Problem& problem) {
  locked_.assign(packages_.size(), false);
  locked_names_.assign(versions_.size(), false);
  for (const auto& [text, version] : problem.lock) {
    const auto id = repository_.find(text, version);
    if (id == none) continue;
    locked_[positions_[id]] = true;
    locked_positions_.push_back(positions_[id]);
    locked_names_[repository_.name(id)] = true;
    has_lock_ = true;
  }
  std::ranges::sort(locked_positions_);
}

void Propagator::admit_all(Mode mode) {
  states_.assign(packages_.size(), State::unvisited);
  reset(mode, true);
}

void Propagator::admit_locked(Mode mode) {
  states_.resize(packages_.size());
  for (Position position = 0; position < packages_.size(); ++position) {
    const bool out = locked_names_[name(position)] && !locked_[position];
    states_[position] = out ? State::excluded : State::unvisited;
  }
  reset(mode, false);
}

void Propagator::restrict_to(const std::vector<Position>& chosen) {
  states_.assign(packages_.size(), State::excluded);
  for (const Position position : chosen) states_[position] = State::expanded;
  forget_dead();
}

void Propagator::forget_dead() {
  next_.resize(packages_.size());
  std::iota(next_.begin(), next_.end(), Position{1});
}

void Propagator::reset(Mode mode, bool prefers_locked) {
  mode_ = mode;
  conflicting_ = false;
  prefers_locked_ = prefers_locked && has_lock_;
  forget_dead();
  watchers_.assign(packages_.size(), none);
  edges_of_.resize(packages_.size());
  edges_.clear();
  ranges_.clear();
  for (std::uint32_t i = 0; i < roots_.size(); ++i) {
    const RootLink& of = roots_[i];
    add_edge({.root = of.root, .requirer = none, .link = i, .name = of.name}, of.release_range);
  }
  for (EdgeId id = 0; id < roots_.size(); ++id) watch(id);
  propagate();
}

void Propagator::add_edge(Edge edge, Repository::ReleaseRange range) {
  if (!find_by_range(edge, range)) find_by_dependencies(edge);
  edges_.push_back(edge);
}

// The usual case, in which comparing packed versions is enough.
bool Propagator::find_by_range(Edge& edge, Repository::ReleaseRange range) const {
  if (range.high == 0 || !all_packed_[edge.name]) return false;
  const Position begin = versions_[edge.name].begin;
  const Position end = begin + repository_.releases(edge.name);
  edge.accepted = {begin, begin};
  for (Position at = begin; at < end; ++at) {
    edge.accepted.begin += packed_[at] >= range.high ? 1 : 0;
    edge.accepted.end += packed_[at] >= range.low ? 1 : 0;
  }
  edge.ranges = edge.accepted.begin < edge.accepted.end ? 1 : 0;
  return true;
}

void Propagator::find_by_dependencies(Edge& edge) {
  std::vector<Range> accepted = {versions_[edge.name]};
  for (const Dependency* dependency : dependencies(edge))
    intersect(accepted, accepted_by(*dependency, edge.name));
  edge.ranges = static_cast<std::uint32_t>(accepted.size());
  if (accepted.size() == 1) {
    edge.accepted = accepted[0];
  } else {
    edge.accepted.begin = static_cast<std::uint32_t>(ranges_.size());
    ranges_.insert(ranges_.end(), accepted.begin(), accepted.end());
  }
}

bool Propagator::compute_usable(Position position) {
  if (states_[position] == State::unvisited) {
    to_expand_.push_back(position);
    propagate();
  }
  return states_[position] == State::expanded;
}

// In exact mode, runs until each edge of each expanded version watches an expanded version. These
// versions are usable, even if they require each other in cycles. The edges that watch an unusable
// version move to another one.
void Propagator::propagate() {
  while (!to_expand_.empty() || !to_propagate_.empty()) {
    if (to_propagate_.empty()) {
      const Position position = to_expand_.back();
      to_expand_.pop_back();
      if (states_[position] == State::unvisited) expand(position);
      continue;
    }
    const Position position = to_propagate_.back();
    to_propagate_.pop_back();
    for (EdgeId id = watchers_[position]; id != none;) {
      const EdgeId next = edges_[id].next_watcher;
      watch(id);
      id = next;
    }
    watchers_[position] = none;
  }
}

void Propagator::expand(Position position) {
  states_[position] = State::expanded;
  Range& edges = edges_of_[position];
  edges.begin = static_cast<EdgeId>(edges_.size());
  const PackageId id = packages_[position];
  for (auto link = repository_.first_link(id); link < repository_.end_link(id); ++link) {
    const NameId required = repository_.links()[link].name;
    add_edge({.root = none,
              .requirer = position,
              .link = link,
              .name = required,
              .requires_itself = required == repository_.name(id)},
             repository_.release_ranges()[link]);
  }
  edges.end = static_cast<EdgeId>(edges_.size());
  for (EdgeId id = edges.begin; id < edges.end; ++id) watch(id);
}

void Propagator::watch(EdgeId id) {
  Edge& edge = edges_[id];
  if (edge.requires_itself && contains(accepted_by(edge), edge.requirer)) {
    edge.provider = edge.requirer;
    return;
  }
  const bool advisory = edge.requirer != none && repository_.dev(packages_[edge.requirer]);
  Position watched = preferred(accepted_by(edge));
  if (watched == none && advisory) {
    edge.relaxed = true;
    edge.accepted = versions_[edge.name];
    edge.ranges = 1;
    watched = preferred(accepted_by(edge));
  }
  if (watched != none) {
    edge.next_watcher = watchers_[watched];
    watchers_[watched] = id;
    if (mode_ == Mode::exact && states_[watched] == State::unvisited) {
      to_expand_.push_back(watched);
    }
    return;
  }
  edge.unmet = true;
  conflicting_ = true;
  if (edge.requirer != none && !advisory && states_[edge.requirer] == State::expanded) {
    states_[edge.requirer] = State::unusable;
    to_propagate_.push_back(edge.requirer);
  }
}

Position Propagator::preferred(Ranges ranges) const {
  if (const Position locked = preferred_locked(ranges); locked != none) return locked;
  for (const Range& range : ranges) {
    const Position first = next_alive(range.begin);
    if (first < range.end) return first;
  }
  return none;
}

Position Propagator::preferred_locked(Ranges ranges) const {
  if (!prefers_locked_) return none;
  for (const Range& range : ranges) {
    auto locked = std::ranges::lower_bound(locked_positions_, range.begin);
    for (; locked != locked_positions_.end() && *locked < range.end; ++locked) {
      if (alive(*locked)) return *locked;
    }
  }
  return none;
}

// Versions stay dead until the next reset. The path to the result is shortened, so that thousands
// of edges that move over thousands of dead versions take nearly linear time.
Position Propagator::next_alive(Position position) const {
  Position found = position;
  while (found < next_.size() && !alive(found)) found = next_[found];
  while (position < found) position = std::exchange(next_[position], found);
  return found;
}

std::vector<Range> Propagator::accepted_by(const Dependency& dependency, NameId name) const {
  std::vector<Range> accepted;
  if (name == repository_.names()) return accepted;
  const auto versions = repository_.versions(name);
  const auto releases = versions.first(repository_.releases(name));
  const auto prereleases = versions.subspan(releases.size());
  auto offset = versions_[name].begin;
  const auto& of_releases = dependency.versions.releases();
  std::for_each(of_releases.rbegin(), of_releases.rend(), [&](const Interval& interval) {
    add_range(repository_, releases, offset, interval, accepted);
  });
  offset += repository_.releases(name);
  const auto& of_prereleases = dependency.versions.prereleases();
  std::for_each(of_prereleases.rbegin(), of_prereleases.rend(), [&](const Interval& interval) {
    add_range(repository_, prereleases, offset, interval, accepted);
  });
  return accepted;
}

const Dependency& Propagator::dependency(const Edge& edge) const {
  if (edge.requirer == none) return *roots_[edge.link].dependencies[0];
  return repository_.dependency(packages_[edge.requirer], repository_.links()[edge.link]);
}

std::vector<const Dependency*> Propagator::dependencies(const Edge& edge) const {
  if (edge.requirer == none) return roots_[edge.link].dependencies;
  const auto& link = repository_.links()[edge.link];
  std::vector<const Dependency*> all;
  for (std::uint32_t i = 0; i < link.count; ++i) all.push_back(&dependency(edge) + i);
  return all;
}

}}}  // namespace tenon::v0_1::detail
