// SPDX-License-Identifier: BSL-1.0
//
// tenon/values.hpp: C++17 types for the values of the ABI, for hosts and plugins.
//
// Each type of a spec has three forms:
// - raw: the C struct that crosses the ABI (tenon_string, tenon_list, tenon_record_v2);
// - view: reads the raw form in place and is valid as long as it is (std::string_view, ListView);
// - owned: an ordinary C++ value (std::string, std::vector).
//
// Value<T> converts between them; T is the owned form. Generated headers specialise Value for the
// documents, structs and enums of their kinds.
#pragma once

#include <tenon/abi.h>
#include <tenon/list_view.hpp>
#include <tenon/value_types.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon { inline namespace v0_1 {

/// How to make a raw form: pointing into the owned value (shallow), or at copies in the arena of
/// the call (deep).
enum class Copy { shallow, deep };

/// Conversions of one type; T is its owned form. Every specialisation has
/// - Raw, View: the other two forms;
/// - raw<Copy>(call, const T&): returns the raw form; allocates arrays of elements in the arena of
///   `call`, even if shallow;
/// - pass(call, View): returns the raw form of a view, shallow;
/// - view(const Raw&): returns a view, valid as long as the raw value and its data;
/// - own(const Raw&): returns a copy;
/// - absent(const Raw&), none(): only if the raw form has a value of its own for "absent";
/// - has_data(const Raw&): only if the raw form points to data: returns false if it, or a part of
///   it, has a size and NULL as its data. The other functions must not be called then.
template <class T, class>
struct Value;

namespace detail {

template <class T, class = void>
inline constexpr bool points_to_data = false;
template <class T>
inline constexpr bool points_to_data<T, std::void_t<decltype(&Value<T>::has_data)>> = true;

/// Value<T>::has_data of a type that may have none.
template <class T, class Raw>
bool has_data(const Raw& raw) noexcept {
  if constexpr (points_to_data<T>) {
    return Value<T>::has_data(raw);
  } else {
    return true;
  }
}

template <class T>
struct PlainValue {
  using Raw = T;
  using View = T;
  template <Copy>
  static Raw raw(tenon_call*, T value) noexcept {
    return value;
  }
  static Raw pass(tenon_call*, View value) noexcept { return value; }
  static View view(Raw value) noexcept { return value; }
  static T own(Raw value) noexcept { return value; }
};

}  // namespace detail

template <class T>
struct Value<T, std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, bool>>>
    : detail::PlainValue<T> {};
template <>
struct Value<tenon_reader*> : detail::PlainValue<tenon_reader*> {};
template <>
struct Value<tenon_writer*> : detail::PlainValue<tenon_writer*> {};

template <>
struct Value<bool> {
  using Raw = std::uint8_t;
  using View = bool;
  template <Copy>
  static Raw raw(tenon_call*, bool value) noexcept {
    return value ? 1 : 0;
  }
  static Raw pass(tenon_call*, bool value) noexcept { return value ? 1 : 0; }
  static bool view(Raw value) noexcept { return value != 0; }
  static bool own(Raw value) noexcept { return value != 0; }
};

template <class T>
struct Value<T, std::enable_if_t<std::is_enum_v<T>>> {
  using Raw = std::int32_t;
  using View = T;
  template <Copy>
  static Raw raw(tenon_call*, T value) noexcept {
    return static_cast<Raw>(value);
  }
  static Raw pass(tenon_call*, T value) noexcept { return static_cast<Raw>(value); }
  static T view(Raw value) noexcept { return static_cast<T>(value); }
  static T own(Raw value) noexcept { return static_cast<T>(value); }
};

template <>
struct Value<Duration> {
  using Raw = tenon_duration;
  using View = Duration;
  template <Copy>
  static Raw raw(tenon_call*, Duration value) noexcept {
    return value.count();
  }
  static Raw pass(tenon_call*, Duration value) noexcept { return value.count(); }
  static Duration view(Raw value) noexcept { return Duration(value); }
  static Duration own(Raw value) noexcept { return Duration(value); }
};

