// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/cpp_literal.hpp"

#include <charconv>
#include <cstdint>
#include <limits>

#include "base/base64.hpp"
#include "gen/emit/cpp_names.hpp"
#include "gen/model/naming.hpp"

namespace tenon::gen {
namespace {

std::string number(double value) {
  char digits[40];
  std::string text(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string number(const JsonValue& value) {
  if (const auto* real = value.as<double>()) return number(*real);
  if (const auto* large = value.as<std::uint64_t>()) return std::to_string(*large) + "u";
  const std::int64_t whole = *value.as<std::int64_t>();
  // -9223372036854775808 would be the negation of a literal that is too large.
  if (whole == std::numeric_limits<std::int64_t>::min()) {
    return "-" + std::to_string(std::numeric_limits<std::int64_t>::max()) + " - 1";
  }
  return std::to_string(whole);
}

/// Decodes valid base64 to a list of numbers.
std::string bytes(std::string_view text) {
  std::string list;
  const auto decoded = json::detail::decoded_base64(text);
  for (const std::uint8_t byte : *decoded) {
    list += (list.empty() ? "" : ", ") + std::to_string(byte);
  }
  return list;
}

/// Returns the initialisers of a struct or document, whose last member may be a bag.
std::string fields(const JsonValue& value, const std::vector<Field>& fields, bool bag) {
  std::string list;
  for (const Field& field : fields) {
    const JsonValue* given = value.find(field.name);
    list += (list.empty() ? "" : ", ") +
            (given != nullptr ? cpp_literal(*given, field.type) : "std::nullopt");
  }
  if (bag) list += list.empty() ? "{}" : ", {}";
  return list;
}

std::string text_literal(const std::string& text) {
  return "std::string(" + string_literal(text) + ", " + std::to_string(text.size()) + ")";
}

std::string elements(const JsonValue& value, const Type& type) {
  std::string list;
  for (const JsonValue& element : *value.array()) {
    list += (list.empty() ? "" : ", ") + cpp_literal(element, type);
  }
  return list;
}

std::string entries(const JsonValue& value, const Type& type) {
  std::string list;
  for (const JsonMember& member : *value.object()) {
    list += (list.empty() ? "{" : ", {") + text_literal(member.key) + ", " +
            cpp_literal(member.value, type) + "}";
  }
  return list;
}

}  // namespace

std::string cpp_literal(const JsonValue& value, const Type& type) {
  const std::string name = owned_type(type);
  switch (type.shape) {
    case Shape::boolean:
      return *value.as<bool>() ? "true" : "false";
    case Shape::string:
      return text_literal(*value.text());
    case Shape::bytes:
      return name + "{" + bytes(*value.text()) + "}";
    case Shape::json:
      return name + "{" + text_literal(to_json(value)) + "}";
    case Shape::list:
      return name + "{" + elements(value, *type.element) + "}";
    case Shape::map:
      return name + "{" + entries(value, *type.element) + "}";
    case Shape::optional:
      return value.is_null() ? name + "()" : name + "(" + cpp_literal(value, *type.element) + ")";
    case Shape::enumeration:
      return name + "::" + camel_case(*value.text());
    case Shape::structure:
      return name + "{" + fields(value, type.structure->fields, type.structure->bag) + "}";
    case Shape::document:
      return name + "{" + fields(value, type.document->fields, true) + "}";
    case Shape::timestamp:
      return name + "(tenon::Duration(" + number(value) + "))";
    default:
      return name + "(" + number(value) + ")";
  }
}

}  // namespace tenon::gen
