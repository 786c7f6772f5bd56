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

enum class Level : std::int32_t {
  trace = TENON_LOG_TRACE,
  debug = TENON_LOG_DEBUG,
  info = TENON_LOG_INFO,
  warn = TENON_LOG_WARN,
  error = TENON_LOG_ERROR,
};

/// A value in a line of the log: a text, a character, a number or a truth value. Refers to what it
/// is made of, and becomes a text only if the line is logged.
class LogValue {
 public:
  template <class T>
  LogValue(const T& value) noexcept {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      text_ = std::string_view(value);
    } else {
      static_assert(std::is_arithmetic_v<T>, "a value is a text, a character or a number");
      number_ = &value;
      append_ = [](std::string& out, const void* number) {
        detail::append(out, *static_cast<const T*>(number));
      };
    }
  }

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

/// eg: {"rows", 12}
struct LogPair {
  std::string_view key;
  LogValue value;
};

/// Writes lines to the host's log. Each function asks first whether the host takes lines of the
/// level, and puts nothing together otherwise. A line has a message in parts, or a message and
/// pairs:
///
///   log.info("read ", count, " rows");
///   log.info("opened", {{"path", path}, {"rows", count}});
///
/// From any thread. Throws nothing: a line for which no memory is left is lost.
class Logger {
 public:
  /// `plugin`: whose lines they are, empty for the module; outlives the Logger. Without a host
  /// lines go to the call that the thread is in, and are lost where there is none.
  explicit Logger(const tenon_host* host, std::string_view plugin = {}) noexcept
      : host_(host), plugin_(plugin) {}

  /// Whether the host takes lines of this level. The answer does not change while the host lives.
  bool wants(Level level) const noexcept {
    const auto number = static_cast<std::int32_t>(level);
    if (host_ != nullptr) return tenon_host_log_wanted(host_, number) != 0;
    tenon_call* call = detail::current_call();
    return call != nullptr && tenon_log_wanted(call, number) != 0;
  }

  template <class... Parts>
  void write(Level level, const Parts&... parts) const noexcept {
    if (!wants(level)) return;
    try {
      write_line(level, text(parts...), nullptr, 0);
    } catch (...) {
    }
  }
  void write(Level level, std::string_view message,
             std::initializer_list<LogPair> pairs) const noexcept {
    if (!wants(level)) return;
    try {
      write_pairs(level, message, pairs);
    } catch (...) {
    }
  }

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
