// SPDX-License-Identifier: BSL-1.0
//
// Generates the C++17 types of a document type or kind, for hosts and plugins: owned structs,
// views, enums, and the tenon::Value that converts them from and to the ABI.
#pragma once

#include <string>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns the text of types_header(document): all versions of the type.
std::string emit_types(const Document& document);

/// Returns the text of types_header(kind): enums and structs of all versions of the kind, and
/// #include of the document types that it uses.
std::string emit_types(const Kind& kind);

}  // namespace tenon::gen
