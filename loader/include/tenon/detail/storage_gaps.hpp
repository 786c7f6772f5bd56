// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/storage_gaps.hpp: preserves in the bag what an ABI struct cannot express: unknown
// literals of enums, and absent values of fields that every struct has.
#pragma once

#include <tenon/detail/storage_abi.hpp>
#include <tenon/detail/storage_bag.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tenon { inline namespace v0_1 {

namespace detail {

/// For values with literals:
///   unknown(raw)           whether the C value contains an unknown literal
///   alike(kept, crossed)   whether both have the same C value
template <class Form>
struct Literals;

template <StoredEnum Enum>
struct Literals<Enum> {
  static bool unknown(const std::int32_t& raw) noexcept { return raw == Stored<Enum>::unknown; }
  static bool alike(const Enum& kept, const Enum& crossed) noexcept {
    return Stored<Enum>::number_of(kept) == Stored<Enum>::number_of(crossed);
  }
};

template <class Form>
struct Literals<StoredList<Form>> {
  static bool unknown(const tenon_list& raw) noexcept {
    for (std::size_t i = 0; raw.data != nullptr && i < raw.count; ++i) {
      if (Literals<Form>::unknown(TENON_AT(RawForm<Form>, raw, i))) return true;
    }
    return false;
  }
  static bool alike(const StoredList<Form>& kept, const StoredList<Form>& crossed) noexcept {
    bool all = kept.size() == crossed.size();
    for (std::size_t i = 0; all && i < kept.size(); ++i) {
      all = Literals<Form>::alike(kept[i], crossed[i]);
    }
    return all;
  }
};

template <class Form>
struct Literals<StoredMap<Form>> {
  using Values = StoredList<Form>;
  static bool unknown(const tenon_map& raw) noexcept {
    return Literals<Values>::unknown(raw.values);
  }
  static bool alike(const StoredMap<Form>& kept, const StoredMap<Form>& crossed) noexcept {
    bool all = kept.size() == crossed.size();
    for (std::size_t i = 0; all && i < kept.size(); ++i) {
      all = text_of(kept.key(i)) == text_of(crossed.key(i));
    }
    return all && Literals<Values>::alike({kept.raw.values}, {crossed.raw.values});
  }
};

}  // namespace detail

/// Restores unknown literals of a field from the bag, in which save_literals has kept the whole
/// field. `raw` is the C value of an optional field, nullptr if it is absent. If the plugin has
/// changed the field, it stays as it is. The entry is removed in any case, because the field would
/// take its value again if it is absent.
template <class Form>
bool load_literals(Conversion& conversion, const BagField& from, const detail::RawForm<Form>* raw,
                   Bag& bag, const Form*& field) {
  const std::span versions(&from.version, 1);
  const BagEntry* entry = bag.find(from.name, versions);
  // An entry of type json is not from save_literals, but from a lenient reader.
  if (entry == nullptr || entry->type == "json") return true;
  const Form* kept = nullptr;
  if (!pull<true>(conversion, bag, from.name, from.type, versions, kept)) return false;
  const bool is_unknown = raw != nullptr && detail::Literals<Form>::unknown(*raw);
  if (kept != nullptr && is_unknown && detail::Literals<Form>::alike(*kept, *field)) field = kept;
  return true;
}
/// Restores the literals of another field.
template <class Form>
bool load_literals(Conversion& conversion, const BagField& from, const detail::RawForm<Form>& raw,
                   Bag& bag, const Form*& field) {
  return load_literals(conversion, from, &raw, bag, field);
}

/// Keeps a field with unknown literals in the bag.
template <class Form>
void save_literals(Conversion& conversion, const BagField& from, const detail::RawForm<Form>& raw,
                   Bag& bag, const Form* field) {
  if (field == nullptr || !detail::Literals<Form>::unknown(raw)) return;
  push(conversion, bag, from, std::span(&from.version, 1), field);
}
template <class Form>
void save_literals(Conversion& conversion, const BagField& from, const detail::RawForm<Form>* raw,
                   Bag& bag, const Form* field) {
  if (raw != nullptr) save_literals(conversion, from, *raw, bag, field);
}

namespace detail {

/// Returns whether save_field writes this value for an absent field.
inline bool is_nothing(const tenon_string& raw) noexcept {
  return raw.size == 0;
}
inline bool is_nothing(const tenon_bytes& raw) noexcept {
  return raw.size == 0;
}
inline bool is_nothing(const tenon_list& raw) noexcept {
  return raw.count == 0;
}
inline bool is_nothing(const tenon_map& raw) noexcept {
  return raw.keys.count == 0;
}
template <class Number>
bool is_nothing(const Number& raw) noexcept {
  return raw == Number();
}

}  // namespace detail

/// Records that a field is absent that the ABI struct cannot leave out.
template <class Form>
void save_absence(Conversion& conversion, const BagField& from, Bag& bag, const Form* field) {
  if (conversion.notes_absence && field == nullptr) push_absence(conversion, bag, from);
}

/// Makes such a field absent again, unless the plugin has changed it.
template <class Form>
void load_absence(Conversion& conversion, const BagField& from, const detail::RawForm<Form>& raw,
                  Bag& bag, const Form*& field) {
  if (!pull_absence(conversion, bag, from.name, std::span(&from.version, 1))) return;
  if (detail::is_nothing(raw)) field = nullptr;
}

}}  // namespace tenon::v0_1
