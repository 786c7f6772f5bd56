// SPDX-License-Identifier: BSL-1.0
//
// Checks across several parts of the specs.
#pragma once

#include <vector>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Checks that each family has at most one draft, which is the newest version. The same rule
/// applies to the previews of each number.
void check_drafts(const Model& model, Diagnostics& diagnostics);

/// Checks that released versions use no drafts, which may still change, and, except for previews,
/// no previews, which may be removed.
void check_releases(const Model& model, Diagnostics& diagnostics);

/// Checks that only removed versions use removed versions.
void check_removals(const Model& model, Diagnostics& diagnostics);

/// Returns all versions of all document types, each after those that it uses. Reports recursion,
/// also of types whose versions use each other.
std::vector<DocumentVersion*> sort_by_use(const Model& model, Diagnostics& diagnostics);

}  // namespace tenon::gen
