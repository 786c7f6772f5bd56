// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/storage_abi.hpp: converts the forms of storage types from and to ABI structs.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/conversion.hpp>
#include <tenon/detail/storage_forms.hpp>
#include <tenon/values.hpp>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace tenon { inline namespace v0_1 {

/// The conversion of a form from and to the ABI:
///   Raw       the C type
///   shared    whether the C type is the form itself; otherwise load and save convert
///   nullable  whether the C type can be absent; then absent(raw), none() and nothing() exist
///   load(conversion, raw, form), save(conversion, form, raw)
template <class Form>
struct Stored;

namespace detail {

template <class Form>
using RawForm = typename Stored<Form>::Raw;

struct NullableList {
  static constexpr bool nullable = true;
  static bool absent(const tenon_list& raw) noexcept { return raw.data == nullptr; }
  static bool absent(const tenon_map& raw) noexcept { return raw.keys.data == nullptr; }
};

/// Return whether a C value has data or a size of 0. Otherwise fail the conversion.
inline bool check_data(Conversion& conversion, const void* data, std::size_t size) {
  return data != nullptr || size == 0 || conversion.fail({}, "a size without data");
}
inline bool check_data(Conversion& conversion, const tenon_string& raw) {
  return check_data(conversion, raw.data, raw.size);
}
inline bool check_data(Conversion& conversion, const tenon_bytes& raw) {
  return check_data(conversion, raw.data, raw.size);
}
inline bool check_data(Conversion& conversion, const tenon_list& raw) {
  return check_data(conversion, raw.data, raw.count);
}
inline bool check_data(Conversion& conversion, const tenon_map& raw) {
  return check_data(conversion, raw.keys) && check_data(conversion, raw.values);
}
template <class Raw>
bool check_data(Conversion&, const Raw&) noexcept {
  return true;
}

/// Converts each element of a list with `bring`.
template <class From, class To, class Bring>
bool bring_elements(Conversion& conversion, const tenon_list& from, tenon_list& to, Bring&& bring) {
  auto* made = conversion.make_array<To>(from.count);
  to = {made, from.count, sizeof(To)};
  for (std::size_t i = 0; i < from.count; ++i) {
    if (!bring(TENON_AT(From, from, i), made[i])) return conversion.in(i);
  }
  return true;
}

}  // namespace detail

template <class T>
requires(std::is_arithmetic_v<T> && !std::same_as<T, bool>) struct Stored<T> {
  using Raw = T;
  static constexpr bool shared = true;
  static constexpr bool nullable = false;
};

template <>
struct Stored<bool> {
  using Raw = std::uint8_t;
  static constexpr bool shared = false;
  static constexpr bool nullable = false;
  static bool load(Conversion&, const Raw& raw, bool& form) noexcept {
    form = raw != 0;
    return true;
  }
  static bool save(Conversion&, const bool& form, Raw& raw) noexcept {
    raw = form ? 1 : 0;
    return true;
  }
};

template <>
struct Stored<tenon_string> {
  using Raw = tenon_string;
  static constexpr bool shared = true;
  static constexpr bool nullable = true;
  static bool absent(const Raw& raw) noexcept { return raw.data == nullptr; }
  static Raw none() noexcept { return {nullptr, 0}; }
  static Raw nothing() noexcept { return {"", 0}; }
};

template <>
struct Stored<tenon_bytes> {
  using Raw = tenon_bytes;
  static constexpr bool shared = true;
  static constexpr bool nullable = true;
  static bool absent(const Raw& raw) noexcept { return raw.data == nullptr; }
  static Raw none() noexcept { return {nullptr, 0}; }
  static Raw nothing() noexcept { return {detail::no_data(), 0}; }
};

template <>
struct Stored<StoredJson> : Stored<tenon_string> {
  static constexpr bool shared = false;
  /// No JSON text is empty.
  static bool absent(const Raw& raw) noexcept { return raw.size == 0; }
  static bool load(Conversion& conversion, const Raw& raw, StoredJson& form) {
    form.text = raw;
    return detail::check_data(conversion, raw);
  }
  static bool save(Conversion&, const StoredJson& form, Raw& raw) noexcept {
    raw = form.text;
    return true;
  }
};

/// A number without a literal is stored as its digits. The digits of a number that has a literal
/// are an unknown literal.
template <StoredEnum Enum>
struct Stored<Enum> {
  using Raw = std::int32_t;
  static constexpr bool shared = false;
  static constexpr bool nullable = false;
  /// The number of a literal that this version does not know.
  static constexpr Raw unknown = -1;

  static bool load(Conversion& conversion, const Raw& raw, Enum& form) {
    if (raw >= 0 && static_cast<std::size_t>(raw) < Enum::literals.size()) {
      const std::string_view literal = Enum::literals[static_cast<std::size_t>(raw)];
      form.literal = {literal.data(), literal.size()};
    } else {
      form.literal = conversion.copy(std::to_string(raw));
    }
    return true;
  }
  static bool save(Conversion&, const Enum& form, Raw& raw) noexcept {
    raw = number_of(form);
    return true;
  }
  static Raw number_of(const Enum& form) noexcept {
    const std::string_view literal = text_of(form.literal);
    for (std::size_t i = 0; i < Enum::literals.size(); ++i) {
      if (Enum::literals[i] == literal) return static_cast<Raw>(i);
    }
    Raw number = unknown;
    std::from_chars(literal.data(), literal.data() + literal.size(), number);
    const bool has_literal =
        number >= 0 && static_cast<std::size_t>(number) < Enum::literals.size();
    return !has_literal && std::to_string(number) == literal ? number : unknown;
  }
};

