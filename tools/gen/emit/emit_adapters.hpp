// SPDX-License-Identifier: BSL-1.0
//
// Writes the adapters of a kind: what makes the table of an older version look like that of each
// newer one.
#pragma once

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

#include <string>

namespace tenon::gen {

/// One class for each version that can be adapted, and the tables that it serves as.
void emit_adapters(Writer& out, const Kind& kind);

/// The rows that describe what becomes of the version at `from` in each newer one: an array of
/// tenon::Adapter with the name adapters_array(version), and what its rows refer to. Nothing for
/// the newest version.
void emit_adapter_rows(Writer& out, const Kind& kind, std::size_t from);

/// eg: "filter_1_adapters"; "{}" for the newest version.
std::string adapters_array(const Kind& kind, std::size_t from);

}  // namespace tenon::gen
