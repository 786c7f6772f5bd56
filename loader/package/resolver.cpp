// SPDX-License-Identifier: BSL-1.0
#include "package/resolver.hpp"

#include <algorithm>
#include <optional>

#include "package/conflicts.hpp"
#include "package/explanation.hpp"
#include "package/propagator.hpp"
#include "package/selector.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

using detail::Propagator;
using detail::Selector;
using Mode = Propagator::Mode;
using detail::Edge;
using detail::EdgeId;
using detail::Position;
using detail::Range;

// Returns how many requirements of roots are unmet, plus how many used packages are unusable.
std::size_t count_unmet(Propagator& propagator) {
  const auto& used = propagator.used();
  const auto unusable = std::count_if(
      used.begin(), used.end(), [&](Position position) { return !propagator.usable(position); });
  const Range roots = propagator.edges_of_roots();
  const auto unmet = std::count_if(propagator.edges().begin() + roots.begin,
                                   propagator.edges().begin() + roots.end,
                                   [](const Edge& edge) { return edge.unmet; });
  return static_cast<std::size_t>(unusable + unmet);
}

// If packages require each other in cycles, the first selection may have versions that nothing
// needs. Selects again among the selected versions until none is removed. This also guarantees that
// the result, used as a lock, gives the same result.
std::vector<Position> minimize(Propagator& propagator, const Selector& selector) {
  auto versions = selector.versions();
  bool again = selector.side_by_side();
  while (again) {
    propagator.restrict_to(versions);
    const Selector next(propagator);
    again = next.versions().size() < versions.size();
    versions = next.versions();
  }
  return versions;
}

// Assumes that all versions are usable. Returns nothing if that turns out to be wrong.
std::optional<std::vector<Position>> select_optimistically(Propagator& propagator) {
  if (propagator.has_lock()) {
    propagator.admit_locked(Mode::optimistic);
  } else {
    propagator.admit_all(Mode::optimistic);
  }
  if (count_unmet(propagator) > 0) return std::nullopt;
  const Selector selector(propagator);
  if (propagator.conflicting()) return std::nullopt;
  return minimize(propagator, selector);
}

std::vector<Position> select_exactly(Propagator& propagator, const Problem& problem,
                                     Resolution& resolution) {
  propagator.admit_all(Mode::exact);
  const auto unmet = count_unmet(propagator);
  if (unmet > 0) resolution.conflicts = detail::find_conflicts(propagator, problem);
  if (propagator.has_lock()) {
    propagator.admit_locked(Mode::exact);
    resolution.within_lock = count_unmet(propagator) == unmet;
  }
  if (!resolution.within_lock) propagator.admit_all(Mode::exact);
  return minimize(propagator, Selector(propagator));
}

void add(Propagator& propagator, const Problem& problem, Range edges, Resolution& resolution) {
  for (EdgeId id = edges.begin; id < edges.end; ++id) {
    const Edge& edge = propagator.edges()[id];
    resolution.bindings.push_back(detail::binding_of(propagator, edge, edge.provider));
    if (edge.relaxed) {
      resolution.warnings.push_back(detail::not_enforced(propagator, problem, edge));
    }
  }
}

}  // namespace

Resolution resolve(const Repository& repository, const Problem& problem) {
  Resolution resolution;
  Propagator propagator(repository, problem);
  auto versions = select_optimistically(propagator);
  if (!versions) versions = select_exactly(propagator, problem, resolution);
  resolution.bindings.reserve(propagator.edges().size());
  add(propagator, problem, propagator.edges_of_roots(), resolution);
  for (const Position position : *versions) {
    resolution.packages.push_back(propagator.package(position));
    add(propagator, problem, propagator.edges_of(position), resolution);
  }
  return resolution;
}

PackageId Resolution::for_root(std::uint32_t root, std::string_view name) const {
  for (const Binding& binding : bindings) {
    if (binding.root == root && binding.dependency->name == name) return binding.provider;
  }
  return none;
}

PackageId Resolution::for_package(const Repository& repository, PackageId requirer,
                                  std::string_view name) const {
  for (const Binding& binding : bindings) {
    if (binding.requirer == requirer && binding.dependency->name == name) return binding.provider;
  }
  return repository.package(requirer).name == name ? requirer : none;
}

}}}  // namespace tenon::v0_1::detail
