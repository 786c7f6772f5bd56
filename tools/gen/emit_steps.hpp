// SPDX-License-Identifier: BSL-1.0
//
// Writes the conversions of a document type between its versions, on the structs of the contract.
#pragma once

#include "gen/model.hpp"
#include "gen/writer.hpp"

#include <string>

namespace tenon::gen {

/// The text of steps_header(document): all conversions, and the hand-written ends of some.
std::string emit_steps(const Document& document);

/// The functions that it declares, but for those written by hand.
void emit_conversions(Writer& out, const Document& document);

}  // namespace tenon::gen