template <>
struct Value<Timestamp> {
  using Raw = tenon_timestamp;
  using View = Timestamp;
  template <Copy>
  static Raw raw(tenon_call*, Timestamp value) noexcept {
    return value.time_since_epoch().count();
  }
  static Raw pass(tenon_call*, Timestamp value) noexcept {
    return value.time_since_epoch().count();
  }
  static Timestamp view(Raw value) noexcept { return Timestamp(Duration(value)); }
  static Timestamp own(Raw value) noexcept { return Timestamp(Duration(value)); }
};

template <>
struct Value<Buffer> {
  using Raw = tenon_buffer;
  using View = Buffer;
  template <Copy>
  static Raw raw(tenon_call*, Buffer value) noexcept {
    return {value.data, value.size};
  }
  static Raw pass(tenon_call*, Buffer value) noexcept { return {value.data, value.size}; }
  static Buffer view(Raw value) noexcept { return {value.data, value.size}; }
  static Buffer own(Raw value) noexcept { return {value.data, value.size}; }
};

template <>
struct Value<std::string> {
  using Raw = tenon_string;
  using View = std::string_view;
  template <Copy copy>
  static Raw raw(tenon_call* call, std::string_view value) {
    if constexpr (copy == Copy::deep) {
      return {static_cast<const char*>(tenon_allocate_copy(call, value.data(), value.size())),
              value.size()};
    } else {
      return pass(call, value);
    }
  }
  static Raw pass(tenon_call*, View value) noexcept {
    return {value.data() != nullptr ? value.data() : "", value.size()};
  }
  static View view(const Raw& raw) noexcept { return {raw.data, raw.size}; }
  static std::string own(const Raw& raw) { return std::string(view(raw)); }
  static bool absent(const Raw& raw) noexcept { return raw.data == nullptr; }
  static Raw none() noexcept { return {nullptr, 0}; }
  static bool has_data(const Raw& raw) noexcept { return raw.data != nullptr || raw.size == 0; }
};

template <>
struct Value<Json> {
  using Text = Value<std::string>;
  using Raw = tenon_string;
  using View = std::string_view;
  template <Copy copy>
  static Raw raw(tenon_call* call, const Json& value) {
    return Text::raw<copy>(call, value.text);
  }
  static Raw pass(tenon_call* call, View value) noexcept { return Text::pass(call, value); }
  static View view(const Raw& raw) noexcept { return Text::view(raw); }
  static Json own(const Raw& raw) { return {Text::own(raw)}; }
  static bool absent(const Raw& raw) noexcept { return Text::absent(raw); }
  static Raw none() noexcept { return Text::none(); }
  static bool has_data(const Raw& raw) noexcept { return Text::has_data(raw); }
};

template <>
struct Value<Bytes> {
  using Raw = tenon_bytes;
  using View = BytesView;
  template <Copy copy>
  static Raw raw(tenon_call* call, BytesView value) {
    if constexpr (copy == Copy::deep) {
      return {
          static_cast<const std::uint8_t*>(tenon_allocate_copy(call, value.data(), value.size())),
          value.size()};
    } else {
      return pass(call, value);
    }
  }
  static Raw pass(tenon_call*, View value) noexcept {
    return {value.data() != nullptr ? value.data() : detail::no_data(), value.size()};
  }
  static View view(const Raw& raw) noexcept { return {raw.data, raw.size}; }
  static Bytes own(const Raw& raw) { return view(raw).own(); }
  static bool absent(const Raw& raw) noexcept { return raw.data == nullptr; }
  static Raw none() noexcept { return {nullptr, 0}; }
  static bool has_data(const Raw& raw) noexcept { return raw.data != nullptr || raw.size == 0; }
};

