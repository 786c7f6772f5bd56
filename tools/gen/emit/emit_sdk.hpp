// SPDX-License-Identifier: BSL-1.0
//
// Writes what authors of plugins in C++ derive from: include/<space>/sdk/<kind>.hpp, one class for
// each version of a kind.
#pragma once

#include "gen/model/model.hpp"

#include <string>

namespace tenon::gen {

/// Where the header is included from, eg: "photo/sdk/filter.hpp".
std::string sdk_header(const Kind& kind);

/// The text of that header.
std::string emit_sdk(const Kind& kind);

}  // namespace tenon::gen
