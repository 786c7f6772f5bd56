// SPDX-License-Identifier: BSL-1.0
//
// Generates the description of a kind for the loader, and the vtables for other plugins.
#pragma once

#include <string>

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// Writes the functions for NULL slots, the vtables for other plugins, and the tenon::Kind with its
/// registration.
void emit_registration(Writer& out, const Kind& kind);

/// Returns the name of the tenon::Kind, eg: "filter_kind"
std::string kind_object(const Kind& kind);

}  // namespace tenon::gen
