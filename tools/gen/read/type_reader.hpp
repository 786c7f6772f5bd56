// SPDX-License-Identifier: BSL-1.0
//
// Reads the texts that say of which type a field is: "list<tenon.dev/record@2>".
#pragma once

#include "gen/model/model.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon::gen {

using Documents = std::vector<std::unique_ptr<Document>>;

/// What a type may name besides the types that every spec has.
struct TypeScope {
  Version& version;           // its enums and structs; documents that are named are added to it
  const std::string& domain;  // of document types without one
  const Documents& documents;
};

enum class TypeUse {
  message,   // a field of a request or response
  value,     // a field of a struct or document
  property,  // a property of a plugin
};

/// Nothing where the text is wrong, which is a finding.
std::optional<Type> read_type(const JsonValue& text, TypeUse use, const TypeScope& scope,
                              Findings& findings);

/// Whether every spec has a type of this name: "int32", "list".
bool is_type_name(std::string_view name) noexcept;

}  // namespace tenon::gen
