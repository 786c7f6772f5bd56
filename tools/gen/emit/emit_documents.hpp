// SPDX-License-Identifier: BSL-1.0
//
// Writes what a program knows of a document type while it runs: versions, steps, conversions.
#pragma once

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// The tables, and the registration; in an unnamed namespace.
void emit_document_type(Writer& out, const Document& document);

}  // namespace tenon::gen
