// SPDX-License-Identifier: BSL-1.0
//
// Reads the common parts of kinds and document types: fields, enums, structs and the life cycle.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gen/common.hpp"
#include "gen/read/name_checker.hpp"
#include "gen/read/type_reader.hpp"

namespace tenon::gen {

/// Reads the fields of an object {name: type or {type, doc, added}}, in its order. `reserved` are
/// names of other members of the C struct.
std::vector<Field> read_fields(const JsonValue::Object& object, TypeUse use,
                               std::vector<std::string> reserved, const TypeScope& scope,
                               Diagnostics& diagnostics);

/// Reads "enums" and "structs" of a spec into the version of the scope. Structs are sorted so that
/// each comes after those that it contains. `bags`: each struct has a bag.
void read_local_types(const ObjectReader& spec, TypeScope& scope, bool bags,
                      Diagnostics& diagnostics);

/// Reads "life". `removable`: the version can be removed.
Life read_life(const ObjectReader& spec, bool removable, Diagnostics& diagnostics);

/// Returns whether a text is a date such as "2026-11-21". Reports it otherwise.
bool check_date(const std::string& date, const SourceLocation& location, Diagnostics& diagnostics);

}  // namespace tenon::gen
