// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/config.hpp: reads the configuration of a plugin.
#pragma once

#include <tenon/sdk/failure.hpp>
#include <tenon/values.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#if !defined(__cpp_lib_to_chars)
#include <cstdlib>
#include <locale>
#include <sstream>
#endif

namespace tenon::sdk {
namespace detail {

inline bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Returns the number without a leading plus, which std::from_chars does not accept.
inline std::string_view without_plus(std::string_view number) {
  const bool plus = number.size() > 1 && number[0] == '+' && number[1] != '+' && number[1] != '-';
  return number.substr(plus ? 1 : 0);
}

/// Returns the text without blanks at its ends.
inline std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

/// Parses a real number as std::from_chars does. Returns its length; 0 if there is none or it is
/// out of range.
template <class T>
std::size_t parse_real(std::string_view text, T& value,
                       std::chars_format format = std::chars_format::general) {
#if defined(__cpp_lib_to_chars)
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, format);
  return error == std::errc() ? static_cast<std::size_t>(end - text.data()) : 0;
#else
  // libc++ parses real numbers only with streams, which know neither infinity nor NaN.
  const bool fixed = format == std::chars_format::fixed;
  const std::string number(
      text.substr(0, text.find_first_not_of(fixed ? "0123456789." : "+-.0123456789Ee")));
  if (number.find_first_of("0123456789") != std::string::npos) {
    std::istringstream stream(number);
    stream.imbue(std::locale::classic());
    stream >> value;
    // A subnormal number is reported as out of range but stored.
    if (stream.fail() && (value == 0 || !std::isfinite(value))) return 0;
    if (stream.eof()) return number.size();
    stream.clear();
    return static_cast<std::size_t>(stream.tellg());
  }
  const bool blank = text.find_first_of(" \t\n\v\f\r") == 0;  // strtod would skip it
  if (fixed || blank) return 0;
  const std::string word(text);
  char* end = nullptr;
  value = static_cast<T>(std::strtod(word.c_str(), &end));
  return static_cast<std::size_t>(end - word.c_str());
#endif
}

}  // namespace detail

/// Parses the text of a parameter as a T. Specialise it for your own types:
///   expected  describes valid values in error messages, eg: "a whole number"
///   parse     returns the value; nothing if the text is not valid
template <class T, class = void>
struct Parameter;

/// Accepts any text.
template <>
struct Parameter<std::string> {
  static std::string expected() { return "a text"; }
  static std::optional<std::string> parse(std::string_view text) { return std::string(text); }
};

/// Accepts true, True, TRUE, t, T, yes, on and 1; false, False, FALSE, f, F, no, off and 0.
template <>
struct Parameter<bool> {
  static std::string expected() { return "true or false"; }
  static std::optional<bool> parse(std::string_view text) {
    if (detail::is_one_of(text, {"true", "True", "TRUE", "t", "T", "yes", "on", "1"})) return true;
    if (detail::is_one_of(text, {"false", "False", "FALSE", "f", "F", "no", "off", "0"})) {
      return false;
    }
    return std::nullopt;
  }
};

/// Accepts decimal integers in the range of T.
template <class T>
struct Parameter<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
  static std::string expected() {
    using Limits = std::numeric_limits<T>;
    return sdk::text("a whole number from ", +Limits::min(), " to ", +Limits::max());
  }
  static std::optional<T> parse(std::string_view text) {
    text = detail::without_plus(text);
    T value{};
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }
};

/// Accepts decimal numbers, infinity and NaN, eg: "1.5e3", "-Inf", "NaN".
template <class T>
struct Parameter<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static std::string expected() { return "a number"; }
  static std::optional<T> parse(std::string_view text) {
    text = detail::without_plus(text);
    T value{};
    const std::size_t length = detail::parse_real(text, value);
    if (length == 0 || length != text.size() || text.find('(') != text.npos) return std::nullopt;
    return value;
  }
};

/// Accepts 0, and numbers with the units ns, us, ms, s, m and h, eg: "250ms", "1h30m", "-1.5s".
template <>
struct Parameter<Duration> {
  static std::string expected() { return "a duration such as 250ms, 1.5s or 1h30m"; }
  static std::optional<Duration> parse(std::string_view text) {
    const bool negative = text.substr(0, 1) == "-";
    if (negative || text.substr(0, 1) == "+") text.remove_prefix(1);
    if (text == "0") return Duration::zero();
    double sum = 0;
    std::size_t at = 0;
    while (at < text.size()) {
      double amount = 0;
      const std::size_t length =
          detail::parse_real(text.substr(at), amount, std::chars_format::fixed);
      if (length == 0 || !(amount >= 0)) return std::nullopt;
      at += length;
      std::size_t unit_end = at;
      while (unit_end < text.size() && in_unit(text[unit_end])) ++unit_end;
      double unit = nanoseconds_in(text.substr(at, unit_end - at));
      if (unit == 0) return std::nullopt;
      sum += amount * unit;
      at = unit_end;
    }
    if (text.empty() || !(sum < 9.2e18)) return std::nullopt;
    return Duration(static_cast<Duration::rep>(std::llround(negative ? -sum : sum)));
  }

