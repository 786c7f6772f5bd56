// SPDX-License-Identifier: BSL-1.0
//
// Writes how documents of a type are read and written as JSON by programs.
#pragma once

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

#include <string>

namespace tenon::gen {

/// The text of json_header(document): from and to JSON for each version.
std::string emit_json(const Document& document);

/// The functions that the header declares.
void emit_json_functions(Writer& out, const Document& document);

}  // namespace tenon::gen
