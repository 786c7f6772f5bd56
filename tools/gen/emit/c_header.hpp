// SPDX-License-Identifier: BSL-1.0
//
// Generates the C header of one version of a kind or document type.
#pragma once

#include <string>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns the text of `version.header`. The same spec gives the same text.
std::string c_header(const KindVersion& version);
std::string c_header(const DocumentVersion& version);

}  // namespace tenon::gen