 private:
  /// Accepts the bytes of UTF-8 sequences too, for the micro sign.
  static bool in_unit(char c) { return (c >= 'a' && c <= 'z') || (c & 0x80) != 0; }
  static double nanoseconds_in(std::string_view unit) {
    if (unit == "ns") return 1;
    // The micro sign U+00B5 and the Greek letter U+03BC.
    if (unit == "us" || unit == "\u00b5s" || unit == "\u03bcs") return 1e3;
    if (unit == "ms") return 1e6;
    if (unit == "s") return 1e9;
    if (unit == "m") return 60e9;
    if (unit == "h") return 3600e9;
    return 0;
  }
};

/// The parameters that `configure` gets. Valid during that call, for one thread. Blanks around keys
/// and values are ignored, and a blank value counts as absent. Every function that throws throws
/// Failure with TENON_INVALID_ARGUMENT and the name of the parameter.
///
///   radius = config.get("radius", 3.f);
///   path = config.get<std::string>("path");
class Config {
 public:
  /// Refers to `entries`, which must outlive the Config.
  explicit Config(MapView<std::string> entries) : entries_(entries) {
    values_.reserve(entries.size());
    for (const auto& [key, value] : entries) {
      values_.push_back({detail::without_blanks(key), detail::without_blanks(value)});
    }
    std::stable_sort(values_.begin(), values_.end(), is_before);
  }

  /// Returns whether the parameter is present and not blank.
  bool has(std::string_view key) const { return find(key).has_value(); }

  /// Returns the value of a required parameter. Throws if it is absent or not a valid T.
  template <class T>
  T get(std::string_view key) const {
    return parse<T>(key, require(key), Shown::yes);
  }

  /// Returns the value of an optional parameter; `otherwise` if it is absent. Throws if it is not a
  /// valid T.
  template <class T>
  T get(std::string_view key, const T& otherwise) const {
    std::optional<std::string_view> value = find(key);
    return value ? parse<T>(key, *value, Shown::yes) : otherwise;
  }
  /// Returns the value of an optional parameter as a string.
  std::string get(std::string_view key, const char* otherwise) const {
    return get<std::string>(key, otherwise);
  }
  /// Returns the value of an optional parameter as a Duration.
  template <class Rep, class Period>
  Duration get(std::string_view key, std::chrono::duration<Rep, Period> otherwise) const {
    return get<Duration>(key, otherwise);
  }

  /// Returns the value of a required parameter, such as a password, which does not appear in error
  /// messages. Throws as `get` does.
  template <class T>
  T get_sensitive(std::string_view key) const {
    return parse<T>(key, require(key), Shown::no);
  }

  /// Returns all parameters unchanged. They all count as read, see `unread`.
  MapView<std::string> entries() const noexcept {
    all_read_ = true;
    return entries_;
  }

  /// Returns the keys of parameters that are not blank and have not been read.
  std::vector<std::string_view> unread() const {
    std::vector<std::string_view> keys;
    for (const Entry& entry : values_) {
      if (!all_read_ && !entry.read && !entry.value.empty()) keys.push_back(entry.key);
    }
    return keys;
  }

 private:
  struct Entry {
    std::string_view key;
    std::string_view value;
    mutable bool read = false;
  };
  enum class Shown { no, yes };

  static bool is_before(const Entry& a, const Entry& b) { return a.key < b.key; }

  std::optional<std::string_view> find(std::string_view key) const {
    const auto found = std::lower_bound(values_.begin(), values_.end(), Entry{key, {}}, is_before);
    if (found == values_.end() || found->key != key) return std::nullopt;
    found->read = true;
    if (found->value.empty()) return std::nullopt;
    return found->value;
  }

  std::string_view require(std::string_view key) const {
    std::optional<std::string_view> value = find(key);
    if (!value) fail(TENON_INVALID_ARGUMENT, "parameter \"", key, "\" is required");
    return value.value_or(std::string_view());
  }

  template <class T>
  static T parse(std::string_view key, std::string_view value, Shown shown) {
    std::optional<T> parsed = Parameter<T>::parse(value);
    if (!parsed) {
      const std::string found = shown == Shown::yes ? text('"', value, '"') : "(hidden)";
      return detail::raise<T>(Failure(TENON_INVALID_ARGUMENT, "parameter \"", key, "\" is ", found,
                                      ", expected ", Parameter<T>::expected()));
    }
    return *std::move(parsed);
  }

  MapView<std::string> entries_;
  std::vector<Entry> values_;  // sorted by key, without blanks
  mutable bool all_read_ = false;
};

}  // namespace tenon::sdk
