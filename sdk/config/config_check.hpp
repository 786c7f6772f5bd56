// SPDX-License-Identifier: BSL-1.0
//
// Checks a config against the parameters of a plugin according to the document type
// tenon.dev/parameter: defaults, unknown keys, types, validations.
#pragma once

#include <tenon/parameter.hpp>
#include <tenon/values.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::config {

/// Parameters by name. A `*` in a name matches exactly one part between two dots. If several names
/// match a key, the one without a star is used, then the one whose first star is last.
using Parameters = std::map<std::string, Parameter, std::less<>>;

/// A violation of the parameters by a config, or a parameter that is itself invalid.
struct Problem {
  enum class Reason { missing, unknown, wrong, invalid_parameter };

  Reason reason;
  std::string name;    // the key in the config; if missing or invalid, the parameter
  std::string found;   // the value if it is wrong; "(hidden)" if the parameter is sensitive
  std::string needed;  // eg: "more than 5"; if the value is missing, the parameter's description
};

/// An error of a plugin in a parameter, eg: {"exclusion \"a\"", "a JSON array of texts"}.
struct Fault {
  std::string found;
  std::string needed;
};

/// The result of a check.
struct Checked {
  /// The config that the plugin gets: with the defaults of parameters that are absent or blank.
  TextMap config;
  /// First wrong values in the order of the keys, then absent parameters, then unknown keys. If
  /// parameters are invalid, only these: no config can be checked against them.
  std::vector<Problem> problems;
  /// The keys of the config whose parameters are sensitive.
  std::set<std::string, std::less<>> secrets;
};

/// Checks a config. REQUIRES: its keys and values have no blanks at their ends.
Checked check(const Parameters& parameters, const TextMap& config);

/// Returns the conditions of a parameter that `value` violates, eg: "more than 5"; empty if the
/// value is valid. A value of the wrong type is not validated further. REQUIRES: `value` is not
/// empty, and the parameter has no fault.
std::vector<std::string> unmet_needs(const Parameter& parameter, const std::string& value);

/// Returns the first fault of a parameter: an unknown type, or a validation that cannot be checked.
/// Returns nothing if it has none.
std::optional<Fault> fault_of(const Parameter& parameter);

/// Returns the default without the blanks at its ends; empty if there is none.
std::string_view default_of(const Parameter& parameter);

/// Returns whether a config must contain a value: one is required and there is no default.
bool must_be_given(const Parameter& parameter);

/// Returns whether a part of a name is a star, so that it can match several keys.
bool has_star(std::string_view name);

}  // namespace tenon::config
