// SPDX-License-Identifier: BSL-1.0
//
// The propagator: which versions a requirement accepts, and which of them are usable. A version is
// a position here. The versions of one name are contiguous, the preferred one first, so that a
// requirement accepts a few ranges of positions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "package/repository.hpp"
#include "package/resolver.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

using Position = std::uint32_t;
using EdgeId = std::uint32_t;

/// The half-open range from `begin` to `end`. Lists of ranges are sorted.
struct Range {
  std::uint32_t begin;
  std::uint32_t end;
};
using Ranges = std::span<const Range>;

/// Returns the intersection of two ranges. If it is empty, `begin` may be greater than `end`.
inline Range intersection(Range a, Range b) {
  return {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}
/// Replaces `ranges` with its intersection with `others`.
void intersect(std::vector<Range>& ranges, Ranges others);
inline bool contains(Ranges ranges, Position position) {
  for (const Range& range : ranges) {
    if (range.begin <= position && position < range.end) return true;
  }
  return false;
}

/// The requirements of one root or package on one name.
struct Edge {
  std::uint32_t root;            // the requirer is a root,
  Position requirer;             // or a version; the other one is none
  std::uint32_t link;            // index among the links of all packages, or those of the roots
  NameId name;                   // the number of names, if the repository does not know the name
  Range accepted = {};           // the accepted versions, if they are one range; otherwise
  std::uint32_t ranges = 0;      // this many ranges, in a shared array from `accepted.begin`
  Position provider = none;      // the version that the requirer gets, once selected
  EdgeId next_watcher = none;    // the next edge that watches the same version
  EdgeId next_requirer = none;   // the next edge that requires the same name
  bool requires_itself = false;  // the requirer has that name
  bool unmet = false;            // no accepted version is usable
  bool relaxed = false;          // unmet, but advisory: accepts any version of the name
};

/// Finds usable versions, lazily, and remembers the results.
class Propagator {
 public:
  Propagator(const Repository& repository, const Problem& problem);

  /// Returns whether the repository has any version of the lock.
  bool has_lock() const { return has_lock_; }

  /// Returns the positions of `Problem::used`.
  const std::vector<Position>& used() const { return used_; }

  /// Starts again. `admit_all` admits all versions and prefers locked ones. `admit_locked` admits
  /// only locked versions of the names in the lock, and all versions of other names. In optimistic
  /// mode a version is assumed to be usable if each of its requirements accepts some version: see
  /// `conflicting`.
  enum class Mode { exact, optimistic };
  void admit_all(Mode mode);
  void admit_locked(Mode mode);

  /// Continues with a subset of the versions. REQUIRED: all providers of the subset are in it.
  void restrict_to(const std::vector<Position>& chosen);

  /// Returns whether a version is usable: each of its edges accepts a usable version.
  bool usable(Position position) {
    return states_[position] == State::expanded || compute_usable(position);
  }

  /// Returns whether optimistic mode has met an unusable version, so that its results may be wrong.
  /// Otherwise the selected versions, and all versions that these require, are usable.
  bool conflicting() const { return conflicting_; }

  /// Returns whether a version is admitted and not known to be unusable.
  bool alive(Position position) const {
    return states_[position] == State::unvisited || states_[position] == State::expanded;
  }
  bool admitted(Position position) const { return states_[position] != State::excluded; }
  /// Returns whether a version is locked and therefore preferred.
  bool locked(Position position) const { return prefers_locked_ && locked_[position]; }

  /// Returns the preferred one of the versions in `ranges` that are alive, or none.
  Position preferred(Ranges ranges) const;
  /// Returns the same if it is locked, otherwise none.
  Position preferred_locked(Ranges ranges) const;

  /// Returns all edges. Those of the roots come first; those of a version are contiguous.
  std::vector<Edge>& edges() { return edges_; }
  const std::vector<Edge>& edges() const { return edges_; }
  Range edges_of_roots() const { return {0, static_cast<std::uint32_t>(roots_.size())}; }
  /// REQUIRED: usable(position) was called.
  Range edges_of(Position position) const { return edges_of_[position]; }

  /// Returns the versions that an edge accepts. Valid until `usable` is called.
  Ranges accepted_by(const Edge& edge) const {
    return {edge.ranges == 1 ? &edge.accepted : ranges_.data() + edge.accepted.begin, edge.ranges};
  }
  /// Returns the versions of `name` that one dependency accepts.
  std::vector<Range> accepted_by(const Dependency& dependency, NameId name) const;
  /// Returns all dependencies of an edge, or the first one.
  std::vector<const Dependency*> dependencies(const Edge& edge) const;
  const Dependency& dependency(const Edge& edge) const;

  const Repository& repository() const { return repository_; }
  PackageId package(Position position) const { return packages_[position]; }
  Position position(PackageId id) const { return positions_[id]; }
  NameId name(Position position) const { return repository_.name(packages_[position]); }
  Range versions(NameId name) const { return versions_[name]; }

 private:
  enum class State : std::uint8_t {
    excluded,  // not admitted
    unvisited,
    expanded,  // it has edges, and each of them watches a version that is alive
    unusable,
  };

  struct RootLink {
    std::uint32_t root;
    NameId name;
    Repository::ReleaseRange release_range;
    std::vector<const Dependency*> dependencies;
  };

  void add_versions();
  void add_roots(const Problem& problem);
  void add_lock(const Problem& problem);
  void reset(Mode mode, bool prefers_locked);
  void forget_dead();
  void add_edge(Edge edge, Repository::ReleaseRange range);
  bool find_by_range(Edge& edge, Repository::ReleaseRange range) const;
  void find_by_dependencies(Edge& edge);
  bool compute_usable(Position position);
  void expand(Position position);
  void watch(EdgeId id);
  void propagate();
  Position next_alive(Position position) const;

  const Repository& repository_;
  // By position, except positions_.
  std::vector<PackageId> packages_;
  std::vector<Position> positions_;  // by package id
  std::vector<std::uint64_t> packed_;
  std::vector<State> states_;
  std::vector<bool> locked_;
  // For a version that is not alive, a later position; no version in between is alive.
  mutable std::vector<Position> next_;
  std::vector<EdgeId> watchers_;  // the first edge of a list; an edge watches its preferred version
  std::vector<Range> edges_of_;
  // By name, with one more entry for names that the repository does not know.
  std::vector<Range> versions_;
  std::vector<bool> locked_names_;
  std::vector<bool> all_packed_;  // no version of the name has a packed version of 0

  std::vector<RootLink> roots_;
  std::vector<Position> used_;
  std::vector<Position> locked_positions_;  // ascending
  bool has_lock_ = false;
  bool prefers_locked_ = false;
  Mode mode_ = Mode::exact;
  bool conflicting_ = false;
  std::vector<Edge> edges_;
  std::vector<Range> ranges_;
  std::vector<Position> to_expand_;
  std::vector<Position> to_propagate_;  // unusable versions whose watchers must move on
};

}}}  // namespace tenon::v0_1::detail
