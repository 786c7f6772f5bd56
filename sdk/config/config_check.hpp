// SPDX-License-Identifier: BSL-1.0
//
// Checks a config against the parameters of a plugin, by the rules of the document type
// tenon.dev/parameter: defaults, unknown keys, types, validations.
#pragma once

#include <tenon/parameter.hpp>
#include <tenon/values.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::config {

/// By name. A `*` in a name matches exactly one part between two dots. A name without a star is
/// preferred, then the one whose first star comes latest.
using Parameters = std::map<std::string, Parameter, std::less<>>;

/// Something in a config that its parameters do not allow.
struct Problem {
  enum class Reason { missing, unknown, wrong };

  Reason reason;
  std::string name;    // the key in the config; of a missing value the name of its parameter
  std::string found;   // the value if it is wrong; "(hidden)" if the parameter is sensitive
  std::string needed;  // eg: "more than 5"; of a missing value the description of its parameter
};

struct Checked {
  /// The config that the plugin gets: with the defaults of parameters that are absent or blank.
  TextMap config;
  /// In the order of the keys of the config, then the absent parameters, then the unknown keys.
  std::vector<Problem> problems;
};

/// Checks a config. REQUIRED: its keys and values have no blanks at their ends.
Checked check(const Parameters& parameters, const TextMap& config);

/// Returns what a parameter needs instead of `value`, eg: "more than 5"; empty if it takes it. A
/// value of the wrong type is not validated further. REQUIRED: the value is not empty.
std::vector<std::string> unmet_needs(const Parameter& parameter, const std::string& value);

/// Returns what is wrong with the validations of a parameter themselves; empty if nothing is.
std::string fault_of_validations(const Parameter& parameter);

/// Returns the default without the blanks at its ends; empty if there is none.
std::string_view default_of(const Parameter& parameter);

/// Returns whether a config must have a value, because one is required and there is no default.
bool must_be_given(const Parameter& parameter);

/// Returns whether a name matches several keys, because one of its parts is a star.
bool has_star(std::string_view name);

}  // namespace tenon::config
