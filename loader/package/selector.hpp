// SPDX-License-Identifier: BSL-1.0
//
// The selector: which of the usable versions each requirer gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "package/propagator.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// One selection among the admitted versions. The constructor makes it.
class Selector {
 public:
  explicit Selector(Propagator& propagator);

  /// Returns the versions that the roots get, the usable ones of `Problem::used`, and all that
  /// these require. The edges of the propagator hold the provider of each requirer.
  const std::vector<Position>& versions() const { return kept_; }
  /// Returns whether two of them have the same name.
  bool side_by_side() const;

 private:
  void add_used();
  void select(std::span<const NameId> component);
  void count_as_requirer(Position position);
  void keep(Position position);
  void add_requirer(EdgeId id);
  bool reuse_provider(EdgeId id);
  void choose(NameId name);
  bool choose_common(NameId name);
  Position choose_for(NameId name, std::vector<EdgeId>& edges);
  void assign(Position position, std::vector<EdgeId>& edges);
  Position accepted_by_all(const std::vector<EdgeId>& edges);
  Position most_accepted(NameId name, const std::vector<EdgeId>& edges);
  bool accept_locked(const std::vector<EdgeId>& edges) const;
  bool in_component(NameId name) const { return component_of_[name] == component_; }

  Propagator& propagator_;
  std::vector<Edge>& edges_;                 // of the propagator
  std::vector<EdgeId> requirers_;            // by name: the first edge of a list
  std::vector<Position> common_provider_;    // by name: what all requirers got, or none
  std::vector<std::uint32_t> component_of_;  // by name
  std::vector<std::pair<std::uint32_t, Position>> used_;  // with their components, in their order
  std::size_t next_used_ = 0;                             // the first of the next component
  std::uint32_t component_ = 0;                           // the current one
  std::vector<NameId> queue_;  // names that need a choice, or another one
  std::vector<char> is_queued_;
  std::vector<char> is_counted_;  // by position: was chosen at some time, and counts as a requirer
  std::vector<char> is_kept_;
  std::vector<Position> kept_;
  // Scratch space.
  std::vector<EdgeId> from_outside_;
  std::vector<Position> to_keep_;
  std::vector<EdgeId> on_others_;
  std::vector<EdgeId> on_itself_;
  std::vector<Range> common_;
  std::vector<std::int64_t> steps_;
};

}}}  // namespace tenon::v0_1::detail
