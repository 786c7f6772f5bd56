// SPDX-License-Identifier: BSL-1.0
//
// The values of settings in configuration files. A value is a string, in which `${NAME}` is the
// value of an environment variable, or {"file": "PATH"}, the content of a file. These values are
// hidden from all messages; see hidden_values.hpp.
#pragma once

#include <string>
#include <string_view>

#include "common/diagnostics.hpp"
#include "common/json_value.hpp"

namespace tenon::tools {

struct SettingValue {
  std::string value;
  /// The value with its references, for what is stored: `${NAME}`, or `${file:PATH}` with an
  /// absolute path. `$${` is `${` as text.
  std::string written;
};

/// Reads the value of the setting `key`. A relative path is relative to the directory of the file
/// that contains the value. Adds a problem to the diagnostics, and returns empty texts, if the
/// value has another type, a variable is not set, or a file cannot be read.
SettingValue read_setting_value(const JsonValue& value, const std::string& key,
                                Diagnostics& diagnostics);

/// Returns the value for SettingValue::written. `location` and `key` are for diagnostics.
std::string value_of_written(std::string_view written, const std::string& key,
                             const SourceLocation& location, Diagnostics& diagnostics);

/// Returns a value without references as SettingValue::written.
std::string written_of_value(std::string_view value);

}  // namespace tenon::tools