template <class T>
struct Value<std::vector<T>, std::enable_if_t<!std::is_same_v<T, std::uint8_t>>> {
  using Raw = tenon_list;
  using View = ListView<T>;
  template <Copy copy>
  static Raw raw(tenon_call* call, const std::vector<T>& values) {
    void* elements;
    tenon_list list =
        tenon_new_list(call, values.size(), sizeof(typename Value<T>::Raw), &elements);
    auto* element = static_cast<typename Value<T>::Raw*>(elements);
    for (const auto& value : values) *element++ = Value<T>::template raw<copy>(call, value);
    return list;
  }
  static Raw pass(tenon_call*, const View& value) noexcept { return value.raw(); }
  static View view(const Raw& raw) noexcept { return View(raw); }
  static std::vector<T> own(const Raw& raw) {
    std::vector<T> values;
    values.reserve(raw.count);
    for (std::size_t i = 0; i < raw.count; ++i) {
      values.push_back(Value<T>::own(TENON_AT(typename Value<T>::Raw, raw, i)));
    }
    return values;
  }
  static bool absent(const Raw& raw) noexcept { return raw.data == nullptr; }
  static Raw none() noexcept { return {nullptr, 0, 0}; }
  static bool has_data(const Raw& raw) noexcept {
    if (raw.data == nullptr) return raw.count == 0;
    if constexpr (detail::points_to_data<T>) {
      for (std::size_t i = 0; i < raw.count; ++i) {
        if (!Value<T>::has_data(TENON_AT(typename Value<T>::Raw, raw, i))) return false;
      }
    }
    return true;
  }
};

/// A map that is read in place: a forward range of pairs of key and value.
/// Example: `for (const auto& [key, value] : map)`
template <class T>
class MapView {
 public:
  using Element = std::pair<std::string_view, typename Value<T>::View>;
  using Iterator = detail::IndexIterator<MapView, Element>;

  MapView() noexcept
      : MapView(tenon_map{{detail::no_data(), 0, sizeof(tenon_string)},
                          {detail::no_data(), 0, sizeof(typename Value<T>::Raw)}}) {}
  explicit MapView(const tenon_map& raw) noexcept : raw_(raw) {}

  std::size_t size() const noexcept { return raw_.keys.count; }
  bool empty() const noexcept { return size() == 0; }
  /// Return a key and a value by index. Both require i < size().
  std::string_view key(std::size_t i) const {
    return Value<std::string>::view(TENON_AT(tenon_string, raw_.keys, i));
  }
  typename Value<T>::View value(std::size_t i) const {
    return Value<T>::view(TENON_AT(typename Value<T>::Raw, raw_.values, i));
  }
  /// Returns the value of a key, if there is one. Takes linear time.
  std::optional<typename Value<T>::View> find(std::string_view wanted) const {
    for (std::size_t i = 0; i < size(); ++i) {
      if (key(i) == wanted) return value(i);
    }
    return std::nullopt;
  }
  Iterator begin() const noexcept { return {*this, 0}; }
  Iterator end() const noexcept { return {*this, size()}; }
  const tenon_map& raw() const noexcept { return raw_; }

 private:
  friend Iterator;
  Element element(std::size_t i) const { return {key(i), value(i)}; }

  tenon_map raw_;
};

