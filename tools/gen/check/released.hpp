// SPDX-License-Identifier: BSL-1.0
//
// The list of what was released, `released.json`: of each released version the fingerprint and,
// line by line, all that plugins and hosts of that version were compiled with. It lies in the
// folder of the specs or above it and is checked in; only `tenon-gen release` writes it.
#pragma once

#include "gen/model/model.hpp"

#include <string>
#include <vector>

namespace tenon::gen {

/// Compares released versions with the list that lies nearest above them: one that is not there as
/// it is now is a finding. Specs without a list are not compared. The lists that were read join
/// `model.inputs`.
void check_released(Model& model, Findings& findings);

/// Writes released versions that are new to the list nearest above `folder`, or to a new one in it.
/// One that has changed since is a finding, unless `again` says to replace it, which no version can
/// be that was released with 1.0.0 or later. Answers what was done, a line each: a version that was
/// replaced with what that breaks.
std::vector<std::string> release(const std::string& folder, const Model& model, bool again,
                                 Findings& findings);

}  // namespace tenon::gen
