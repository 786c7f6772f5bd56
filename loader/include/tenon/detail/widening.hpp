// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/widening.hpp: converts fields whose type is wider in a newer version of a document
// type, in both directions. For generated code, and for conversions at run time.
#pragma once

#include <tenon/detail/storage.hpp>

#include <concepts>
#include <span>
#include <string_view>
#include <utility>

namespace tenon { inline namespace v0_1 {

namespace detail {

/// Returns the float64 with the same digits as the float32.
TENON_API double widened(float value) noexcept;
/// Sets the float32 with the same digits as the float64. Returns false if there is none.
TENON_API bool narrowed(double value, float& narrow) noexcept;

template <std::integral From, std::integral To>
bool widen_value(Conversion&, const From& from, To& to) noexcept {
  to = from;
  return true;
}
inline bool widen_value(Conversion&, const float& from, double& to) noexcept {
  to = widened(from);
  return true;
}
template <StoredEnum From>
bool widen_value(Conversion&, const From& from, tenon_string& to) noexcept {
  to = from.literal;
  return true;
}
template <class From, class To>
bool widen_value(Conversion& conversion, const StoredMap<From>& from, StoredMap<To>& to);
template <class From, class To>
bool widen_value(Conversion& conversion, const StoredList<From>& from, StoredList<To>& to) {
  return bring_elements<From, To>(conversion, from.raw, to.raw, [&](const From& element, To& made) {
    return widen_value(conversion, element, made);
  });
}
template <class From, class To>
bool widen_value(Conversion& conversion, const StoredMap<From>& from, StoredMap<To>& to) {
  return bring_map(from, to, [&](const StoredList<From>& values, StoredList<To>& made) {
    return widen_value(conversion, values, made);
  });
}
/// Makes a list with one element.
template <class From, class To>
bool widen_value(Conversion& conversion, const From& from, StoredList<To>& to) {
  auto* made = conversion.make<To>();
  to.raw = {made, 1, sizeof(To)};
  return convert_element(conversion, from, *made);
}

/// Narrows a value. Sets `fits` to false if the narrower type cannot hold it.
template <std::integral From, std::integral To>
bool narrow_value(Conversion&, const From& from, To& to, bool& fits) noexcept {
  fits = fits && std::in_range<To>(from);
  to = static_cast<To>(from);
  return true;
}
inline bool narrow_value(Conversion&, const double& from, float& to, bool& fits) noexcept {
  fits = narrowed(from, to) && fits;
  return true;
}
template <StoredEnum To>
bool narrow_value(Conversion&, const tenon_string& from, To& to, bool&) noexcept {
  to.literal = from;
  return true;
}
template <class From, class To>
bool narrow_value(Conversion& conversion, const StoredMap<From>& from, StoredMap<To>& to,
                  bool& fits);
template <class From, class To>
bool narrow_value(Conversion& conversion, const StoredList<From>& from, StoredList<To>& to,
                  bool& fits) {
  return bring_elements<From, To>(conversion, from.raw, to.raw, [&](const From& element, To& made) {
    return narrow_value(conversion, element, made, fits);
  });
}
template <class From, class To>
bool narrow_value(Conversion& conversion, const StoredMap<From>& from, StoredMap<To>& to,
                  bool& fits) {
  return bring_map(from, to, [&](const StoredList<From>& values, StoredList<To>& made) {
    return narrow_value(conversion, values, made, fits);
  });
}
template <class From, class To>
bool narrow_value(Conversion& conversion, const StoredList<From>& from, To& to, bool& fits) {
  fits = fits && from.size() == 1;
  return !fits || convert_element(conversion, from[0], to) || conversion.in(0);
}

}  // namespace detail

/// Converts a field to a wider type. `name` is that of the source, for errors.
template <class From, class To>
bool widen_field(Conversion& conversion, std::string_view name, const From* from, const To*& to) {
  to = nullptr;
  if (from == nullptr) return true;
  auto* made = conversion.make<To>();
  to = made;
  return detail::widen_value(conversion, *from, *made) || conversion.in(name);
}

/// Converts a field to a narrower type. A value that does not fit goes to the bag (see push), and
/// the field is absent.
template <class From, class To>
bool narrow_field(Conversion& conversion, Bag& bag, const BagField& from,
                  std::span<const std::string_view> versions, const From* field, const To*& to) {
  to = nullptr;
  bool fits = true;
  if (field != nullptr) {
    auto* made = conversion.make<To>();
    if (!detail::narrow_value(conversion, *field, *made, fits)) return conversion.in(from.name);
    if (fits) to = made;
  }
  push(conversion, bag, from, versions, fits ? nullptr : field);
  return true;
}

}}  // namespace tenon::v0_1
