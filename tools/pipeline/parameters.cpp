// SPDX-License-Identifier: BSL-1.0
#include "parameters.hpp"

#include <tenon/sdk/config.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <optional>
#include <regex>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace pipeline {
namespace {

using tenon::Parameter;
using Rule = Parameter::Rule;
using Type = Parameter::Type;
using Validation = Parameter::Validation;

/// What is wrong with a value.
struct Fault {
  std::string needed;
};

bool matches(std::string_view pattern, std::string_view key) {
  for (;;) {
    const std::string_view wanted = pattern.substr(0, pattern.find('.'));
    const std::string_view part = key.substr(0, key.find('.'));
    if (part.empty() || (wanted != "*" && wanted != part)) return false;
    const bool last = wanted.size() == pattern.size();
    if (last || part.size() == key.size()) return last && part.size() == key.size();
    pattern.remove_prefix(wanted.size() + 1);
    key.remove_prefix(part.size() + 1);
  }
}

/// The parameter that a key of a config sets.
const Parameter* find(const Parameters& parameters, std::string_view key) {
  if (const auto found = parameters.find(key); found != parameters.end()) return &found->second;
  for (const auto& [name, parameter] : parameters) {
    if (matches(name, key)) return &parameter;
  }
  return nullptr;
}

template <class T>
std::optional<Fault> unless_reads_as(std::string_view value) {
  if (tenon::sdk::Parameter<T>::parse(value)) return std::nullopt;
  return Fault{tenon::sdk::Parameter<T>::expected()};
}

std::optional<Fault> type_fault(Type type, const std::string& value) {
  switch (type) {
    case Type::Int:
      return unless_reads_as<std::int64_t>(value);
    case Type::Float:
      return unless_reads_as<double>(value);
    case Type::Bool:
      return unless_reads_as<bool>(value);
    case Type::Duration:
      return unless_reads_as<tenon::Duration>(value);
    case Type::File: {
      std::error_code ignored;
      if (std::filesystem::exists(value, ignored)) return std::nullopt;
      return Fault{"the path of a file that is there"};
    }
    case Type::String:
      break;
  }
  return std::nullopt;
}

/// The value as a number to compare by; durations in nanoseconds.
std::optional<double> magnitude(Type type, std::string_view text) {
  if (type != Type::Duration) return tenon::sdk::Parameter<double>::parse(text);
  const auto duration = tenon::sdk::Parameter<tenon::Duration>::parse(text);
  if (!duration) return std::nullopt;
  return static_cast<double>(duration->count());
}

std::optional<Fault> bound_fault(const Parameter& parameter, const Validation& bound,
                                 std::string_view value) {
  const auto is = magnitude(parameter.type, value);
  const auto limit = magnitude(parameter.type, bound.value);
  const bool greater = bound.type == Rule::GreaterThan;
  if (is && limit && (greater ? *is > *limit : *is < *limit)) return std::nullopt;
  return Fault{(greater ? "more than " : "less than ") + bound.value};
}

std::optional<Fault> list_fault(const Validation& list, const std::string& value) {
  boost::json::error_code error;
  const auto words = boost::json::parse(list.value, error);
  const auto is_it = [&](const boost::json::value& word) {
    return word.is_string() && word.get_string() == value;
  };
  const bool included = !error && words.is_array() &&
                        std::any_of(words.get_array().begin(), words.get_array().end(), is_it);
  if (included == (list.type == Rule::Inclusion)) return std::nullopt;
  return Fault{(included ? "none of " : "one of ") + list.value};
}

// std::regex takes stack for each character.
constexpr std::size_t longest_match = 4096;

std::optional<Fault> regex_fault(const Validation& pattern, const std::string& value) {
  if (value.size() > longest_match) {
    return Fault{"at most " + std::to_string(longest_match) + " bytes that match " + pattern.value};
  }
  try {
    if (std::regex_search(value, std::regex(pattern.value))) return std::nullopt;
  } catch (const std::regex_error&) {
    return Fault{"what the plugin asks for, but its pattern is broken: " + pattern.value};
  }
  return Fault{"something that matches " + pattern.value};
}

std::optional<Fault> validation_fault(const Parameter& parameter, const Validation& validation,
                                      const std::string& value) {
  switch (validation.type) {
    case Rule::GreaterThan:
    case Rule::LessThan:
      return bound_fault(parameter, validation, value);
    case Rule::Inclusion:
    case Rule::Exclusion:
      return list_fault(validation, value);
    case Rule::Regex:
      return regex_fault(validation, value);
    case Rule::Required:
      break;
  }
  return std::nullopt;
}

bool required(const Parameter& parameter) {
  return std::any_of(parameter.validations.begin(), parameter.validations.end(),
                     [](const Validation& check) { return check.type == Rule::Required; });
}

std::vector<Fault> faults(const Parameter& parameter, const std::string& value) {
  if (auto fault = type_fault(parameter.type, value)) return {std::move(*fault)};
  std::vector<Fault> all;
  for (const Validation& validation : parameter.validations) {
    if (auto fault = validation_fault(parameter, validation, value)) {
      all.push_back(std::move(*fault));
    }
  }
  return all;
}

void check_value(const Parameter& parameter, const std::string& name, const PluginUse& use,
                 Findings& findings) {
  const auto given = use.config.find(name);
  const bool blank = given == use.config.end() || given->second.empty();
  const std::string value = blank ? std::string(trimmed(parameter.default_value)) : given->second;
  const Place& place =
      given == use.config.end() ? use.config_place : use.value_places.find(name)->second;
  if (value.empty()) {
    if (!required(parameter)) return;
    findings.add({.place = place,
                  .code = "missing-parameter",
                  .what = "'" + use.reference + "' needs the parameter '" + name + "'",
                  .needed = "'" + name + "': " + parameter.description,
                  .fix = "add \"" + name + "\": \"...\" to its config"});
    return;
  }
  for (Fault& fault : faults(parameter, value)) {
    findings.add({.place = place,
                  .code = "wrong-parameter",
                  .what = "'" + use.reference + "' does not take this value of '" + name + "'",
                  .found = value,
                  .needed = std::move(fault.needed),
                  .fix = "change the value"});
  }
}

}  // namespace

void check_config(const Parameters& parameters, const PluginUse& use, Findings& findings) {
  std::vector<std::string> names;
  for (const auto& [name, parameter] : parameters) names.push_back(name);
  for (const auto& [key, value] : use.config) {
    if (find(parameters, key) != nullptr) continue;
    findings.add({.place = use.key_places.find(key)->second,
                  .code = "unknown-parameter",
                  .what = "'" + use.reference + "' has no parameter '" + key + "'",
                  .needed = tenon::reading::enumerate(names),
                  .fix = tenon::reading::did_you_mean(key, names, "remove it")});
  }
  for (const auto& [name, parameter] : parameters) {
    if (name.find('*') == std::string::npos) check_value(parameter, name, use, findings);
  }
  for (const auto& [key, value] : use.config) {
    const Parameter* parameter = find(parameters, key);
    if (parameter != nullptr && parameters.find(key) == parameters.end()) {
      check_value(*parameter, key, use, findings);
    }
  }
}

}  // namespace pipeline
