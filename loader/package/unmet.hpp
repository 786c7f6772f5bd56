// SPDX-License-Identifier: BSL-1.0
//
// Why somebody does not get what it needs, and what would help.
#pragma once

#include <string>
#include <vector>

#include "package/candidates.hpp"
#include "package/resolver.hpp"

namespace tenon::detail {

/// Who an edge belongs to, for people: "photo 5.1", "me.example/blur 1.2.0".
std::string requirer_of(const Candidates& candidates, const Question& question, const Edge& edge);

/// An edge, and what its requirer gets.
Binding binding_of(const Candidates& candidates, const Edge& edge, Position provider);

/// All that stands in the way of roots: of each name and requirement the shortest chain to it.
/// REQUIRED: all versions are admitted.
std::vector<Unmet> unmet_needs(Candidates& candidates, const Question& question);

/// What is to be said of a wish that was not granted.
Error not_enforced(const Candidates& candidates, const Question& question, const Edge& edge);

}  // namespace tenon::detail
