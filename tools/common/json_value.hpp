// SPDX-License-Identifier: BSL-1.0
//
// A JSON value that knows where it stands in its file.
#pragma once

#include "common/findings.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tenon::reading {

struct JsonMember;

struct JsonValue {
  using Array = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;  // in the order of the file, each key once

  // null at first. std::uint64_t holds only what is too large for std::int64_t. Without an
  // initialiser of its own: that would need JsonMember complete.
  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      data;
  Place place{};  // of its first character

  /// The value as a T when it is one, else nullptr.
  template <class T>
  const T* as() const noexcept {
    return std::get_if<T>(&data);
  }
  bool is_null() const noexcept { return as<std::nullptr_t>() != nullptr; }
  const std::string* text() const noexcept { return as<std::string>(); }
  const Array* array() const noexcept { return as<Array>(); }
  const Object* object() const noexcept { return as<Object>(); }

  /// The value under `key`; nullptr where there is none or this is no object.
  const JsonValue* find(std::string_view key) const noexcept;
  JsonValue* find(std::string_view key) noexcept;
};

struct JsonMember {
  std::string key;
  Place place;  // of the key
  JsonValue value;
};

/// What a value is, for messages: "a text", "an object", "a whole number".
std::string_view form_of(const JsonValue& value) noexcept;

/// On one line, without spaces where none are needed; the same text for the same value.
std::string to_json(const JsonValue& value);

/// As spec files are written: what fits on a line of 100 columns stands on one.
std::string to_pretty_json(const JsonValue& value);

}  // namespace tenon::reading
