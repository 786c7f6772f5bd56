// SPDX-License-Identifier: BSL-1.0
//
// Selects the standard specs that a program uses.
#pragma once

#include "gen/load.hpp"

namespace tenon::gen {

/// Removes standard kinds and document types from the model that are neither requested nor used.
/// Throws UsageError if a requested kind or version does not exist.
void select_standard(const std::vector<StandardKind>& requested, Model& model);

}  // namespace tenon::gen
