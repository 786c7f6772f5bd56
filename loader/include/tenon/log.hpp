// SPDX-License-Identifier: BSL-1.0
//
// tenon/log.hpp: log lines of a host and its plugins. See HostOptions::log_sink.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/export.hpp>
#include <tenon/list_view.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon { inline namespace v0_1 {

enum class LogLevel : std::int32_t {
  trace = TENON_LOG_TRACE,
  debug = TENON_LOG_DEBUG,
  info = TENON_LOG_INFO,
  warn = TENON_LOG_WARN,
  error = TENON_LOG_ERROR,
  off,  // as HostOptions::log_level: nothing is logged
};

/// A key and its value.
struct LogPair {
  std::string_view key;
  std::string_view value;
};

template <>
struct Value<LogPair> {
  using Raw = tenon_log_pair;
  using View = LogPair;
  static View view(const Raw& raw) noexcept {
    return {{raw.key.data, raw.key.size}, {raw.value.data, raw.value.size}};
  }
};

/// One log line. Its texts are unchanged: they may contain control characters and bytes that are
/// not UTF-8. They are valid while the sink runs.
struct TENON_API LogLine {
  std::chrono::system_clock::time_point time{};
  /// Never `off`.
  LogLevel level = LogLevel::info;
  /// The package that logs, eg: "me.example/filters"; empty for the host.
  std::string_view package{};
  /// The plugin of that package that logs, eg: "me.example/blur"; empty if the module logs outside
  /// its plugins: in `start` and `stop`, and on its own threads unless it names one.
  std::string_view plugin{};
  std::string_view message{};
  /// In the order of the plugin. A key may occur more than once.
  ListView<LogPair> pairs{};

  /// Returns one line without time and level, with control characters escaped, eg:
  /// "me.example/blur (me.example/filters): opened path=in.png rows=12 note=\"two words\""
  std::string to_string() const;
};

}}  // namespace tenon::v0_1
