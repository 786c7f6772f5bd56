// SPDX-License-Identifier: BSL-1.0
//
// Reads how the versions of a kind became one another, and checks that it explains every
// difference.
#pragma once

#include "gen/model/model.hpp"
#include "gen/read/spec_files.hpp"

namespace tenon::gen {

/// Sets the steps of a kind whose versions have been read.
void read_kind_steps(const SpecFolder& folder, Kind& kind, Findings& findings);

}  // namespace tenon::gen
