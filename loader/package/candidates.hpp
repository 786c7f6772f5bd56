// SPDX-License-Identifier: BSL-1.0
//
// What the resolver chooses from: which versions a requirement takes and which of them are usable.
// Versions are positions here. Those of one name stand in one row, the preferred one first, so
// that the versions a requirement takes are few ranges of positions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "package/repository.hpp"
#include "package/resolver.hpp"

namespace tenon::detail {

using Position = std::uint32_t;
using EdgeId = std::uint32_t;

/// From `begin` on, up to and without `end`. Several are sorted.
struct Range {
  std::uint32_t begin;
  std::uint32_t end;
};
using Ranges = std::span<const Range>;

/// What is in both; may be empty, with `begin` behind `end`.
inline Range both(Range a, Range b) {
  return {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}
/// Leaves in `ranges` what is in `others` too.
void intersect(std::vector<Range>& ranges, Ranges others);
inline bool contains(Ranges ranges, Position position) {
  for (const Range& range : ranges) {
    if (range.begin <= position && position < range.end) return true;
  }
  return false;
}

/// What one requirer, a root or a package, requires of one name.
struct Edge {
  std::uint32_t root;           // the requirer: a root...
  Position requirer;            // ... or a version; the other one is none
  std::uint32_t link;           // its place among the links of all packages, then of the roots
  NameId name;                  // the number of all names where no package has that name
  Range taken = {};             // the versions that it takes; but where that are several ranges...
  std::uint32_t ranges = 0;     // ... as many, from `taken.begin` on among all ranges
  Position provider = none;     // what the requirer gets, once that is chosen
  EdgeId next_watcher = none;   // the next that looks at the same version
  EdgeId next_requirer = none;  // the next that requires the same name
  bool of_itself = false;       // the requirer has that name
  bool unmet = false;           // no usable version is left for it
  bool relaxed = false;         // a wish that could not be granted: any version of the name
};

/// Versions are looked at when they are asked for, and what has been found is kept.
class Candidates {
 public:
  Candidates(const Repository& repository, const Question& question);

  /// Whether the lock names a version that is there.
  bool has_lock() const { return has_lock_; }

  /// The versions that the question says are in use.
  const std::vector<Position>& used() const { return used_; }

  /// Begins anew: with all versions, where locked ones are preferred, or with those that are
  /// locked, and all of the names that the lock does not name. A hopeful beginning takes each
  /// version for usable whose own requirements take some version: see `disappointed`.
  enum class Mode { exact, hopeful };
  void admit_all(Mode mode);
  void admit_locked(Mode mode);

  /// Goes on with some of the versions only. REQUIRED: these get from each other all they get.
  void keep_only(const std::vector<Position>& chosen);

  /// Whether a version can be used at all: each of its edges finds a usable version.
  bool usable(Position position) {
    return states_[position] == State::open || is_found_usable(position);
  }

  /// Whether a hopeful beginning has met anything that is unusable, so that what was made of it
  /// may be wrong. If not, what was chosen and what that requires is usable.
  bool disappointed() const { return disappointed_; }

  /// Whether a version is admitted and nobody has found yet that it is unusable.
  bool alive(Position position) const {
    return states_[position] == State::untouched || states_[position] == State::open;
  }
  bool admitted(Position position) const { return states_[position] != State::outside; }
  bool locked(Position position) const { return prefers_locked_ && locked_[position]; }

  /// The preferred of the versions in `ranges` that are alive.
  Position preferred(Ranges ranges) const;

  /// Edges of the roots come first; those of a version stand in one row.
  std::vector<Edge>& edges() { return edges_; }
  const std::vector<Edge>& edges() const { return edges_; }
  Range edges_of_roots() const { return {0, static_cast<std::uint32_t>(roots_.size())}; }
  /// REQUIRED: somebody has asked whether it is usable.
  Range edges_of(Position position) const { return edges_of_[position]; }

  /// The versions that an edge takes. Valid until `usable` is called.
  Ranges taken_by(const Edge& edge) const {
    return {edge.ranges == 1 ? &edge.taken : ranges_.data() + edge.taken.begin, edge.ranges};
  }
  /// The versions that one need takes, of those of `name`.
  std::vector<Range> taken_by(const Need& need, NameId name) const;
  /// The needs of an edge: all that its requirer has of that name, or the first.
  std::vector<const Need*> needs(const Edge& edge) const;
  const Need& need(const Edge& edge) const;

  const Repository& repository() const { return repository_; }
  PackageId package(Position position) const { return packages_[position]; }
  Position position(PackageId id) const { return positions_[id]; }
  NameId name(Position position) const { return repository_.name(packages_[position]); }
  Range versions(NameId name) const { return versions_[name]; }

 private:
  enum class State : std::uint8_t {
    outside,  // not admitted
    untouched,
    open,  // its edges are known, and each of them watches a version that is alive
    unusable,
  };

  struct RootLink {
    std::uint32_t root;
    NameId name;
    Repository::Numbers numbers;
    std::vector<const Need*> needs;
  };

  void add_versions();
  void add_roots(const Question& question);
  void add_lock(const Question& question);
  void begin(Mode mode, bool prefers_locked);
  void add_edge(Edge edge, Repository::Numbers numbers);
  bool find_by_numbers(Edge& edge, Repository::Numbers numbers) const;
  void find_by_needs(Edge& edge);
  bool is_found_usable(Position position);
  void open(Position position);
  void watch(EdgeId id);
  void drain();

  const Repository& repository_;
  // Of positions.
  std::vector<PackageId> packages_;
  std::vector<Position> positions_;     // of packages
  std::vector<std::uint64_t> numbers_;  // packed ones of the versions
  std::vector<State> states_;
  std::vector<bool> locked_;
  std::vector<EdgeId> watchers_;  // an edge watches the version it would like best
  std::vector<Range> edges_of_;
  // Of names, with one more for those that no package has.
  std::vector<Range> versions_;
  std::vector<bool> locked_names_;
  std::vector<bool> has_numbers_;  // of all versions

  std::vector<RootLink> roots_;
  std::vector<Position> used_;
  bool has_lock_ = false;
  bool prefers_locked_ = false;
  Mode mode_ = Mode::exact;
  bool disappointed_ = false;
  std::vector<Edge> edges_;
  std::vector<Range> ranges_;
  std::vector<Position> to_open_;
  std::vector<Position> to_tell_;  // unusable ones whose watchers do not know yet
};

}  // namespace tenon::detail
