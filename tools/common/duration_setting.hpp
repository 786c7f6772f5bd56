// SPDX-License-Identifier: BSL-1.0
//
// Durations in configuration files.
#pragma once

#include <tenon/sdk/config.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "common/diagnostics.hpp"
#include "common/object_reader.hpp"

namespace tenon::tools {

/// Longer durations are cut, because their ends would exceed the range of the clock.
constexpr std::chrono::nanoseconds longest_duration = std::chrono::years(100);

/// Reads a duration such as "1h30m", longer than 0. Returns nothing if the key is absent, or if its
/// value is invalid, which adds a diagnostic. `what`: eg "timeout".
inline std::optional<std::chrono::nanoseconds> read_duration(const ObjectReader& object,
                                                             std::string_view key,
                                                             const std::string& what,
                                                             Diagnostics& diagnostics) {
  using Parameter = sdk::Parameter<Duration>;
  const JsonValue* value = object.optional(key);
  if (value == nullptr) return std::nullopt;
  const std::string* text = value->text();
  const auto duration = text != nullptr ? Parameter::parse(*text) : std::nullopt;
  if (duration && *duration > Duration::zero()) {
    return std::min<std::chrono::nanoseconds>(*duration, longest_duration);
  }
  diagnostics.add({.location = value->location,
                   .code = "wrong-value",
                   .message = "the " + what + " '" + std::string(key) + "' is invalid",
                   .found = to_json(*value),
                   .needed = Parameter::expected().append(", longer than 0"),
                   .fix = "change the value"});
  return std::nullopt;
}

}  // namespace tenon::tools
