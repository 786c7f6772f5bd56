// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/storage_convert.hpp: converts values between the versions of a document type.
#pragma once

#include <tenon/detail/conversion.hpp>
#include <tenon/detail/storage_abi.hpp>

#include <concepts>
#include <string_view>

namespace tenon { inline namespace v0_1 {

namespace detail {

/// Converts a map. The keys stay; `bring(list, list)` converts the values.
template <class From, class To, class Bring>
bool bring_map(const StoredMap<From>& from, StoredMap<To>& to, Bring bring) {
  StoredList<To> values;
  const bool good = bring(StoredList<From>{from.raw.values}, values);
  to.raw = {from.raw.keys, values.raw};
  return good;
}

}  // namespace detail

template <class From, class To>
bool convert_value(Conversion& conversion, const From& from, To& to) {
  return convert(conversion, from, to);
}
template <StoredEnum From, StoredEnum To>
bool convert_value(Conversion&, const From& from, To& to) {
  to.literal = from.literal;
  return true;
}
template <class From, class To>
bool convert_value(Conversion& conversion, const StoredList<From>& from, StoredList<To>& to) {
  return detail::bring_elements<From, To>(
      conversion, from.raw, to.raw,
      [&](const From& element, To& made) { return convert_value(conversion, element, made); });
}
template <class From, class To>
bool convert_value(Conversion& conversion, const StoredMap<From>& from, StoredMap<To>& to) {
  return detail::bring_map(from, to, [&](const StoredList<From>& values, StoredList<To>& made) {
    return convert_value(conversion, values, made);
  });
}

namespace detail {

/// Converts a value whose type may be the same in both versions.
template <class From, class To>
bool convert_element(Conversion& conversion, const From& from, To& to) {
  if constexpr (std::same_as<From, To>) {
    to = from;
    return true;
  } else {
    return convert_value(conversion, from, to);
  }
}

}  // namespace detail

/// Converts a field. `name` is that of the source, for errors.
template <class From, class To>
bool convert_field(Conversion& conversion, std::string_view name, const From* from, const To*& to) {
  if constexpr (std::same_as<From, To>) {
    to = from;
    return true;
  } else {
    to = nullptr;
    if (from == nullptr) return true;
    auto* made = conversion.make<To>();
    to = made;
    return convert_value(conversion, *from, *made) || conversion.in(name);
  }
}

namespace detail {

/// Converts one ABI struct to another.
template <class From, class To>
tenon_status convert_abi(tenon_call* call, const RawForm<From>& from, RawForm<To>& to, Keep keep) {
  Conversion conversion(call, keep);
  conversion.notes_absence = conversion.keeps();
  From older;
  To newer;
  return conversion.status(Stored<From>::load(conversion, from, older) &&
                           convert(conversion, older, newer) &&
                           Stored<To>::save(conversion, newer, to));
}

}  // namespace detail

}}  // namespace tenon::v0_1
