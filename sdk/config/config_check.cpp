// SPDX-License-Identifier: BSL-1.0
#include "config/config_check.hpp"

#include <tenon/detail/json.hpp>
#include <tenon/sdk/config.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "config/pattern.hpp"

namespace tenon::config {
namespace {

using Rule = Parameter::Rule;
using Type = Parameter::Type;
using Validation = Parameter::Validation;
using Need = std::optional<std::string>;  // nothing if the condition is met

/// For each part of a name, separated by dots: whether it is a star.
using Shape = std::vector<bool>;

Shape shape_of(std::string_view name) {
  Shape shape;
  for (;;) {
    const std::string_view part = name.substr(0, name.find('.'));
    shape.push_back(part == "*");
    if (part.size() == name.size()) return shape;
    name.remove_prefix(part.size() + 1);
  }
}

bool has_star(const Shape& shape) {
  return std::ranges::find(shape, true) != shape.end();
}

/// Returns the name of this shape that matches a key; nothing if the numbers of parts differ.
std::optional<std::string> name_of(std::string_view key, const Shape& shape) {
  std::string name;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::string_view part = key.substr(0, key.find('.'));
    const bool last = part.size() == key.size();
    if (part.empty() || last != (i + 1 == shape.size())) return std::nullopt;
    name.append(shape[i] ? "*" : part);
    if (!last) name.push_back('.');
    key.remove_prefix(part.size() + (last ? 0 : 1));
  }
  return name;
}

/// Finds the parameters that the keys of a config set.
class ParameterFinder {
 public:
  /// `parameters` must outlive the finder.
  explicit ParameterFinder(const Parameters& parameters) : parameters_(parameters) {
    for (const auto& [name, parameter] : parameters) {
      if (Shape shape = shape_of(name); has_star(shape)) shapes_.insert(std::move(shape));
    }
  }

  const Parameter* find(std::string_view key) const {
    if (const Parameter* exact = find_exact(key)) return exact;
    for (const Shape& shape : shapes_) {
      const auto name = name_of(key, shape);
      if (!name) continue;
      if (const Parameter* parameter = find_exact(*name)) return parameter;
    }
    return nullptr;
  }

 private:
  const Parameter* find_exact(std::string_view name) const {
    const auto found = parameters_.find(name);
    return found == parameters_.end() ? nullptr : &found->second;
  }