template <class Form>
struct Stored<StoredList<Form>> : detail::NullableList {
  using Raw = tenon_list;
  using Element = detail::RawForm<Form>;
  static constexpr bool shared = false;
  static Raw none() noexcept { return {nullptr, 0, 0}; }
  static Raw nothing() noexcept { return {detail::no_data(), 0, sizeof(Element)}; }

  static bool load(Conversion& conversion, const Raw& raw, StoredList<Form>& form) {
    if (!detail::check_data(conversion, raw)) return false;
    if constexpr (Stored<Form>::shared) {
      form.raw = raw;
      for (std::size_t i = 0; i < raw.count; ++i) {
        if (!detail::check_data(conversion, TENON_AT(Element, raw, i))) return conversion.in(i);
      }
      return true;
    } else {
      return detail::bring_elements<Element, Form>(
          conversion, raw, form.raw,
          [&](const Element& from, Form& to) { return Stored<Form>::load(conversion, from, to); });
    }
  }
  static bool save(Conversion& conversion, const StoredList<Form>& form, Raw& raw) {
    if constexpr (Stored<Form>::shared) {
      raw = form.raw;
      return true;
    } else {
      return detail::bring_elements<Form, Element>(
          conversion, form.raw, raw,
          [&](const Form& from, Element& to) { return Stored<Form>::save(conversion, from, to); });
    }
  }
};

template <class Form>
struct Stored<StoredMap<Form>> : detail::NullableList {
  using Raw = tenon_map;
  using Values = Stored<StoredList<Form>>;
  static constexpr bool shared = false;
  static Raw none() noexcept { return {{nullptr, 0, 0}, {nullptr, 0, 0}}; }
  static Raw nothing() noexcept {
    return {Stored<StoredList<tenon_string>>::nothing(), Values::nothing()};
  }

  static bool load(Conversion& conversion, const Raw& raw, StoredMap<Form>& form) {
    StoredList<tenon_string> keys;
    StoredList<Form> values;
    if (!Stored<StoredList<tenon_string>>::load(conversion, raw.keys, keys)) return false;
    if (!Values::load(conversion, raw.values, values)) return false;
    form.raw = {keys.raw, values.raw};
    return true;
  }
  static bool save(Conversion& conversion, const StoredMap<Form>& form, Raw& raw) {
    raw.keys = form.raw.keys;
    return Values::save(conversion, {form.raw.values}, raw.values);
  }
};

namespace detail {

template <class Form>
bool load_value(Conversion& conversion, std::string_view name, const RawForm<Form>& raw,
                const Form*& field) {
  if constexpr (Stored<Form>::shared) {
    field = &raw;
    return true;  // load_field has checked it
  } else {
    auto* made = conversion.make<Form>();
    field = made;
    return Stored<Form>::load(conversion, raw, *made) || conversion.in(name);
  }
}

template <class Form>
bool save_value(Conversion& conversion, std::string_view name, const Form& field,
                RawForm<Form>& raw) {
  if constexpr (Stored<Form>::shared) {
    raw = field;
    return true;
  } else {
    return Stored<Form>::save(conversion, field, raw) || conversion.in(name);
  }
}

}  // namespace detail

/// Returns whether a document, or a struct in it, has no fields.
template <StoredStruct Form>
bool is_empty(const Form& form) {
  bool nothing = form.bag.empty();
  Form::for_each_field(form, [&nothing](std::string_view, const auto* field) {
    nothing = nothing && field == nullptr;
  });
  return nothing;
}

/// Loads a field from an ABI struct. The field is absent if the C value is absent or an empty
/// struct.
template <class Form>
bool load_field(Conversion& conversion, std::string_view name, const detail::RawForm<Form>& raw,
                const Form*& field) {
  if (!detail::check_data(conversion, raw)) return conversion.in(name);
  if constexpr (Stored<Form>::nullable) {
    if (Stored<Form>::absent(raw)) {
      field = nullptr;
      return true;
    }
  }
  if (!detail::load_value(conversion, name, raw, field)) return false;
  if constexpr (StoredStruct<Form>) {
    if (is_empty(*field)) field = nullptr;
  }
  return true;
}
/// Loads an optional field that is a pointer in the ABI struct.
template <class Form>
bool load_field(Conversion& conversion, std::string_view name, const detail::RawForm<Form>* raw,
                const Form*& field) {
  field = nullptr;
  return raw == nullptr || detail::load_value(conversion, name, *raw, field);
}

/// Saves a field that cannot be absent in the ABI struct: an absent one becomes 0 or empty.
template <class Form>
bool save_field(Conversion& conversion, std::string_view name, const Form* field,
                detail::RawForm<Form>& raw) {
  if (field != nullptr) return detail::save_value(conversion, name, *field, raw);
  if constexpr (Stored<Form>::nullable) {
    raw = Stored<Form>::nothing();
  } else if constexpr (StoredStruct<Form>) {
    return Stored<Form>::save(conversion, Form{}, raw);
  } else {
    raw = {};
  }
  return true;
}
/// Saves an optional field.
template <class Form>
bool save_optional(Conversion& conversion, std::string_view name, const Form* field,
                   detail::RawForm<Form>& raw) {
  if (field != nullptr) return detail::save_value(conversion, name, *field, raw);
  raw = Stored<Form>::none();
  return true;
}
template <class Form>
bool save_optional(Conversion& conversion, std::string_view name, const Form* field,
                   const detail::RawForm<Form>*& raw) {
  raw = nullptr;
  if (field == nullptr) return true;
  if constexpr (Stored<Form>::shared) {
    raw = field;
    return true;
  } else {
    auto* made = conversion.make<detail::RawForm<Form>>();
    raw = made;
    return detail::save_value(conversion, name, *field, *made);
  }
}

}}  // namespace tenon::v0_1
