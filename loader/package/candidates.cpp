// SPDX-License-Identifier: BSL-1.0
#include "package/candidates.hpp"

#include <algorithm>

namespace tenon::detail {
namespace {

// Adds what `interval` takes of the versions from `begin` to `end`, the newest of which is first.
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
    ranges[0] = both(ranges[0], others[0]);
    if (ranges[0].begin >= ranges[0].end) ranges.clear();
    return;
  }
  std::vector<Range> result;
  for (std::size_t i = 0, j = 0; i < ranges.size() && j < others.size();) {
    const Range common = both(ranges[i], others[j]);
    if (common.begin < common.end) result.push_back(common);
    ranges[i].end < others[j].end ? ++i : ++j;
  }
  ranges = std::move(result);
}

Candidates::Candidates(const Repository& repository, const Question& question)
    : repository_(repository) {
  add_versions();
  add_roots(question);
  add_lock(question);
  for (const PackageId id : question.used) used_.push_back(positions_[id]);
}

void Candidates::add_versions() {
  packages_.reserve(repository_.size());
  positions_.resize(repository_.size());
  numbers_.reserve(repository_.size());
  versions_.reserve(repository_.names() + 1);
  for (NameId name = 0; name < repository_.names(); ++name) {
    const auto begin = static_cast<Position>(packages_.size());
    for (const PackageId id : repository_.versions(name)) {
      positions_[id] = static_cast<Position>(packages_.size());
      packages_.push_back(id);
      numbers_.push_back(repository_.numbers(id));
    }
    versions_.push_back({begin, static_cast<Position>(packages_.size())});
    has_numbers_.push_back(std::find(numbers_.begin() + begin, numbers_.end(), 0) ==
                           numbers_.end());
  }
  const auto end = static_cast<Position>(packages_.size());
  versions_.push_back({end, end});
  has_numbers_.push_back(false);
}

void Candidates::add_roots(const Question& question) {
  std::vector<EdgeId> edge_of(versions_.size(), none);  // of each name: the last edge of a root
  for (std::uint32_t root = 0; root < question.roots.size(); ++root) {
    const auto first = static_cast<EdgeId>(roots_.size());
    for (const Need& need : question.roots[root].needs) {
      const auto known = repository_.find_name(need.name);
      const auto name = known == none ? static_cast<NameId>(repository_.names()) : known;
      const EdgeId same = edge_of[name];
      if (known != none && same != none && same >= first) {
        roots_[same].needs.push_back(&need);
        roots_[same].numbers = {};
        continue;
      }
      edge_of[name] = static_cast<EdgeId>(roots_.size());
      roots_.push_back({.root = root,
                        .name = name,
                        .numbers = Repository::numbers(need.versions),
                        .needs = {&need}});
    }
  }
}

void Candidates::add_lock(const Question& question) {
  locked_.assign(packages_.size(), false);
  locked_names_.assign(versions_.size(), false);
  for (const auto& [text, version] : question.lock) {
    const auto id = repository_.find(text, version);
    if (id == none) continue;
    locked_[positions_[id]] = true;
    locked_names_[repository_.name(id)] = true;
    has_lock_ = true;
  }
}

void Candidates::admit_all(Mode mode) {
  states_.assign(packages_.size(), State::untouched);
  begin(mode, true);
}

void Candidates::admit_locked(Mode mode) {
  states_.resize(packages_.size());
  for (Position position = 0; position < packages_.size(); ++position) {
    const bool out = locked_names_[name(position)] && !locked_[position];
    states_[position] = out ? State::outside : State::untouched;
  }
  begin(mode, false);
}

void Candidates::keep_only(const std::vector<Position>& chosen) {
  states_.assign(packages_.size(), State::outside);
  for (const Position position : chosen) states_[position] = State::open;
}

void Candidates::begin(Mode mode, bool prefers_locked) {
  mode_ = mode;
  disappointed_ = false;
  prefers_locked_ = prefers_locked && has_lock_;
  watchers_.assign(packages_.size(), none);
  edges_of_.resize(packages_.size());
  edges_.clear();
  ranges_.clear();
  for (std::uint32_t i = 0; i < roots_.size(); ++i) {
    const RootLink& of = roots_[i];
    add_edge({.root = of.root, .requirer = none, .link = i, .name = of.name}, of.numbers);
  }
  for (EdgeId id = 0; id < roots_.size(); ++id) watch(id);
  drain();
}

void Candidates::add_edge(Edge edge, Repository::Numbers numbers) {
  if (!find_by_numbers(edge, numbers)) find_by_needs(edge);
  edges_.push_back(edge);
}

// The usual case, in which nothing but few numbers has to be looked at.
bool Candidates::find_by_numbers(Edge& edge, Repository::Numbers numbers) const {
  if (numbers.high == 0 || !has_numbers_[edge.name]) return false;
  const Position begin = versions_[edge.name].begin;
  const Position end = begin + repository_.releases(edge.name);
  edge.taken = {begin, begin};
  for (Position at = begin; at < end; ++at) {
    edge.taken.begin += numbers_[at] >= numbers.high ? 1 : 0;
    edge.taken.end += numbers_[at] >= numbers.low ? 1 : 0;
  }
  edge.ranges = edge.taken.begin < edge.taken.end ? 1 : 0;
  return true;
}

