// SPDX-License-Identifier: BSL-1.0
//
// Reads what kinds and document types have in common: fields, enums, structs and the life cycle.
#pragma once

#include "gen/model/reading.hpp"
#include "gen/read/name_checker.hpp"
#include "gen/read/type_reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tenon::gen {

/// The fields of an object {name: type or {type, doc, added}}, in its order. `reserved` are names
/// that the C struct has already.
std::vector<Field> read_fields(const JsonValue::Object& object, TypeUse use,
                               std::vector<std::string> reserved, const TypeScope& scope,
                               Findings& findings);

/// Reads "enums" and "structs" of a spec into the version of the scope. Structs come out in an
/// order in which each stands behind those that it holds; with `bags` each has one.
void read_local_types(const ObjectReader& spec, const TypeScope& scope, bool bags,
                      Findings& findings);

/// Reads "life"; `removable` says whether there may be a "removed".
Life read_life(const ObjectReader& spec, bool removable, Findings& findings);

/// Whether a text is a date as in "2026-11-21"; else that is a finding.
bool check_date(const std::string& date, const Place& place, Findings& findings);

}  // namespace tenon::gen
