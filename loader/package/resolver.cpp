// SPDX-License-Identifier: BSL-1.0
#include "package/resolver.hpp"

#include <algorithm>
#include <optional>

#include "package/candidates.hpp"
#include "package/choice.hpp"
#include "package/explanation.hpp"
#include "package/unmet.hpp"

namespace tenon {
namespace {

using detail::Candidates;
using detail::Choice;
using Mode = Candidates::Mode;
using detail::Edge;
using detail::EdgeId;
using detail::Position;
using detail::Range;

// Of what the roots need and of what is in use: how much cannot be had.
std::size_t lacking(Candidates& candidates) {
  const auto& used = candidates.used();
  const auto unusable = std::count_if(
      used.begin(), used.end(), [&](Position position) { return !candidates.usable(position); });
  const Range roots = candidates.edges_of_roots();
  const auto unmet = std::count_if(candidates.edges().begin() + roots.begin,
                                   candidates.edges().begin() + roots.end,
                                   [](const Edge& edge) { return edge.unmet; });
  return static_cast<std::size_t>(unusable + unmet);
}

// Where packages require each other in circles, less may do than was chosen at first: until
// choosing among the chosen ones leaves none of them, which also makes them a lock that holds.
std::vector<Position> fewer(Candidates& candidates, const Choice& choice) {
  auto versions = choice.versions();
  bool again = choice.side_by_side();
  while (again) {
    candidates.keep_only(versions);
    const Choice next(candidates);
    again = next.versions().size() < versions.size();
    versions = next.versions();
  }
  return versions;
}

// In the hope that nothing is unusable, which is soon seen.
std::optional<std::vector<Position>> choose_quickly(Candidates& candidates) {
  if (candidates.has_lock()) {
    candidates.admit_locked(Mode::hopeful);
  } else {
    candidates.admit_all(Mode::hopeful);
  }
  if (lacking(candidates) > 0) return std::nullopt;
  const Choice choice(candidates);
  if (candidates.disappointed()) return std::nullopt;
  return fewer(candidates, choice);
}

std::vector<Position> choose_exactly(Candidates& candidates, const Question& question,
                                     Resolution& resolution) {
  candidates.admit_all(Mode::exact);
  const auto lacks = lacking(candidates);
  if (lacks > 0) resolution.unmet = detail::unmet_needs(candidates, question);
  if (candidates.has_lock()) {
    candidates.admit_locked(Mode::exact);
    resolution.within_lock = lacking(candidates) == lacks;
  }
  if (!resolution.within_lock) candidates.admit_all(Mode::exact);
  return fewer(candidates, Choice(candidates));
}

void add(Candidates& candidates, const Question& question, Range edges, Resolution& resolution) {
  for (EdgeId id = edges.begin; id < edges.end; ++id) {
    const Edge& edge = candidates.edges()[id];
    resolution.bindings.push_back(detail::binding_of(candidates, edge, edge.provider));
    if (edge.relaxed) {
      resolution.warnings.push_back(detail::not_enforced(candidates, question, edge));
    }
  }
}

}  // namespace

Resolution resolve(const Repository& repository, const Question& question) {
  Resolution resolution;
  Candidates candidates(repository, question);
  auto versions = choose_quickly(candidates);
  if (!versions) versions = choose_exactly(candidates, question, resolution);
  resolution.bindings.reserve(candidates.edges().size());
  add(candidates, question, candidates.edges_of_roots(), resolution);
  for (const Position position : *versions) {
    resolution.packages.push_back(candidates.package(position));
    add(candidates, question, candidates.edges_of(position), resolution);
  }
  return resolution;
}

PackageId Resolution::for_root(std::uint32_t root, std::string_view name) const {
  for (const Binding& binding : bindings) {
    if (binding.root == root && binding.need->name == name) return binding.provider;
  }
  return none;
}

PackageId Resolution::for_package(const Repository& repository, PackageId requirer,
                                  std::string_view name) const {
  for (const Binding& binding : bindings) {
    if (binding.requirer == requirer && binding.need->name == name) return binding.provider;
  }
  return repository.package(requirer).name == name ? requirer : none;
}

}  // namespace tenon
