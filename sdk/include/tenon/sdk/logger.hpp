// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/logger.hpp: the host's log.
#pragma once

#include <tenon/abi.h>
#include <tenon/sdk/call.hpp>
#include <tenon/sdk/text.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tenon::sdk {

/// The levels of the log, in ascending order.
enum class Level : std::int32_t {
  trace = TENON_LOG_TRACE,
  debug = TENON_LOG_DEBUG,
  info = TENON_LOG_INFO,
  warn = TENON_LOG_WARN,
  error = TENON_LOG_ERROR,
};

/// A value of a log line: a string, a character, a number or a boolean. It refers to the object
/// that it was constructed from, and is converted to text only if the line is logged.
class LogValue {
 public:
  /// Refers to `value`, which must outlive the LogValue.
  template <class T>
  LogValue(const T& value) noexcept {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      text_ = std::string_view(value);
    } else {
      static_assert(std::is_arithmetic_v<T>, "a value is a string, a character or a number");
      number_ = &value;
      append_ = [](std::string& out, const void* number) {
        detail::append(out, *static_cast<const T*>(number));
      };
    }
  }

  /// Returns the value as text.
  std::string to_string() const {
    std::string out(text_);
    if (append_ != nullptr) append_(out, number_);
    return out;
  }

 private:
  std::string_view text_;
  const void* number_ = nullptr;
  void (*append_)(std::string& out, const void* number) = nullptr;
};

/// A key and its value in a log line, eg: {"rows", 12}
struct LogPair {
  std::string_view key;
  LogValue value;
};

/// Writes lines to the host's log. If the host does not log lines of the level, a function returns
/// without formatting the line. A line is a message in parts, or a message with pairs:
///
///   log.info("read ", count, " rows");
///   log.info("opened", {{"path", path}, {"rows", count}});
///
/// Thread-safe. No function throws: if memory runs out, the line is lost.
class Logger {
 public:
  /// `plugin` is the name of the plugin that logs, empty for the module; it must outlive the
  /// Logger. If `host` is nullptr, lines are logged through the current call of the thread, and
  /// lost if there is none.
  explicit Logger(const tenon_host* host, std::string_view plugin = {}) noexcept
      : host_(host), plugin_(plugin) {}

  /// Returns whether the host logs lines of this level. This never changes during the lifetime of
  /// the host.
  bool wants(Level level) const noexcept {
    const auto number = static_cast<std::int32_t>(level);
    if (host_ != nullptr) return tenon_host_log_wanted(host_, number) != 0;
    tenon_call* call = detail::current_call();
    return call != nullptr && tenon_log_wanted(call, number) != 0;
  }

  /// Writes a line. The message is the concatenation of the parts, see text().
  template <class... Parts>
  void write(Level level, const Parts&... parts) const noexcept {
    if (!wants(level)) return;
    detail::ignoring_exceptions([&] { write_line(level, text(parts...), nullptr, 0); });
  }
  /// Writes a line with a message and pairs.
  void write(Level level, std::string_view message,
             std::initializer_list<LogPair> pairs) const noexcept {
    if (!wants(level)) return;
    detail::ignoring_exceptions([&] { write_pairs(level, message, pairs); });
  }

  // The functions below write a line of the level in their name.

  template <class... Parts>
  void trace(const Parts&... parts) const noexcept {
    write(Level::trace, parts...);
  }
  void trace(std::string_view message, std::initializer_list<LogPair> pairs) const noexcept {
    write(Level::trace, message, pairs);
  }
  template <class... Parts>
  void debug(const Parts&... parts) const noexcept {
    write(Level::debug, parts...);
  }
  void debug(std::string_view message, std::initializer_list<LogPair> pairs) const noexcept {
    write(Level::debug, message, pairs);
  }
  template <class... Parts>
  void info(const Parts&... parts) const noexcept {
    write(Level::info, parts...);
  }
  void info(std::string_view message, std::initializer_list<LogPair> pairs) const noexcept {
    write(Level::info, message, pairs);
  }
  template <class... Parts>
  void warn(const Parts&... parts) const noexcept {
    write(Level::warn, parts...);
  }
  void warn(std::string_view message, std::initializer_list<LogPair> pairs) const noexcept {
    write(Level::warn, message, pairs);
  }
  template <class... Parts>
  void error(const Parts&... parts) const noexcept {
    write(Level::error, parts...);
  }
  void error(std::string_view message, std::initializer_list<LogPair> pairs) const noexcept {
    write(Level::error, message, pairs);
  }

 private:
  void write_pairs(Level level, std::string_view message,
                   std::initializer_list<LogPair> pairs) const {
    std::vector<std::string> values;
    std::vector<tenon_log_pair> raw;
    values.reserve(pairs.size());
    raw.reserve(pairs.size());
    for (const LogPair& pair : pairs) {
      const std::string& value = values.emplace_back(pair.value.to_string());
      raw.push_back({raw_text(pair.key), raw_text(value)});
    }
    write_line(level, message, raw.data(), raw.size());
  }

  void write_line(Level level, std::string_view message, const tenon_log_pair* pairs,
                  std::size_t count) const {
    tenon_log_line line =
        tenon_new_log_line(static_cast<std::int32_t>(level), nullptr, pairs, count);
    line.plugin = raw_text(plugin_);
    line.message = raw_text(message);
    if (host_ != nullptr) {
      tenon_host_log(host_, line);
    } else if (tenon_call* call = detail::current_call(); call != nullptr) {
      tenon_log(call, line);
    }
  }

  static tenon_string raw_text(std::string_view text) noexcept {
    return {text.data(), text.size()};
  }

  const tenon_host* host_;
  std::string_view plugin_;
};

}  // namespace tenon::sdk
