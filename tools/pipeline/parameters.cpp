// SPDX-License-Identifier: BSL-1.0
#include "parameters.hpp"

#include <tenon/sdk/config.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <optional>
#include <regex>
#include <set>
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

/// Which parts of a name, between its dots, are a star.
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
  return std::find(shape.begin(), shape.end(), true) != shape.end();
}

/// The name of this shape that matches a key; nothing where the key has other parts.
std::optional<std::string> name_of(std::string_view key, const Shape& shape) {
  std::string name;
  for (std::size_t i = 0; i < shape.size(); i++) {
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
  /// The parameters live longer.
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
  std::set<Shape> shapes_;  // of the names with a star
};

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

/// Checks the value that a parameter has in `config`, after its default is filled in.
void check_value(const Parameter& parameter, const std::string& name, const PluginUse& use,
                 tenon::TextMap& config, Findings& findings) {
  const auto given = use.value_places.find(name);
  const Place& place = given == use.value_places.end() ? use.config_place : given->second;
  const auto set = config.find(name);
  const std::string_view default_value = trimmed(parameter.default_value);
  std::string value(set == config.end() || set->second.empty() ? default_value : set->second);
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
                  .found = parameter.sensitive ? "(hidden)" : value,
                  .needed = std::move(fault.needed),
                  .fix = "change the value"});
  }
  config.insert_or_assign(name, std::move(value));
}

// Looking for a near name takes time for each that is known.
constexpr std::size_t most_hints = 100;

void add_unknown(const Parameters& parameters, const std::vector<std::string>& keys,
                 const PluginUse& use, Findings& findings) {
  if (keys.empty()) return;
  std::vector<std::string> names;
  for (const auto& [name, parameter] : parameters) names.push_back(name);
  const std::string needed = tenon::reading::enumerate(names);
  std::size_t hints = 0;
  for (const std::string& key : keys) {
    const std::string remedy = "remove it";
    findings.add(
        {.place = use.key_places.find(key)->second,
         .code = "unknown-parameter",
         .what = "'" + use.reference + "' has no parameter '" + key + "'",
         .needed = needed,
         .fix = hints++ < most_hints ? tenon::reading::did_you_mean(key, names, remedy) : remedy});
  }
}

}  // namespace

tenon::TextMap check_config(const Parameters& parameters, const PluginUse& use,
                            Findings& findings) {
  const ParameterFinder finder(parameters);
  tenon::TextMap config = use.config;
  std::vector<std::string> unknown;
  for (const auto& [key, value] : use.config) {
    const Parameter* parameter = finder.find(key);
    if (parameter == nullptr) {
      unknown.push_back(key);
    } else {
      check_value(*parameter, key, use, config, findings);
    }
  }
  for (const auto& [name, parameter] : parameters) {
    if (use.config.count(name) != 0 || has_star(shape_of(name))) continue;
    check_value(parameter, name, use, config, findings);
  }
  add_unknown(parameters, unknown, use, findings);
  return config;
}

}  // namespace pipeline
