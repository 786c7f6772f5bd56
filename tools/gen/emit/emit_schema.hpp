// SPDX-License-Identifier: BSL-1.0
//
// Generates JSON Schemas (draft 2020-12) of documents, for editors and validators. A schema accepts
// what a strict reader accepts, except for rules that JSON Schema cannot express: the notation of
// numbers, duplicate keys, the number of levels, and entries of the bag that do not match their
// type. Each schema is complete: it refers to no other file.
#pragma once

#include <string>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns the path of the schema of stored documents, eg: "tenon.dev/lock.schema.json".
std::string schema_path(const Document& document);
/// Returns the path of the schema of a version, eg: "tenon.dev/lock/v2.schema.json".
std::string schema_path(const DocumentVersion& version);

/// Returns the schema of stored documents of any version of the type.
std::string emit_schema(const Document& document);
/// Returns the schema of bare documents of a version.
std::string emit_schema(const DocumentVersion& version);

}  // namespace tenon::gen
