// SPDX-License-Identifier: BSL-1.0
#include "gen/check/value_checker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/base64.hpp"
#include "gen/check/evolution_steps.hpp"

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

/// Whether a value is a number in the range of float32.
bool is_float(const JsonValue& value) noexcept {
  const auto* real = value.as<double>();
  return real != nullptr ? std::abs(*real) <= double{std::numeric_limits<float>::max()}
                         : is_number(value);
}

bool is_base64(const JsonValue& value) {
  return value.text() != nullptr && json::detail::decoded_base64(*value.text());
}

/// Whether a value fits a shape, without regard to elements and fields.
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
      return is_float(value);
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

/// Returns the form of the type in JSON.
std::string needed_for(const Type& type) {
  switch (type.shape) {
    case Shape::boolean:
      return "true or false";
    case Shape::float32:
      return "a number that fits float32";
    case Shape::float64:
      return "a number";
    case Shape::string:
      return "a string";
    case Shape::bytes:
      return "a base64 string";
    case Shape::duration:
    case Shape::timestamp:
      return "an integer in nanoseconds";
    case Shape::list:
      return "an array";
    case Shape::map:
    case Shape::structure:
    case Shape::document:
      return "an object";
    default:
      return "an integer that fits " + to_text(type);
  }
}

void add_bad_value(const JsonValue& value, const std::string& what, const std::string& needed,
                   const std::string& fix, Diagnostics& diagnostics) {
  diagnostics.add({.location = value.location,
                   .code = "wrong-value",
                   .message = what,
                   .found = to_json(value),
                   .needed = needed,
                   .fix = fix});
}

bool check_part(const JsonValue& value, const Type& type, Diagnostics& diagnostics);

bool check_fields(const JsonValue& value, const std::vector<Field>& fields, const Type& type,
                  Diagnostics& diagnostics) {
  bool valid = true;
  for (const Field& field : fields) {
    const JsonValue* member = value.find(field.name);
    if (member != nullptr) {
      valid = check_part(*member, field.type, diagnostics) && valid;
    } else if (field.type.shape != Shape::optional) {
      valid = false;
      add_bad_value(value, "the value lacks the field '" + field.name + "'",
                    "each field of " + to_text(type) + " that is not optional",
                    "add \"" + field.name + "\"", diagnostics);
    }
  }
  const StepVersion known(to_text(type), "field", fields);
  for (const JsonMember& member : *value.object()) {
    if (known.has(member.key)) continue;
    valid = false;
    add_unknown_part(member.key, member.location, known, diagnostics);
  }
  return valid;
}

bool check_enum(const JsonValue& value, const Enum& enumeration, Diagnostics& diagnostics) {
  const std::vector<std::string>& names = enumeration.values;
  const std::string* name = value.text();
  if (name != nullptr && std::find(names.begin(), names.end(), *name) != names.end()) return true;
  const std::string fix = "use one of them";
  add_bad_value(value, "the enum '" + enumeration.name + "' has no such value", enumerate(names),
                name != nullptr ? did_you_mean(*name, names, fix) : fix, diagnostics);
  return false;
}

/// Checks a value of any type that has a form in JSON.
bool check_part(const JsonValue& value, const Type& type, Diagnostics& diagnostics) {
  if (type.shape == Shape::optional) {
    return value.is_null() || check_part(value, *type.element, diagnostics);
  }
  if (type.shape == Shape::enumeration) return check_enum(value, *type.enumeration, diagnostics);
  if (!fits(value, type.shape)) {
    const std::string needed = needed_for(type);
    add_bad_value(value, "the value does not fit the type " + to_text(type), needed,
                  "write " + needed, diagnostics);
    return false;
  }
  bool valid = true;
  if (type.shape == Shape::list) {
    for (const JsonValue& element : *value.array()) {
      valid = check_part(element, *type.element, diagnostics) && valid;
    }
  } else if (type.shape == Shape::map) {
    for (const JsonMember& member : *value.object()) {
      valid = check_part(member.value, *type.element, diagnostics) && valid;
    }
  } else if (type.shape == Shape::structure) {
    valid = check_fields(value, type.structure->fields, type, diagnostics);
  } else if (type.shape == Shape::document) {
    valid = check_fields(value, type.document->fields, type, diagnostics);
  }
  return valid;
}

}  // namespace

bool check_value(const JsonValue& value, const Type& type, const std::string& otherwise,
                 Diagnostics& diagnostics) {
  const Type& plain = without_optional(type);
  const bool has_form = plain.shape != Shape::buffer && !is_stream(plain);
  if (has_form || (type.shape == Shape::optional && value.is_null())) {
    return check_part(value, type, diagnostics);
  }
  add_bad_value(value, "the value does not fit the type " + to_text(type),
                "a hook, because JSON has no form of a " + to_text(plain), otherwise, diagnostics);
  return false;
}

}  // namespace tenon::gen