void Candidates::find_by_needs(Edge& edge) {
  std::vector<Range> taken = {versions_[edge.name]};
  for (const Need* need : needs(edge)) intersect(taken, taken_by(*need, edge.name));
  edge.ranges = static_cast<std::uint32_t>(taken.size());
  if (taken.size() == 1) {
    edge.taken = taken[0];
  } else {
    edge.taken.begin = static_cast<std::uint32_t>(ranges_.size());
    ranges_.insert(ranges_.end(), taken.begin(), taken.end());
  }
}

bool Candidates::is_found_usable(Position position) {
  if (states_[position] == State::untouched) {
    to_open_.push_back(position);
    drain();
  }
  return states_[position] == State::open;
}

// Until every edge of what is open watches something that is open: what holds up like that is
// usable, circles too. What does not hold up tells those who watch it.
void Candidates::drain() {
  while (!to_open_.empty() || !to_tell_.empty()) {
    if (to_tell_.empty()) {
      const Position position = to_open_.back();
      to_open_.pop_back();
      if (states_[position] == State::untouched) open(position);
      continue;
    }
    const Position position = to_tell_.back();
    to_tell_.pop_back();
    for (EdgeId id = watchers_[position]; id != none;) {
      const EdgeId next = edges_[id].next_watcher;
      watch(id);
      id = next;
    }
    watchers_[position] = none;
  }
}

void Candidates::open(Position position) {
  states_[position] = State::open;
  Range& edges = edges_of_[position];
  edges.begin = static_cast<EdgeId>(edges_.size());
  const PackageId id = packages_[position];
  for (auto link = repository_.first_link(id); link < repository_.end_link(id); ++link) {
    const NameId required = repository_.links()[link].name;
    add_edge({.root = none,
              .requirer = position,
              .link = link,
              .name = required,
              .of_itself = required == repository_.name(id)},
             repository_.numbers_of_links()[link]);
  }
  edges.end = static_cast<EdgeId>(edges_.size());
  for (EdgeId id = edges.begin; id < edges.end; ++id) watch(id);
}

void Candidates::watch(EdgeId id) {
  Edge& edge = edges_[id];
  if (edge.of_itself && contains(taken_by(edge), edge.requirer)) {
    edge.provider = edge.requirer;
    return;
  }
  const bool wish = edge.requirer != none && repository_.dev(packages_[edge.requirer]);
  Position favourite = preferred(taken_by(edge));
  if (favourite == none && wish) {
    edge.relaxed = true;
    edge.taken = versions_[edge.name];
    edge.ranges = 1;
    favourite = preferred(taken_by(edge));
  }
  if (favourite != none) {
    edge.next_watcher = watchers_[favourite];
    watchers_[favourite] = id;
    if (mode_ == Mode::exact && states_[favourite] == State::untouched) {
      to_open_.push_back(favourite);
    }
    return;
  }
  edge.unmet = true;
  disappointed_ = true;
  if (edge.requirer != none && !wish && states_[edge.requirer] == State::open) {
    states_[edge.requirer] = State::unusable;
    to_tell_.push_back(edge.requirer);
  }
}

Position Candidates::preferred(Ranges ranges) const {
  Position best = none;
  for (const Range& range : ranges) {
    for (Position position = range.begin; position < range.end; ++position) {
      if (!alive(position)) continue;
      if (!prefers_locked_ || locked_[position]) return position;
      if (best == none) best = position;
    }
  }
  return best;
}

std::vector<Range> Candidates::taken_by(const Need& need, NameId name) const {
  std::vector<Range> taken;
  if (name == repository_.names()) return taken;
  const auto versions = repository_.versions(name);
  const auto releases = versions.first(repository_.releases(name));
  const auto prereleases = versions.subspan(releases.size());
  auto offset = versions_[name].begin;
  const auto& of_releases = need.versions.releases();
  std::for_each(of_releases.rbegin(), of_releases.rend(), [&](const Interval& interval) {
    add_range(repository_, releases, offset, interval, taken);
  });
  offset += repository_.releases(name);
  const auto& of_prereleases = need.versions.prereleases();
  std::for_each(of_prereleases.rbegin(), of_prereleases.rend(), [&](const Interval& interval) {
    add_range(repository_, prereleases, offset, interval, taken);
  });
  return taken;
}

const Need& Candidates::need(const Edge& edge) const {
  if (edge.requirer == none) return *roots_[edge.link].needs[0];
  return repository_.need(packages_[edge.requirer], repository_.links()[edge.link]);
}

std::vector<const Need*> Candidates::needs(const Edge& edge) const {
  if (edge.requirer == none) return roots_[edge.link].needs;
  const auto& link = repository_.links()[edge.link];
  std::vector<const Need*> all;
  for (std::uint32_t i = 0; i < link.count; ++i) all.push_back(&need(edge) + i);
  return all;
}

}  // namespace tenon::detail
