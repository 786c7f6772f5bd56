// SPDX-License-Identifier: BSL-1.0
//
// Generates the layouts of requests and responses, for hosts that check calls.
#pragma once

#include <string>

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// Writes a tenon::FieldInfo array for each request and response that has fields, and the constants
/// that they refer to.
void emit_messages(Writer& out, const Model& model);

/// Return the names of these arrays; "{}" if there is none.
std::string request_fields(const KindVersion& version, const Method& method);
std::string response_fields(const KindVersion& version, const Method& method);

}  // namespace tenon::gen
