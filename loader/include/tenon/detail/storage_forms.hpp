// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/storage_forms.hpp: the forms of values in storage types. Hand-written steps need
// only this and the generated storage types.
//
// The forms are: bool, numbers, points in time and durations (nanoseconds), tenon_string,
// tenon_bytes, StoredJson, enums by literal, StoredList and StoredMap of forms, and storage types.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/bag.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>

namespace tenon { inline namespace v0_1 {

/// A text that is JSON.
struct StoredJson {
  tenon_string text;
};

template <class Form>
struct StoredList {
  tenon_list raw;

  std::size_t size() const noexcept { return raw.count; }
  /// REQUIRED: i < size().
  const Form& operator[](std::size_t i) const noexcept { return TENON_AT(Form, raw, i); }
};

template <class Form>
struct StoredMap {
  tenon_map raw;

  std::size_t size() const noexcept { return raw.keys.count; }
  /// REQUIRED: i < size().
  const tenon_string& key(std::size_t i) const noexcept {
    return TENON_AT(tenon_string, raw.keys, i);
  }
  const Form& operator[](std::size_t i) const noexcept { return TENON_AT(Form, raw.values, i); }
};

/// An enum, stored as a literal that other versions may not know.
template <class T>
concept StoredEnum = requires(const T& value) {
  { value.literal } -> std::convertible_to<const tenon_string&>;
  { T::literals.size() } -> std::convertible_to<std::size_t>;
};

/// A storage type.
template <class T>
concept StoredStruct = std::same_as<decltype(T::bag), Bag>;

inline std::string_view text_of(const tenon_string& text) noexcept {
  return {text.data, text.size};
}

}}  // namespace tenon::v0_1
