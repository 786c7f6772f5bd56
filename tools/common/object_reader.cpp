// SPDX-License-Identifier: BSL-1.0
#include "common/object_reader.hpp"

#include <algorithm>
#include <limits>

namespace tenon::reading {

void add_wrong_type(const JsonValue& value, const std::string& what, const std::string& needed,
                    Findings& findings) {
  findings.add({.place = value.place,
                .code = "wrong-type",
                .what = what + " has the wrong form",
                .found = std::string(form_of(value)),
                .needed = needed,
                .fix = "write " + needed});
}

std::string read_text(const JsonValue& value, const std::string& what, Findings& findings) {
  if (value.text() == nullptr) {
    add_wrong_type(value, what, "a text", findings);
    return {};
  }
  if (value.text()->empty()) {
    findings.add({.place = value.place,
                  .code = "wrong-type",
                  .what = what + " is empty",
                  .needed = "a text that is not empty",
                  .fix = "fill it in, or leave the key out where it may be left out"});
  }
  return *value.text();
}

std::string read_word(const JsonValue& value, const std::string& what,
                      const std::vector<std::string>& words, Findings& findings) {
  std::string word = read_text(value, what, findings);
  if (word.empty() || std::find(words.begin(), words.end(), word) != words.end()) return word;
  findings.add({.place = value.place,
                .code = "unknown-word",
                .what = what + " does not know '" + word + "'",
                .needed = enumerate(words),
                .fix = did_you_mean(word, words, "use one of those")});
  return {};
}

ObjectReader::ObjectReader(const JsonValue& value, std::string what, std::vector<std::string> keys,
                           Findings& findings)
    : value_(value), what_(std::move(what)), findings_(findings) {
  if (value.object() == nullptr) {
    add_wrong_type(value, what_, "an object", findings_);
    return;
  }
  for (const JsonMember& member : *value.object()) {
    if (std::find(keys.begin(), keys.end(), member.key) != keys.end()) continue;
    findings_.add({.place = member.place,
                   .code = "unknown-key",
                   .what = what_ + " has no key '" + member.key + "'",
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
    findings_.add({.place = value_.place,
                   .code = "missing-key",
                   .what = what_ + " lacks the key '" + std::string(key) + "'",
                   .fix = "add \"" + std::string(key) + "\": ..."});
  }
  return found;
}

std::string ObjectReader::text(std::string_view key) const {
  const JsonValue* value = required(key);
  return value != nullptr ? read_text(*value, "'" + std::string(key) + "'", findings_) : "";
}

std::string ObjectReader::optional_text(std::string_view key) const {
  return optional(key) != nullptr ? text(key) : "";
}

std::string ObjectReader::word(std::string_view key, const std::vector<std::string>& words) const {
  const JsonValue* value = required(key);
  return value != nullptr ? read_word(*value, "'" + std::string(key) + "'", words, findings_) : "";
}

std::string ObjectReader::optional_word(std::string_view key,
                                        const std::vector<std::string>& words) const {
  return optional(key) != nullptr ? word(key, words) : "";
}

bool ObjectReader::flag(std::string_view key, bool otherwise) const {
  const JsonValue* value = optional(key);
  if (value == nullptr) return otherwise;
  if (const bool* truth = value->as<bool>()) return *truth;
  add_wrong_type(*value, "'" + std::string(key) + "'", "true or false", findings_);
  return otherwise;
}

bool ObjectReader::mark(std::string_view key) const {
  const JsonValue* value = optional(key);
  if (value == nullptr) return false;
  const bool* truth = value->as<bool>();
  if (truth == nullptr || !*truth) {
    add_wrong_type(*value, "'" + std::string(key) + "'", "true, or no such key", findings_);
  }
  return true;
}

std::optional<int> ObjectReader::number(std::string_view key, int least) const {
  const JsonValue* value = required(key);
  if (value == nullptr) return std::nullopt;
  const std::int64_t* number = value->as<std::int64_t>();
  if (number != nullptr && *number >= least && *number <= std::numeric_limits<int>::max()) {
    return static_cast<int>(*number);
  }
  add_wrong_type(*value, "'" + std::string(key) + "'",
                 "a whole number from " + std::to_string(least), findings_);
  return std::nullopt;
}

const JsonValue::Array* ObjectReader::array(std::string_view key) const {
  return required(key) != nullptr ? optional_array(key) : nullptr;
}

const JsonValue::Array* ObjectReader::optional_array(std::string_view key) const {
  const JsonValue* value = optional(key);
  if (value == nullptr) return nullptr;
  if (value->array() == nullptr) {
    add_wrong_type(*value, "'" + std::string(key) + "'", "an array", findings_);
  }
  return value->array();
}

const JsonValue::Object* ObjectReader::optional_object(std::string_view key) const {
  const JsonValue* value = optional(key);
  if (value == nullptr) return nullptr;
  if (value->object() == nullptr) {
    add_wrong_type(*value, "'" + std::string(key) + "'", "an object", findings_);
  }
  return value->object();
}

const Place& ObjectReader::place(std::string_view key) const {
  const JsonValue* value = value_.find(key);
  return value != nullptr ? value->place : value_.place;
}

}  // namespace tenon::reading
