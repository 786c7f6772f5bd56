// SPDX-License-Identifier: BSL-1.0
//
// The list of released versions, `released.json`: the fingerprint of each version and, as text
// lines, everything that binaries of that version depend on. The file is in the directory of the
// specs or in a directory above it, and under version control. Only `tenon-gen release` writes it.
#pragma once

#include <string>
#include <vector>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Compares released versions with the nearest list in their directory or above it, and reports
/// differences. Specs without a list are not compared. `own_lists` are the paths of the lists in
/// the given directories: all specs of their versions must be in the model. Adds the lists to
/// `model.inputs`.
void check_released(Model& model, const std::vector<std::string>& own_lists,
                    Diagnostics& diagnostics);

/// Adds new released versions to the nearest list in `directory` or above it; creates a list in
/// `directory` if there is none. Reports versions that have changed since, unless `again` is set,
/// which replaces those that were released before 1.0.0. Returns one text per added or replaced
/// version, with the differences of the latter.
std::vector<std::string> release(const std::string& directory, const Model& model, bool again,
                                 Diagnostics& diagnostics);

}  // namespace tenon::gen
