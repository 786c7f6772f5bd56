// SPDX-License-Identifier: BSL-1.0
#include "parameter_rules.hpp"

#include <tenon/json.hpp>
#include <tenon/sdk/config.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <regex>
#include <vector>

namespace tenon::sdk::conformance {
namespace {

using Rule = tenon::Parameter::Rule;
using Type = tenon::Parameter::Type;
using Validation = tenon::Parameter::Validation;

template <class T>
std::string unless_reads_as(std::string_view value) {
  return sdk::Parameter<T>::parse(value) ? "" : "it is not " + sdk::Parameter<T>::expected();
}

/// A default that names a file cannot be checked elsewhere than on the machine of its user.
std::string fault_of_type(Type type, std::string_view value) {
  if (type == Type::Int) return unless_reads_as<std::int64_t>(value);
  if (type == Type::Float) return unless_reads_as<double>(value);
  if (type == Type::Bool) return unless_reads_as<bool>(value);
  if (type == Type::Duration) return unless_reads_as<Duration>(value);
  return {};
}

/// A value as a number to compare by; durations in nanoseconds.
std::optional<double> magnitude(Type type, std::string_view text) {
  if (type != Type::Duration) return sdk::Parameter<double>::parse(text);
  const auto duration = sdk::Parameter<Duration>::parse(text);
  if (!duration) return std::nullopt;
  return static_cast<double>(duration->count());
}

/// Reads a JSON array of texts.
std::optional<std::vector<std::string>> words_of(std::string_view list) {
  json::Parser parser;
  const auto array = parser.parse(list);
  if (!array || array->form() != json::Form::array) return std::nullopt;
  std::vector<std::string> words;
  for (const json::Reader& element : array->elements()) {
    std::string_view word;
    if (!element.read(word)) return std::nullopt;
    words.emplace_back(word);
  }
  return words;
}

bool is_pattern(const std::string& text) {
  try {
    static_cast<void>(std::regex(text));
    return true;
  } catch (const std::regex_error&) {
    return false;
  }
}

bool is_bound(Rule rule) {
  return rule == Rule::GreaterThan || rule == Rule::LessThan;
}

bool is_list(Rule rule) {
  return rule == Rule::Inclusion || rule == Rule::Exclusion;
}

bool is_number(Type type) {
  return type == Type::Int || type == Type::Float || type == Type::Duration;
}

std::string fault_of_validation(Type type, const Validation& validation) {
  const std::string text = std::string(to_text(validation.type)) + " \"" + validation.value + "\"";
  if (to_text(validation.type).empty()) return "a validation has an unknown type";
  if (is_bound(validation.type) && (!is_number(type) || !magnitude(type, validation.value))) {
    return text + " is not a bound for the type " + std::string(to_text(type));
  }
  if (is_list(validation.type) && !words_of(validation.value)) {
    return text + " is not a JSON array of texts";
  }
  if (validation.type == Rule::Regex && !is_pattern(validation.value)) {
    return text + " is not a regular expression";
  }
  return {};
}

bool meets(const tenon::Parameter& parameter, const Validation& validation,
           const std::string& value) {
  if (is_bound(validation.type)) {
    const double is = magnitude(parameter.type, value).value();
    const double bound = magnitude(parameter.type, validation.value).value();
    return validation.type == Rule::GreaterThan ? is > bound : is < bound;
  }
  if (is_list(validation.type)) {
    const auto words = words_of(validation.value).value();
    const bool included = std::ranges::find(words, value) != words.end();
    return included == (validation.type == Rule::Inclusion);
  }
  return validation.type != Rule::Regex || std::regex_search(value, std::regex(validation.value));
}

}  // namespace

std::string fault_of_validations(const tenon::Parameter& parameter) {
  for (const Validation& validation : parameter.validations) {
    std::string fault = fault_of_validation(parameter.type, validation);
    if (!fault.empty()) return fault;
  }
  return {};
}

std::string fault_of_value(const tenon::Parameter& parameter, const std::string& value) {
  if (std::string fault = fault_of_type(parameter.type, value); !fault.empty()) return fault;
  for (const Validation& validation : parameter.validations) {
    if (meets(parameter, validation, value)) continue;
    return "it does not meet " + std::string(to_text(validation.type)) + " " + validation.value;
  }
  return {};
}

bool must_be_given(const tenon::Parameter& parameter) {
  return trimmed(parameter.default_value).empty() &&
         std::ranges::any_of(parameter.validations, [](const Validation& validation) {
           return validation.type == Rule::Required;
         });
}

bool has_star(std::string_view name) {
  const std::string parts = "." + std::string(name) + ".";
  return parts.find(".*.") != std::string::npos;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace tenon::sdk::conformance
