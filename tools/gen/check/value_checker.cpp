// SPDX-License-Identifier: BSL-1.0
#include "gen/check/value_checker.hpp"

#include <algorithm>
#include <utility>

namespace tenon::gen {
namespace {

template <class T>
bool is_integer(const JsonValue& value) noexcept {
  if (const auto* number = value.as<std::int64_t>()) return std::in_range<T>(*number);
  const auto* large = value.as<std::uint64_t>();
  return large != nullptr && std::in_range<T>(*large);
}

bool is_number(const JsonValue& value) noexcept {
  return value.as<double>() != nullptr || value.as<std::int64_t>() != nullptr ||
         value.as<std::uint64_t>() != nullptr;
}

bool is_base64(const JsonValue& value) {
  if (value.text() == nullptr || value.text()->size() % 4 != 0) return false;
  std::string_view digits = *value.text();
  for (int padding = 0; padding < 2 && !digits.empty() && digits.back() == '='; padding++) {
    digits.remove_suffix(1);
  }
  return std::all_of(digits.begin(), digits.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/';
  });
}

/// Whether a value fits a type that holds no other.
bool fits(const JsonValue& value, Shape shape) {
  switch (shape) {
    case Shape::boolean:
      return value.as<bool>() != nullptr;
    case Shape::int8:
      return is_integer<std::int8_t>(value);
    case Shape::int16:
      return is_integer<std::int16_t>(value);
    case Shape::int32:
      return is_integer<std::int32_t>(value);
    case Shape::int64:
    case Shape::duration:
    case Shape::timestamp:
      return is_integer<std::int64_t>(value);
    case Shape::uint8:
      return is_integer<std::uint8_t>(value);
    case Shape::uint16:
      return is_integer<std::uint16_t>(value);
    case Shape::uint32:
      return is_integer<std::uint32_t>(value);
    case Shape::uint64:
      return is_integer<std::uint64_t>(value);
    case Shape::float32:
    case Shape::float64:
      return is_number(value);
    case Shape::string:
      return value.text() != nullptr;
    case Shape::bytes:
      return is_base64(value);
    case Shape::json:
      return true;
    case Shape::list:
      return value.array() != nullptr;
    case Shape::map:
    case Shape::structure:
    case Shape::document:
      return value.object() != nullptr;
    default:
      return false;  // buffer, reader and writer have no values in JSON
  }
}

/// What a value of the type looks like in JSON.
std::string needed_for(const Type& type) {
  switch (type.shape) {
    case Shape::boolean:
      return "true or false";
    case Shape::float32:
    case Shape::float64:
      return "a number";
    case Shape::string:
      return "a text";
    case Shape::bytes:
      return "a text in base64";
    case Shape::duration:
    case Shape::timestamp:
      return "a whole number of nanoseconds";
    case Shape::list:
      return "an array";
    case Shape::map:
    case Shape::structure:
    case Shape::document:
      return "an object";
    case Shape::buffer:
    case Shape::reader:
    case Shape::writer:
      return "a hook, because no text can stand for a " + to_text(type);
    default:
      return "a whole number that fits " + to_text(type);
  }
}

void add_bad_value(const JsonValue& value, const std::string& what, const std::string& needed,
                   const std::string& fix, Findings& findings) {
  findings.add({.place = value.place,
                .code = "wrong-value",
                .what = what,
                .found = to_json(value),
                .needed = needed,
                .fix = fix});
}

bool check_fields(const JsonValue& value, const std::vector<Field>& fields, const Type& type,
                  Findings& findings) {
  bool good = true;
  std::vector<std::string> names;
  for (const Field& field : fields) {
    names.push_back(field.name);
    const JsonValue* member = value.find(field.name);
    if (member != nullptr) {
      good = check_value(*member, field.type, findings) && good;
    } else if (field.type.shape != Shape::optional) {
      good = false;
      add_bad_value(value, "the value lacks the field '" + field.name + "'",
                    "each field of " + to_text(type) + " that is not optional",
                    "add \"" + field.name + "\"", findings);
    }
  }
  for (const JsonMember& member : *value.object()) {
    if (std::find(names.begin(), names.end(), member.key) != names.end()) continue;
    good = false;
    findings.add({.place = member.place,
                  .code = "unknown-field",
                  .what = to_text(type) + " has no field '" + member.key + "'",
                  .needed = enumerate(names),
                  .fix = did_you_mean(member.key, names, "remove it")});
  }
  return good;
}

bool check_enum(const JsonValue& value, const Enum& enumeration, Findings& findings) {
  const std::vector<std::string>& names = enumeration.values;
  const std::string* name = value.text();
  if (name != nullptr && std::find(names.begin(), names.end(), *name) != names.end()) return true;
  const std::string fix = "write one of them";
  add_bad_value(value, "the value is none of the enum '" + enumeration.name + "'", enumerate(names),
                name != nullptr ? did_you_mean(*name, names, fix) : fix, findings);
  return false;
}

}  // namespace

bool check_value(const JsonValue& value, const Type& type, Findings& findings) {
  if (type.shape == Shape::optional) {
    return value.is_null() || check_value(value, *type.element, findings);
  }
  if (type.shape == Shape::enumeration) return check_enum(value, *type.enumeration, findings);
  if (!fits(value, type.shape)) {
    const std::string needed = needed_for(type);
    add_bad_value(value, "the value does not fit the type " + to_text(type), needed,
                  "write " + needed, findings);
    return false;
  }
  bool good = true;
  if (type.shape == Shape::list) {
    for (const JsonValue& element : *value.array()) {
      good = check_value(element, *type.element, findings) && good;
    }
  } else if (type.shape == Shape::map) {
    for (const JsonMember& member : *value.object()) {
      good = check_value(member.value, *type.element, findings) && good;
    }
  } else if (type.shape == Shape::structure) {
    good = check_fields(value, type.structure->fields, type, findings);
  } else if (type.shape == Shape::document) {
    good = check_fields(value, type.document->fields, type, findings);
  }
  return good;
}

}  // namespace tenon::gen
