// SPDX-License-Identifier: BSL-1.0
//
// Generates hand-written steps that fail, for programs that do not have those of an app: tests of
// its plugins.
#pragma once

#include <string>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns the source of the steps that the app of the model defines by hand. The standard ones are
/// in the library tenon-kinds.
std::string emit_missing_steps(const Model& model);

}  // namespace tenon::gen
