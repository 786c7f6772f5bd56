// SPDX-License-Identifier: BSL-1.0
//
// Generates the storage types of a document type, and their conversions to the ABI structs.
#pragma once

#include <string>

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns the text of storage_header(document).
std::string emit_storage(const Document& document);

/// Writes the functions that the header declares.
void emit_abi_conversions(Writer& out, const Document& document);

}  // namespace tenon::gen
