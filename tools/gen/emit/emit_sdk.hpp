// SPDX-License-Identifier: BSL-1.0
//
// Generates the base classes for plugins in C++: include/<space>/sdk/<kind>.hpp, one class for each
// version of a kind.
#pragma once

#include <string>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns the path of the header for #include, eg: "photo/sdk/filter.hpp".
std::string sdk_header(const Kind& kind);

/// Returns the text of the header.
std::string emit_sdk(const Kind& kind);

/// Returns an override of the plain form that does nothing, indented as a member of a class that is
/// derived from that of the version.
std::string sdk_override(const KindVersion& version, const Method& method);

}  // namespace tenon::gen
