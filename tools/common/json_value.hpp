// SPDX-License-Identifier: BSL-1.0
//
// A JSON value with its source location.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/diagnostics.hpp"

namespace tenon::tools {

struct JsonMember;

struct JsonValue {
  using Array = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;  // in the order of the file, each key once

  // Initially null. std::uint64_t holds only numbers that exceed std::int64_t. There is no default
  // member initialiser, because that would need the complete JsonMember.
  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      data;
  SourceLocation location{};  // of the first character
  std::string number{};       // a number as it is written in the file

  /// Returns the value as a T, or nullptr if it has another type.
  template <class T>
  const T* as() const noexcept {
    return std::get_if<T>(&data);
  }
  bool is_null() const noexcept { return as<std::nullptr_t>() != nullptr; }
  const std::string* text() const noexcept { return as<std::string>(); }
  const Array* array() const noexcept { return as<Array>(); }
  const Object* object() const noexcept { return as<Object>(); }

  /// Returns the value of `key`, or nullptr if there is none or this is not an object.
  const JsonValue* find(std::string_view key) const noexcept;
  JsonValue* find(std::string_view key) noexcept;
};

struct JsonMember {
  std::string key;
  SourceLocation location;  // of the key
  JsonValue value;
};

/// Returns the type of a value, for messages: "a string", "an object", "an integer".
std::string_view type_name(const JsonValue& value) noexcept;

/// Returns compact JSON on one line.
std::string to_json(const JsonValue& value);

/// Returns JSON in the style of spec files: a value that fits into 100 columns is on one line.
std::string to_pretty_json(const JsonValue& value);

}  // namespace tenon::tools
