// SPDX-License-Identifier: BSL-1.0
//
// Writes the types of a document type or kind as C++17 has them, for hosts and plugins alike: owned
// structs, views, enums, and the tenon::Value that goes between them and the ABI.
#pragma once

#include "gen/model/model.hpp"

#include <string>

namespace tenon::gen {

/// The text of types_header(document): every version of the type.
std::string emit_types(const Document& document);

/// The text of types_header(kind): enums and structs of every version of the kind, and the headers
/// of the document types that it names.
std::string emit_types(const Kind& kind);

}  // namespace tenon::gen
