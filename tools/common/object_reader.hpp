// SPDX-License-Identifier: BSL-1.0
//
// Strict access to one JSON object. Keys that are missing, unknown or of the wrong type become
// diagnostics, and reading continues.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/json_value.hpp"

namespace tenon::tools {

class ObjectReader {
 public:
  /// `subject` names the object in diagnostics: "a method". Reports keys that are not in `keys`. A
  /// value that is not an object is reported, and then reads like an empty one.
  ObjectReader(const JsonValue& value, std::string subject, std::vector<std::string> keys,
               Diagnostics& diagnostics);

  /// Returns the value of a key. If the key is missing, `optional` returns nullptr, and `required`
  /// also adds a diagnostic. The functions below follow the same rule: those that start with
  /// `optional_` accept a missing key, the others report it.
  const JsonValue* optional(std::string_view key) const;
  const JsonValue* required(std::string_view key) const;

  /// Returns a string, which must not be empty and must not have a NUL character.
  std::string text(std::string_view key) const;
  std::string optional_text(std::string_view key) const;
  /// Returns one of `words`.
  std::string word(std::string_view key, const std::vector<std::string>& words) const;
  std::string optional_word(std::string_view key, const std::vector<std::string>& words) const;
  /// Returns a boolean, or `otherwise` if the key is missing.
  bool boolean(std::string_view key, bool otherwise = false) const;
  /// Returns whether the key is there. Its only valid value is true.
  bool flag(std::string_view key) const;
  /// Returns an integer, which must be at least `least`.
  std::optional<int> number(std::string_view key, int least = 1) const;
  const JsonValue::Array* array(std::string_view key) const;
  const JsonValue::Array* optional_array(std::string_view key) const;
  const JsonValue::Object* optional_object(std::string_view key) const;

  /// Returns the location of the value of `key`, or of the object if there is none.
  const SourceLocation& location(std::string_view key) const;

 private:
  const JsonValue& value_;
  std::string subject_;
  Diagnostics& diagnostics_;
};

/// Reports a value of the wrong type. `subject` names the value.
void add_wrong_type(const JsonValue& value, const std::string& subject, const std::string& needed,
                    Diagnostics& diagnostics);

/// Returns the string. Reports a value that is not a string, and returns "". Also reports a string
/// that is empty or has a NUL character.
std::string read_text(const JsonValue& value, const std::string& subject, Diagnostics& diagnostics);

/// Returns the string if it is one of `words`. Reports any other value and returns "".
std::string read_word(const JsonValue& value, const std::string& subject,
                      const std::vector<std::string>& words, Diagnostics& diagnostics);

}  // namespace tenon::tools
