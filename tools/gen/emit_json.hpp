// SPDX-License-Identifier: BSL-1.0
//
// Writes the JSON codecs of a document type.
#pragma once

#include "gen/model.hpp"
#include "gen/writer.hpp"

#include <string>

namespace tenon::gen {

/// The text of json_header(document): from and to JSON for each version.
std::string emit_json(const Document& document);

/// What the enums and structs of the document type are in JSON. Stands before all emit_codecs.
void emit_inner_codecs(Writer& out, const Document& document);

/// The functions that the header declares.
void emit_codecs(Writer& out, const Document& document);

}  // namespace tenon::gen
