// SPDX-License-Identifier: BSL-1.0
//
// Checks the names in generated code.
#pragma once

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Checks that the names of generated headers, and the names in them, are unique.
void check_names(const Model& model, Diagnostics& diagnostics);

}  // namespace tenon::gen
