// SPDX-License-Identifier: BSL-1.0
//
// Writes the storage types of a document type, and how they become the ABI structs.
#pragma once

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

#include <string>

namespace tenon::gen {

/// The text of storage_header(document).
std::string emit_storage(const Document& document);

/// The functions that it declares.
void emit_abi_forms(Writer& out, const Document& document);

}  // namespace tenon::gen
