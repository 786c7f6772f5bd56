// SPDX-License-Identifier: BSL-1.0
//
// Writes what the loader learns of a kind, and the tables that other plugins call it by.
#pragma once

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

#include <string>

namespace tenon::gen {

/// What stands in slots that are NULL, the tables for other plugins, and the tenon::Kind with its
/// registration.
void emit_registration(Writer& out, const Kind& kind);

/// The name of that tenon::Kind, eg: "filter_kind"
std::string kind_object(const Kind& kind);

}  // namespace tenon::gen