  const Parameters& parameters_;
  std::set<Shape> shapes_;  // of names with a star
};

template <class T>
Need unless_reads_as(std::string_view value) {
  if (sdk::Parameter<T>::parse(value)) return std::nullopt;
  return sdk::Parameter<T>::expected();
}

Need need_of_type(Type type, const std::string& value) {
  switch (type) {
    case Type::Int:
      return unless_reads_as<std::int64_t>(value);
    case Type::Float:
      return unless_reads_as<double>(value);
    case Type::Bool:
      return unless_reads_as<bool>(value);
    case Type::Duration:
      return unless_reads_as<Duration>(value);
    case Type::File: {
      std::error_code ignored;
      if (std::filesystem::exists(value, ignored)) return std::nullopt;
      return "the path of a file that exists";
    }
    case Type::String:
      break;
  }
  return std::nullopt;
}

/// Returns the value as a number for comparisons; durations in nanoseconds.
std::optional<double> magnitude(Type type, std::string_view text) {
  if (type != Type::Duration) return sdk::Parameter<double>::parse(text);
  const auto duration = sdk::Parameter<Duration>::parse(text);
  if (!duration) return std::nullopt;
  return static_cast<double>(duration->count());
}

Need need_of_bound(Type type, const Validation& bound, std::string_view value) {
  const auto is = magnitude(type, value);
  const auto limit = magnitude(type, bound.value);
  const bool greater = bound.type == Rule::GreaterThan;
  if (is && limit && (greater ? *is > *limit : *is < *limit)) return std::nullopt;
  return (greater ? "more than " : "less than ") + bound.value;
}

/// Calls `use(reader)` for each element of a JSON array until it returns false. Returns true if the
/// text is an array and `use` never returned false.
template <class Use>
bool for_each_element(std::string_view list, Use use) {
  json::Parser parser;
  const auto array = parser.parse(list);
  if (!array || array->form() != json::Form::array) return false;
  for (const json::Reader& element : array->elements()) {
    if (!use(element)) return false;
  }
  return true;
}

bool includes(std::string_view list, std::string_view value) {
  bool found = false;
  for_each_element(list, [&](const json::Reader& element) {
    std::string_view word;
    found = element.read(word) && word == value;
    return !found;
  });
  return found;
}

bool is_list_of_texts(std::string_view list) {
  return for_each_element(list, [](const json::Reader& element) {
    std::string_view word;
    return element.read(word);
  });
}

Need need_of_list(const Validation& list, const std::string& value) {
  const bool included = includes(list.value, value);
  if (included == (list.type == Rule::Inclusion)) return std::nullopt;
  return (included ? "none of " : "one of ") + list.value;
}

// A match compares each byte with all steps of the pattern, and a manifest may have many patterns.
constexpr std::size_t longest_match = 4096;

Need need_of_pattern(const std::string& text, const std::string& value) {
  if (value.size() > longest_match) {
    return "at most " + std::to_string(longest_match) + " bytes that match " + text;
  }
  std::string flaw;
  const auto pattern = Pattern::compile(text, flaw);
  if (pattern && pattern->matches_part_of(value)) return std::nullopt;
  return "something that matches " + text;
}

Need need_of_validation(Type type, const Validation& validation, const std::string& value) {
  switch (validation.type) {
    case Rule::GreaterThan:
    case Rule::LessThan:
      return need_of_bound(type, validation, value);
    case Rule::Inclusion:
    case Rule::Exclusion:
      return need_of_list(validation, value);
    case Rule::Regex:
      return need_of_pattern(validation.value, value);
    case Rule::Required:
      break;
  }
  return std::nullopt;
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

/// Returns the operand of a validation as messages show it.
std::string shown(const std::string& operand) {
  if (operand.size() <= Pattern::longest_text) return operand;
  return operand.substr(0, 40) + "...";
}

std::optional<Fault> fault_of_validation(Type type, const Validation& validation) {
  const std::string rule(to_text(validation.type));
  const auto found = [&] { return rule + " \"" + shown(validation.value) + '"'; };
  if (rule.empty()) return Fault{"an unknown validation", "a validation that this host knows"};
  if (is_bound(validation.type) && !is_number(type)) {
    return Fault{found(), "the type int, float or duration"};
  }
  if (is_bound(validation.type) && !magnitude(type, validation.value)) {
    return Fault{found(), "a value of the type " + std::string(to_text(type))};
  }
  if (is_list(validation.type) && !is_list_of_texts(validation.value)) {
    return Fault{found(), R"(a JSON array of texts, such as ["a", "b"])"};
  }
  std::string flaw;
  if (validation.type == Rule::Regex && !Pattern::compile(validation.value, flaw)) {
    return Fault{found() + ": " + flaw, "a valid pattern"};
  }
  return std::nullopt;
}

/// Checks the value that a parameter has in `checked`, after its default is filled in.
void check_value(const Parameter& parameter, const std::string& name, Checked& checked) {
  const auto given = checked.config.find(name);
  std::string value;
  if (given != checked.config.end()) value = given->second;
  if (value.empty()) value = default_of(parameter);
  if (value.empty()) {
    if (!must_be_given(parameter)) return;
    checked.problems.push_back({Problem::Reason::missing, name, {}, parameter.description});
    return;
  }
  for (std::string& need : unmet_needs(parameter, value)) {
    const std::string found = parameter.sensitive ? "(hidden)" : value;
    checked.problems.push_back({Problem::Reason::wrong, name, found, std::move(need)});
  }
  if (parameter.sensitive) checked.secrets.insert(name);
  checked.config.insert_or_assign(name, std::move(value));
}

}  // namespace

Checked check(const Parameters& parameters, const TextMap& config) {
  Checked checked{config, {}, {}};
  for (const auto& [name, parameter] : parameters) {
    if (auto fault = fault_of(parameter)) {
      checked.problems.push_back({Problem::Reason::invalid_parameter, name, std::move(fault->found),
                                  std::move(fault->needed)});
    }
  }
  if (!checked.problems.empty()) return checked;
  const ParameterFinder finder(parameters);
  std::vector<Problem> unknown;
  for (const auto& [key, value] : config) {
    const Parameter* parameter = finder.find(key);
    if (parameter == nullptr) {
      unknown.push_back({Problem::Reason::unknown, key, {}, {}});
    } else {
      check_value(*parameter, key, checked);
    }
  }
  for (const auto& [name, parameter] : parameters) {
    if (has_star(name) || config.contains(name)) continue;
    check_value(parameter, name, checked);
  }
  std::ranges::move(unknown, std::back_inserter(checked.problems));
  return checked;
}

std::vector<std::string> unmet_needs(const Parameter& parameter, const std::string& value) {
  if (Need type = need_of_type(parameter.type, value)) return {*std::move(type)};
  std::vector<std::string> needs;
  for (const Validation& validation : parameter.validations) {
    if (Need need = need_of_validation(parameter.type, validation, value)) {
      needs.push_back(*std::move(need));
    }
  }
  return needs;
}

std::optional<Fault> fault_of(const Parameter& parameter) {
  if (to_text(parameter.type).empty())
    return Fault{"an unknown type", "a type that this host knows"};
  for (const Validation& validation : parameter.validations) {
    if (auto fault = fault_of_validation(parameter.type, validation)) return fault;
  }
  return std::nullopt;
}

std::string_view default_of(const Parameter& parameter) {
  return sdk::detail::without_blanks(parameter.default_value);
}

bool must_be_given(const Parameter& parameter) {
  return default_of(parameter).empty() &&
         std::ranges::any_of(parameter.validations, [](const Validation& validation) {
           return validation.type == Rule::Required;
         });
}

bool has_star(std::string_view name) {
  return has_star(shape_of(name));
}

}  // namespace tenon::config
