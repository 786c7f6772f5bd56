// SPDX-License-Identifier: BSL-1.0
//
// Strict access to one JSON object of a file: what is missing, misspelt or of the wrong form
// becomes a finding where it is asked for, and reading goes on.
#pragma once

#include "common/json_value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::reading {

class ObjectReader {
 public:
  /// `what` names the object in findings: "a method". Keys other than `keys` are findings. A value
  /// that is no object is one, and reads as if it had no key that anybody asks for.
  ObjectReader(const JsonValue& value, std::string what, std::vector<std::string> keys,
               Findings& findings);

  /// The value under a key. `optional_...` answer nullptr or the default where there is none, the
  /// others make a finding of that.
  const JsonValue* optional(std::string_view key) const;
  const JsonValue* required(std::string_view key) const;

  /// A text that is not empty.
  std::string text(std::string_view key) const;
  std::string optional_text(std::string_view key) const;
  /// One of `words`.
  std::string word(std::string_view key, const std::vector<std::string>& words) const;
  std::string optional_word(std::string_view key, const std::vector<std::string>& words) const;
  bool flag(std::string_view key, bool otherwise = false) const;
  /// Whether the key is there; the only value that it may have is true.
  bool mark(std::string_view key) const;
  /// A whole number from `least`.
  std::optional<int> number(std::string_view key, int least = 1) const;
  const JsonValue::Array* array(std::string_view key) const;
  const JsonValue::Array* optional_array(std::string_view key) const;
  const JsonValue::Object* optional_object(std::string_view key) const;

  /// The place of the value under `key`, or else of the object.
  const Place& place(std::string_view key) const;

 private:
  const JsonValue& value_;
  std::string what_;
  Findings& findings_;
};

/// Adds that a value has another form than it should.
void add_wrong_type(const JsonValue& value, const std::string& what, const std::string& needed,
                    Findings& findings);

/// The text that `value` is, or a finding and an empty one.
std::string read_text(const JsonValue& value, const std::string& what, Findings& findings);

/// The same, if it is one of `words`.
std::string read_word(const JsonValue& value, const std::string& what,
                      const std::vector<std::string>& words, Findings& findings);

}  // namespace tenon::reading
