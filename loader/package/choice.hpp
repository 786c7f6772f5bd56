// SPDX-License-Identifier: BSL-1.0
//
// Which of the usable versions everybody gets.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "package/candidates.hpp"

namespace tenon::detail {

/// One choice among the candidates that are admitted; it is made by the constructor.
class Choice {
 public:
  explicit Choice(Candidates& candidates);

  /// The versions that the roots get, those that are in use, and all that these require. What each
  /// of them gets stands in the edges of the candidates.
  const std::vector<Position>& versions() const { return kept_; }
  /// Whether there are two of one name among them.
  bool side_by_side() const;

 private:
  void add_used();
  void settle(const std::vector<NameId>& component);
  void count(Position position);
  void keep(Position position, std::vector<Position>& to_keep);
  void add_requirer(EdgeId id);
  bool is_served(EdgeId id);
  void choose(NameId name);
  bool choose_simply(NameId name);
  Position choose_for(NameId name, std::vector<EdgeId>& edges);
  void give(Position position, std::vector<EdgeId>& edges);
  Position taken_by_all(const std::vector<EdgeId>& edges);
  Position most_wanted(NameId name, const std::vector<EdgeId>& edges);
  bool inside(NameId name) const { return component_of_[name] == component_; }

  Candidates& candidates_;
  std::vector<Edge>& edges_;         // of the candidates
  std::vector<EdgeId> requirers_;    // of each name
  std::vector<Position> served_by_;  // of each name: what all that require it have got, or none
  std::vector<std::vector<Position>> used_;  // of each component
  std::vector<std::uint32_t> component_of_;  // of each name
  std::uint32_t component_ = 0;              // that is being settled
  std::vector<NameId> queue_;                // of names to choose for (again)
  std::vector<char> is_queued_;
  std::vector<char> is_counted_;  // of positions: chosen at some time, and counted as a requirer
  std::vector<char> is_kept_;
  std::vector<Position> kept_;
  // For the moment.
  std::vector<EdgeId> of_others_;
  std::vector<EdgeId> of_itself_;
  std::vector<Range> common_;
  std::vector<std::int64_t> steps_;
};

}  // namespace tenon::detail
