// SPDX-License-Identifier: BSL-1.0
//
// tenon/log.hpp: what a host and its plugins log. See HostOptions::log_sink.
#pragma once

#include <tenon/abi.h>
#include <tenon/export.hpp>
#include <tenon/values.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon {

enum class LogLevel : std::int32_t {
  trace = TENON_LOG_TRACE,
  debug = TENON_LOG_DEBUG,
  info = TENON_LOG_INFO,
  warn = TENON_LOG_WARN,
  error = TENON_LOG_ERROR,
  off,  // of a host: it logs nothing
};

/// A key with its value.
struct LogPair {
  std::string_view key;
  std::string_view value;
};

template <>
struct Value<LogPair> {
  using Raw = tenon_log_pair;
  using View = LogPair;
  static View view(const Raw& raw) noexcept {
    return {Value<std::string>::view(raw.key), Value<std::string>::view(raw.value)};
  }
};

/// One line of the log. Its texts are those of the plugin, unchanged: they may hold control
/// characters and bytes that are no UTF-8. They are valid while the sink runs.
struct TENON_API LogLine {
  std::chrono::system_clock::time_point time{};
  /// Not `off`.
  LogLevel level = LogLevel::info;
  /// Whose code logs, eg: "me.example/filters"; empty where it is the host.
  std::string_view package{};
  /// The plugin of that package, eg: "me.example/blur"; empty where the module logs outside of its
  /// plugins: in `start` and `stop`, and on threads of its own where it names none.
  std::string_view plugin{};
  std::string_view message{};
  /// In the order in which the plugin gave them; a key may stand more than once.
  ListView<LogPair> pairs{};

  /// One line without time and level, in which control characters are escaped. eg:
  /// "me.example/blur (me.example/filters): opened path=in.png rows=12 note=\"two words\""
  std::string to_string() const;
};

}  // namespace tenon
