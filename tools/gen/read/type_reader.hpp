// SPDX-License-Identifier: BSL-1.0
//
// Parses the types of fields: "list<tenon.dev/record@2>".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gen/model/model.hpp"

namespace tenon::gen {

using Documents = std::vector<std::unique_ptr<Document>>;

/// The names that a type may use besides the builtin types.
struct TypeScope {
  Version& version;                               // used documents are added to it
  const std::string& domain;                      // the default domain of document types
  const Documents& documents;                     // sorted by id
  std::unordered_map<std::string, Type> local{};  // the enums and structs of the version, by name
};

enum class TypeUse {
  request,   // a field of a request
  response,  // a field of a response
  value,     // a field of a struct or document
  property,  // a property of a plugin
};

/// Parses a type. Returns nothing, and adds a diagnostic, if it is invalid.
std::optional<Type> read_type(const JsonValue& text, TypeUse use, const TypeScope& scope,
                              Diagnostics& diagnostics);

/// Whether the name is a builtin type: "int32", "list".
bool is_type_name(std::string_view name) noexcept;

}  // namespace tenon::gen
