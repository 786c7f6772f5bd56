// SPDX-License-Identifier: BSL-1.0
#include "common/json_value.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace tenon::tools {
namespace {

constexpr std::size_t line_width = 100;

std::string json_string(std::string_view text) {
  return boost::json::serialize(boost::json::string_view(text.data(), text.size()));
}

std::string scalar(const JsonValue& value) {
  if (!value.number.empty()) return value.number;  // large and precise ones lose nothing
  if (const auto* truth = value.as<bool>()) return *truth ? "true" : "false";
  if (const auto* number = value.as<std::int64_t>()) return std::to_string(*number);
  if (const auto* number = value.as<std::uint64_t>()) return std::to_string(*number);
  if (const auto* number = value.as<double>()) {
    return boost::json::serialize(boost::json::value(*number));
  }
  if (const auto* text = value.text()) return json_string(*text);
  return "null";
}

/// `space` separates the parts: " " or "".
std::string on_one_line(const JsonValue& value, const std::string& space) {
  std::string text;
  if (const auto* array = value.array()) {
    for (const JsonValue& element : *array) {
      text += (text.empty() ? "" : "," + space) + on_one_line(element, space);
    }
    return "[" + text + "]";
  }
  if (const auto* object = value.object()) {
    for (const JsonMember& member : *object) {
      text += (text.empty() ? space : "," + space) + json_string(member.key) + ":" + space +
              on_one_line(member.value, space);
    }
    return "{" + text + (text.empty() ? "" : space) + "}";
  }
  return scalar(value);
}

/// `used` is the number of columns before the value.
std::string pretty(const JsonValue& value, std::size_t indent, std::size_t used) {
  std::string line = on_one_line(value, " ");
  const bool nested = value.array() != nullptr || value.object() != nullptr;
  if (!nested || used + line.size() + 1 <= line_width) return line;
  const std::string margin(indent + 2, ' ');
  std::string text;
  const auto begin_element = [&] { text += (text.empty() ? "\n" : ",\n") + margin; };
  if (const auto* array = value.array()) {
    for (const JsonValue& element : *array) {
      begin_element();
      text += pretty(element, indent + 2, margin.size());
    }
    return "[" + text + "\n" + std::string(indent, ' ') + "]";
  }
  for (const JsonMember& member : *value.object()) {
    begin_element();
    const std::string key = json_string(member.key) + ": ";
    text += key + pretty(member.value, indent + 2, margin.size() + key.size());
  }
  return "{" + text + "\n" + std::string(indent, ' ') + "}";
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const noexcept {
  if (object() == nullptr) return nullptr;
  const auto found = std::find_if(object()->begin(), object()->end(),
                                  [key](const JsonMember& member) { return member.key == key; });
  return found != object()->end() ? &found->value : nullptr;
}

JsonValue* JsonValue::find(std::string_view key) noexcept {
  return const_cast<JsonValue*>(std::as_const(*this).find(key));
}

std::string_view type_name(const JsonValue& value) noexcept {
  constexpr std::string_view names[] = {"null",     "a boolean", "an integer", "an integer",
                                        "a number", "a string",  "an array",   "an object"};
  return names[value.data.index()];
}

std::string to_json(const JsonValue& value) {
  return on_one_line(value, "");
}

std::string to_pretty_json(const JsonValue& value) {
  return pretty(value, 0, 0) + "\n";
}

}  // namespace tenon::tools
