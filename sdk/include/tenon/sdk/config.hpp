// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/config.hpp: reads the configuration of a plugin.
#pragma once

#include <tenon/sdk/failure.hpp>
#include <tenon/values.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace tenon::sdk {

/// Reads a T from the text of a parameter. Specialise it for types of your own:
///   expected  what a message says was wanted, eg: "a whole number"
///   parse     the value, nothing when the text is none
template <class T, class = void>
struct Parameter;

template <>
struct Parameter<std::string> {
  static std::string expected() { return "a text"; }
  static std::optional<std::string> parse(std::string_view text) { return std::string(text); }
};

template <>
struct Parameter<bool> {
  static std::string expected() { return "true or false"; }
  static std::optional<bool> parse(std::string_view text) {
    if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
    if (text == "false" || text == "no" || text == "off" || text == "0") return false;
    return std::nullopt;
  }
};

template <class T>
struct Parameter<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
  static std::string expected() {
    using Limits = std::numeric_limits<T>;
    return sdk::text("a whole number from ", +Limits::min(), " to ", +Limits::max());
  }
  static std::optional<T> parse(std::string_view text) {
    T value{};
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }
};

template <class T>
struct Parameter<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static std::string expected() { return "a number"; }
  static std::optional<T> parse(std::string_view text) {
    T value{};
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      return std::nullopt;
    }
    return value;
  }
};

template <>
struct Parameter<Duration> {
  static std::string expected() { return "a duration such as 250ms, 1.5s or 1h30m"; }
  static std::optional<Duration> parse(std::string_view text) {
    if (text == "0") return Duration::zero();
    double sum = 0;
    std::size_t at = 0;
    while (at < text.size()) {
      double amount = 0;
      auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), amount,
                                          std::chars_format::fixed);
      if (error != std::errc() || !(amount >= 0)) return std::nullopt;
      at = static_cast<std::size_t>(end - text.data());
      std::size_t unit_end = at;
      while (unit_end < text.size() && text[unit_end] >= 'a' && text[unit_end] <= 'z') unit_end++;
      double unit = nanoseconds_in(text.substr(at, unit_end - at));
      if (unit == 0) return std::nullopt;
      sum += amount * unit;
      at = unit_end;
    }
    if (text.empty() || !(sum < 9.2e18)) return std::nullopt;
    return Duration(static_cast<Duration::rep>(std::llround(sum)));
  }

 private:
  static double nanoseconds_in(std::string_view unit) {
    if (unit == "ns") return 1;
    if (unit == "us") return 1e3;
    if (unit == "ms") return 1e6;
    if (unit == "s") return 1e9;
    if (unit == "m") return 60e9;
    if (unit == "h") return 3600e9;
    return 0;
  }
};

/// What `configure` is called with; valid during that call. A parameter that is blank counts as
/// absent; blanks around a value do not count. Every failure is TENON_INVALID_ARGUMENT and names
/// the parameter.
///
///   radius = config.get("radius", 3.f);
///   path = config.get<std::string>("path");
class Config {
 public:
  explicit Config(MapView<std::string> entries) noexcept : entries_(entries) {}

  bool has(std::string_view key) const { return find(key).has_value(); }

  /// The value of a parameter that must be there.
  template <class T>
  T get(std::string_view key) const {
    std::optional<std::string_view> value = find(key);
    if (!value) throw Failure(TENON_INVALID_ARGUMENT, "parameter \"", key, "\" is required");
    return parse<T>(key, *value);
  }

  /// The same, with a value for where it is absent.
  template <class T>
  T get(std::string_view key, const T& otherwise) const {
    std::optional<std::string_view> value = find(key);
    return value ? parse<T>(key, *value) : otherwise;
  }
  std::string get(std::string_view key, const char* otherwise) const {
    return get<std::string>(key, otherwise);
  }
  template <class Rep, class Period>
  Duration get(std::string_view key, std::chrono::duration<Rep, Period> otherwise) const {
    return get<Duration>(key, otherwise);
  }

  /// All parameters as they came.
  MapView<std::string> entries() const noexcept { return entries_; }

 private:
  std::optional<std::string_view> find(std::string_view key) const {
    constexpr std::string_view blanks = " \t\r\n";
    std::optional<std::string_view> value = entries_.find(key);
    if (!value) return std::nullopt;
    std::size_t begin = value->find_first_not_of(blanks);
    if (begin == std::string_view::npos) return std::nullopt;
    return value->substr(begin, value->find_last_not_of(blanks) + 1 - begin);
  }

  template <class T>
  static T parse(std::string_view key, std::string_view value) {
    std::optional<T> parsed = Parameter<T>::parse(value);
    if (!parsed) {
      throw Failure(TENON_INVALID_ARGUMENT, "parameter \"", key, "\" is \"", value, "\", expected ",
                    Parameter<T>::expected());
    }
    return *std::move(parsed);
  }

  MapView<std::string> entries_;
};

}  // namespace tenon::sdk
