// SPDX-License-Identifier: BSL-1.0
//
// Generates the run-time description of a document type: versions, steps, conversions.
#pragma once

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// Writes the arrays and the registration, in an unnamed namespace.
void emit_document_type(Writer& out, const Document& document);

}  // namespace tenon::gen
