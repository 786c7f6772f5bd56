// SPDX-License-Identifier: BSL-1.0
//
// Checks that need more than one part of a spec at once.
#pragma once

#include "gen/model/model.hpp"

#include <vector>

namespace tenon::gen {

/// At most one draft in each family, and it is the newest version; among the previews of a number
/// likewise.
void check_drafts(const Model& model, Findings& findings);

/// What was released names no draft, which may still change, and unless it is a preview itself no
/// preview, which may be removed.
void check_releases(const Model& model, Findings& findings);

/// What was removed is named only by what was removed too.
void check_removals(const Model& model, Findings& findings);

/// No two things of the generated headers have one name in C.
void check_c_names(const Model& model, Findings& findings);

/// All versions of all document types, each behind those that it names; no document holds itself.
std::vector<DocumentVersion*> in_order_of_use(const Model& model, Findings& findings);

}  // namespace tenon::gen
