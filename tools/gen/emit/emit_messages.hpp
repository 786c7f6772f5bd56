// SPDX-License-Identifier: BSL-1.0
//
// Writes how requests and responses lie in memory, for hosts that check responses.
#pragma once

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

#include <string>

namespace tenon::gen {

/// A tenon::FieldInfo array for the request and the response of each method that has a response,
/// and what they refer to, each once.
void emit_messages(Writer& out, const Model& model);

/// The names of these arrays; "{}" where there is none.
std::string request_fields(const KindVersion& version, const Method& method);
std::string response_fields(const KindVersion& version, const Method& method);

}  // namespace tenon::gen