template <class T>
struct Value<std::map<std::string, T, std::less<>>> {
  using Map = std::map<std::string, T, std::less<>>;
  using Raw = tenon_map;
  using View = MapView<T>;
  template <Copy copy>
  static Raw raw(tenon_call* call, const Map& map) {
    void* keys;
    void* values;
    tenon_map raw;
    raw.keys = tenon_new_list(call, map.size(), sizeof(tenon_string), &keys);
    raw.values = tenon_new_list(call, map.size(), sizeof(typename Value<T>::Raw), &values);
    auto* key = static_cast<tenon_string*>(keys);
    auto* value = static_cast<typename Value<T>::Raw*>(values);
    for (const auto& [k, v] : map) {
      *key++ = Value<std::string>::raw<copy>(call, k);
      *value++ = Value<T>::template raw<copy>(call, v);
    }
    return raw;
  }
  static Raw pass(tenon_call*, const View& value) noexcept { return value.raw(); }
  static View view(const Raw& raw) noexcept { return View(raw); }
  static Map own(const Raw& raw) {
    Map map;
    View entries(raw);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      map.emplace(entries.key(i), Value<T>::own(TENON_AT(typename Value<T>::Raw, raw.values, i)));
    }
    return map;
  }
  static bool absent(const Raw& raw) noexcept { return raw.keys.data == nullptr; }
  static Raw none() noexcept { return {{nullptr, 0, 0}, {nullptr, 0, 0}}; }
  static bool has_data(const Raw& raw) noexcept {
    return Value<std::vector<std::string>>::has_data(raw.keys) &&
           Value<std::vector<T>>::has_data(raw.values);
  }
};

namespace detail {

template <class T, class = void>
inline constexpr bool has_absent_form = false;
template <class T>
inline constexpr bool has_absent_form<T, std::void_t<decltype(&Value<T>::none)>> = true;

}  // namespace detail

/// Text, bytes, lists and maps have a raw form for "absent". Other values cross the ABI as a
/// pointer that is NULL if absent.
template <class T>
struct Value<std::optional<T>> {
  static constexpr bool has_absent_form = detail::has_absent_form<T>;
  using Inner = typename Value<T>::Raw;
  using Raw = std::conditional_t<has_absent_form || std::is_pointer_v<Inner>, Inner, const Inner*>;
  using View = std::optional<typename Value<T>::View>;

  template <Copy copy>
  static Raw raw(tenon_call* call, const std::optional<T>& value) {
    return value ? wrap(call, Value<T>::template raw<copy>(call, *value)) : none_raw();
  }
  static Raw pass(tenon_call* call, const View& value) {
    return value ? wrap(call, Value<T>::pass(call, *value)) : none_raw();
  }
  static View view(const Raw& raw) {
    if (is_absent(raw)) return std::nullopt;
    return Value<T>::view(unwrap(raw));
  }
  static std::optional<T> own(const Raw& raw) {
    if (is_absent(raw)) return std::nullopt;
    return Value<T>::own(unwrap(raw));
  }
  static bool has_data(const Raw& raw) noexcept {
    if constexpr (has_absent_form) {
      return Value<T>::has_data(raw);
    } else {
      return raw == nullptr || detail::has_data<T>(unwrap(raw));
    }
  }

 private:
  static Raw wrap(tenon_call* call, const Inner& inner) {
    if constexpr (std::is_same_v<Raw, Inner>) {
      return inner;
    } else {
      return static_cast<const Inner*>(tenon_allocate_copy(call, &inner, sizeof inner));
    }
  }
  static const Inner& unwrap(const Raw& raw) noexcept {
    if constexpr (std::is_same_v<Raw, Inner>) {
      return raw;
    } else {
      return *raw;
    }
  }
  static bool is_absent(const Raw& raw) noexcept {
    if constexpr (has_absent_form) {
      return Value<T>::absent(raw);
    } else {
      return raw == nullptr;
    }
  }
  static Raw none_raw() noexcept {
    if constexpr (has_absent_form) {
      return Value<T>::none();
    } else {
      return nullptr;
    }
  }
};

/// Returns a copy of a document or struct that is read in place, including its bag.
template <class View>
typename View::Owned own(const View& view) {
  return Value<typename View::Owned>::own(view.raw());
}

/// The type of a method's parameter of type T, passed without a copy.
template <class T>
using ViewOf = typename Value<T>::View;
template <class T>
using RawOf = typename Value<T>::Raw;

}}  // namespace tenon::v0_1
