// SPDX-License-Identifier: BSL-1.0
//
// Generates the adapters of a kind, which make the vtable of an older version look like that of
// each newer version.
#pragma once

#include <string>

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// Writes one class for each version that can be adapted, and its vtables as newer versions.
void emit_adapters(Writer& out, const Kind& kind);

/// Writes the array adapters_array(kind, from) of tenon::Adapter, which describes how the version
/// at `from` is used as each newer version, and the arrays that it refers to. Writes nothing for
/// the newest version.
void emit_adapter_rows(Writer& out, const Kind& kind, std::size_t from);

/// Returns eg "filter_1_adapters"; "{}" for the newest version.
std::string adapters_array(const Kind& kind, std::size_t from);

}  // namespace tenon::gen
