// SPDX-License-Identifier: BSL-1.0
#include "common/object_reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tenon::tools {

void add_wrong_type(const JsonValue& value, const std::string& subject, const std::string& needed,
                    Diagnostics& diagnostics) {
  diagnostics.add({.location = value.location,
                   .code = "wrong-type",
                   .message = subject + " has the wrong type",
                   .found = std::string(type_name(value)),
                   .needed = needed,
                   .fix = "write " + needed});
}

std::string read_text(const JsonValue& value, const std::string& subject,
                      Diagnostics& diagnostics) {
  if (value.text() == nullptr) {
    add_wrong_type(value, subject, "a string", diagnostics);
    return {};
  }
  if (value.text()->empty()) {
    diagnostics.add({.location = value.location,
                     .code = "wrong-type",
                     .message = subject + " is empty",
                     .needed = "a string that is not empty",
                     .fix = "write a value, or remove the key if it is optional"});
  }
  if (value.text()->find('\0') != std::string::npos) {
    diagnostics.add({.location = value.location,
                     .code = "wrong-value",
                     .message = subject + " has a NUL character",
                     .needed = "a string without one",
                     .fix = "remove the character"});
  }
  return *value.text();
}

std::string read_word(const JsonValue& value, const std::string& subject,
                      const std::vector<std::string>& words, Diagnostics& diagnostics) {
  std::string word = read_text(value, subject, diagnostics);
  if (word.empty() || std::find(words.begin(), words.end(), word) != words.end()) return word;
  diagnostics.add({.location = value.location,
                   .code = "unknown-word",
                   .message = "'" + word + "' is not a valid value of " + subject,
                   .needed = enumerate(words),
                   .fix = did_you_mean(word, words, "use one of those")});
  return {};
}

ObjectReader::ObjectReader(const JsonValue& value, std::string subject,
                           std::vector<std::string> keys, Diagnostics& diagnostics)
    : value_(value), subject_(std::move(subject)), diagnostics_(diagnostics) {
  if (value.object() == nullptr) {
    add_wrong_type(value, subject_, "an object", diagnostics_);
    return;
  }
  for (const JsonMember& member : *value.object()) {
    if (std::find(keys.begin(), keys.end(), member.key) != keys.end()) continue;
    diagnostics_.add({.location = member.location,
                      .code = "unknown-key",
                      .message = subject_ + " has no key '" + member.key + "'",
                      .needed = enumerate(keys),
                      .fix = did_you_mean(member.key, keys, "remove it")});
  }
}

const JsonValue* ObjectReader::optional(std::string_view key) const {
  return value_.find(key);
}

const JsonValue* ObjectReader::required(std::string_view key) const {
  const JsonValue* found = value_.find(key);
  if (found == nullptr && value_.object() != nullptr) {
    diagnostics_.add({.location = value_.location,
                      .code = "missing-key",
                      .message = subject_ + " lacks the key '" + std::string(key) + "'",
                      .fix = "add \"" + std::string(key) + "\": ..."});
  }
  return found;
}

std::string ObjectReader::text(std::string_view key) const {
  const JsonValue* value = required(key);
  return value != nullptr ? read_text(*value, "'" + std::string(key) + "'", diagnostics_) : "";
}

std::string ObjectReader::optional_text(std::string_view key) const {
  return optional(key) != nullptr ? text(key) : "";
}

std::string ObjectReader::word(std::string_view key, const std::vector<std::string>& words) const {
  const JsonValue* value = required(key);
  return value != nullptr ? read_word(*value, "'" + std::string(key) + "'", words, diagnostics_)
                          : "";
}

std::string ObjectReader::optional_word(std::string_view key,
                                        const std::vector<std::string>& words) const {
  return optional(key) != nullptr ? word(key, words) : "";
}

bool ObjectReader::boolean(std::string_view key, bool otherwise) const {
  const JsonValue* value = optional(key);
  if (value == nullptr) return otherwise;
  if (const bool* truth = value->as<bool>()) return *truth;
  add_wrong_type(*value, "'" + std::string(key) + "'", "true or false", diagnostics_);
  return otherwise;
}

bool ObjectReader::flag(std::string_view key) const {
  const JsonValue* value = optional(key);
  if (value == nullptr) return false;
  const bool* truth = value->as<bool>();
  if (truth == nullptr || !*truth) {
    add_wrong_type(*value, "'" + std::string(key) + "'", "true, or no such key", diagnostics_);
  }
  return true;
}

std::optional<int> ObjectReader::number(std::string_view key, int least) const {
  const JsonValue* value = required(key);
  if (value == nullptr) return std::nullopt;
  constexpr int most = std::numeric_limits<int>::max();
  const std::int64_t* number = value->as<std::int64_t>();
  if (number != nullptr && *number >= least && *number <= most) return static_cast<int>(*number);
  const std::string needed =
      "an integer from " + std::to_string(least) + " to " + std::to_string(most);
  if (number == nullptr) {
    add_wrong_type(*value, "'" + std::string(key) + "'", needed, diagnostics_);
  } else {
    diagnostics_.add({.location = value->location,
                      .code = "wrong-value",
                      .message = "'" + std::string(key) + "' is out of range",
                      .found = std::to_string(*number),
                      .needed = needed,
                      .fix = "change the number"});
  }
  return std::nullopt;
}

const JsonValue::Array* ObjectReader::array(std::string_view key) const {
  return required(key) != nullptr ? optional_array(key) : nullptr;
}

const JsonValue::Array* ObjectReader::optional_array(std::string_view key) const {
  const JsonValue* value = optional(key);
  if (value == nullptr) return nullptr;
  if (value->array() == nullptr) {
    add_wrong_type(*value, "'" + std::string(key) + "'", "an array", diagnostics_);
  }
  return value->array();
}

const JsonValue::Object* ObjectReader::optional_object(std::string_view key) const {
  const JsonValue* value = optional(key);
  if (value == nullptr) return nullptr;
  if (value->object() == nullptr) {
    add_wrong_type(*value, "'" + std::string(key) + "'", "an object", diagnostics_);
  }
  return value->object();
}

const SourceLocation& ObjectReader::location(std::string_view key) const {
  const JsonValue* value = value_.find(key);
  return value != nullptr ? value->location : value_.location;
}

}  // namespace tenon::tools
