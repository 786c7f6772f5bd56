// SPDX-License-Identifier: BSL-1.0
//
// Reads the evolution of a kind, and checks that it explains every difference between versions.
#pragma once

#include "gen/model/model.hpp"
#include "gen/read/spec_files.hpp"

namespace tenon::gen {

/// Reads the steps of a kind whose versions are already read.
void read_kind_steps(const SpecDirectory& directory, Kind& kind, Diagnostics& diagnostics);

}  // namespace tenon::gen
