// SPDX-License-Identifier: BSL-1.0
//
// The names of the levels of the log, as people write them.
#pragma once

#include <tenon/log.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

namespace tenon { inline namespace v0_1 { namespace detail {

inline constexpr std::string_view log_level_names[] = {"trace", "debug", "info",
                                                       "warn",  "error", "off"};
inline constexpr std::string_view all_log_levels = "trace, debug, info, warn, error or off";

/// Returns nothing if no level has this name.
inline std::optional<LogLevel> parse_log_level(std::string_view name) {
  const auto* found = std::ranges::find(log_level_names, name);
  if (found == std::end(log_level_names)) return std::nullopt;
  return static_cast<LogLevel>(found - std::begin(log_level_names));
}

}}}  // namespace tenon::v0_1::detail
