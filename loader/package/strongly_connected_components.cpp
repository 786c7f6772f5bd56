// SPDX-License-Identifier: BSL-1.0
//
// Tarjan's algorithm with an explicit stack, since chains of requirements may be long.
#include "package/strongly_connected_components.hpp"

#include <algorithm>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

class Search {
 public:
  explicit Search(const Propagator& propagator)
      : propagator_(propagator), marks_(propagator.repository().names() + 1) {}

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

  Components take() { return std::move(components_); }

 private:
  struct Mark {
    std::uint32_t index = 0;  // in the order of visits, from 1; `closed` once in a component
    std::uint32_t low = 0;    // the lowest reachable index that is not in a component
  };
  static constexpr std::uint32_t closed = UINT32_MAX;
  /// A stack frame: the next requirement of a name to visit.
  struct Frame {
    NameId name;
    Position next;           // the next of its versions
    std::uint32_t link = 0;  // the next link of the previous version
    std::uint32_t end = 0;
  };

  void enter(NameId name) {
    marks_[name] = {.index = ++visited_, .low = visited_};
    open_.push_back(name);
    path_.push_back({.name = name, .next = propagator_.versions(name).begin});
  }

  /// Returns the next name that was not visited, or none.
  NameId step(Frame& frame) {
    const auto& links = propagator_.repository().links();
    std::uint32_t low = marks_[frame.name].low;
    NameId next = none;
    do {
      while (frame.link < frame.end && next == none) {
        const NameId required = links[frame.link++].name;
        const std::uint32_t index = marks_[required].index;
        if (index == 0) {
          next = required;
        } else {
          low = std::min(low, index);
        }
      }
    } while (next == none && next_version(frame));
    marks_[frame.name].low = low;
    return next;
  }

  bool next_version(Frame& frame) const {
    const Position end = propagator_.versions(frame.name).end;
    while (frame.next < end && !propagator_.admitted(frame.next)) ++frame.next;
    if (frame.next == end) return false;
    const PackageId package = propagator_.package(frame.next++);
    frame.link = propagator_.repository().first_link(package);
    frame.end = propagator_.repository().end_link(package);
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
    components_.push_front({begin, open_.end()});
    open_.erase(begin, open_.end());
  }

  const Propagator& propagator_;
  std::vector<Mark> marks_;
  std::uint32_t visited_ = 0;
  std::vector<NameId> open_;
  std::vector<Frame> path_;
  Components components_;
};

}  // namespace

Components strongly_connected_components(const Propagator& propagator) {
  Search search(propagator);
  const Range roots = propagator.edges_of_roots();
  for (EdgeId id = roots.begin; id < roots.end; ++id) {
    const Edge& edge = propagator.edges()[id];
    if (!edge.unmet) search.visit(edge.name);
  }
  for (const Position position : propagator.used()) search.visit(propagator.name(position));
  return search.take();
}

}}}  // namespace tenon::v0_1::detail
