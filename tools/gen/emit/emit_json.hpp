// SPDX-License-Identifier: BSL-1.0
//
// Generates the JSON functions of a document type.
#pragma once

#include <string>

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns the text of json_header(document): conversions from and to JSON for each version.
std::string emit_json(const Document& document);

/// Writes the functions that the header declares.
void emit_json_functions(Writer& out, const Document& document);

}  // namespace tenon::gen
