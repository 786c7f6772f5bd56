// SPDX-License-Identifier: BSL-1.0
//
// Generates the C header of one version of a kind or document type.
#pragma once

#include <string>
#include <vector>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns the text of `version.header`. The same spec gives the same text.
std::string c_header(const KindVersion& version);
std::string c_header(const DocumentVersion& version);

/// Returns the parameters of the function of a method: call, self, in, and out if there is a
/// response.
std::vector<std::string> c_parameters(const KindVersion& version, const Method& method);

}  // namespace tenon::gen
