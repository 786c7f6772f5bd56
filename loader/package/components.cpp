// SPDX-License-Identifier: BSL-1.0
//
// Tarjan's algorithm, with a stack of its own: chains of requirements may be long.
#include "package/components.hpp"

#include <algorithm>

namespace tenon::detail {
namespace {

class Search {
 public:
  explicit Search(const Candidates& candidates)
      : candidates_(candidates), marks_(candidates.repository().names() + 1) {}

  void visit(NameId root) {
    if (marks_[root].index == 0) enter(root);
    while (!path_.empty()) {
      const NameId next = step(path_.back());
      if (next != none) {
        enter(next);
      } else {
        leave();
      }
    }
  }

  std::vector<std::vector<NameId>> take() {
    std::reverse(components_.begin(), components_.end());
    return std::move(components_);
  }

 private:
  struct Mark {
    std::uint32_t index = 0;  // in the order of arrival, from 1 on; `closed` in a component
    std::uint32_t low = 0;    // the earliest that can be reached and is not in a component
  };
  static constexpr std::uint32_t closed = UINT32_MAX;
  /// How far the requirements of a name are looked through.
  struct Place {
    NameId name;
    Position next;           // of its versions
    std::uint32_t link = 0;  // of the version before that
    std::uint32_t end = 0;
  };

  void enter(NameId name) {
    marks_[name] = {.index = ++arrived_, .low = arrived_};
    open_.push_back(name);
    path_.push_back({.name = name, .next = candidates_.versions(name).begin});
  }

  /// The next name that nobody has visited, or none.
  NameId step(Place& place) {
    const auto& links = candidates_.repository().links();
    std::uint32_t low = marks_[place.name].low;
    NameId next = none;
    do {
      while (place.link < place.end && next == none) {
        const NameId required = links[place.link++].name;
        const std::uint32_t index = marks_[required].index;
        if (index == 0) {
          next = required;
        } else {
          low = std::min(low, index);
        }
      }
    } while (next == none && next_version(place));
    marks_[place.name].low = low;
    return next;
  }

  bool next_version(Place& place) const {
    const Position end = candidates_.versions(place.name).end;
    while (place.next < end && !candidates_.admitted(place.next)) ++place.next;
    if (place.next == end) return false;
    const PackageId package = candidates_.package(place.next++);
    place.link = candidates_.repository().first_link(package);
    place.end = candidates_.repository().end_link(package);
    return true;
  }

  void leave() {
    const NameId name = path_.back().name;
    path_.pop_back();
    const Mark& mark = marks_[name];
    if (!path_.empty()) {
      Mark& before = marks_[path_.back().name];
      before.low = std::min(before.low, mark.low);
    }
    if (mark.low != mark.index) return;
    const auto begin = std::find(open_.rbegin(), open_.rend(), name).base() - 1;
    for (auto at = begin; at != open_.end(); ++at) marks_[*at].index = closed;
    components_.emplace_back(begin, open_.end());
    open_.erase(begin, open_.end());
  }

  const Candidates& candidates_;
  std::vector<Mark> marks_;
  std::uint32_t arrived_ = 0;
  std::vector<NameId> open_;
  std::vector<Place> path_;
  std::vector<std::vector<NameId>> components_;
};

}  // namespace

std::vector<std::vector<NameId>> components(const Candidates& candidates) {
  Search search(candidates);
  const Range roots = candidates.edges_of_roots();
  for (EdgeId id = roots.begin; id < roots.end; ++id) {
    const Edge& edge = candidates.edges()[id];
    if (!edge.unmet) search.visit(edge.name);
  }
  for (const Position position : candidates.used()) search.visit(candidates.name(position));
  return search.take();
}

}  // namespace tenon::detail
