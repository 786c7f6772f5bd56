// SPDX-License-Identifier: BSL-1.0
//
// tenon/gen/storage.hpp: the form in which documents are stored and converted. Each version of a
// type has a generated storage type: a struct whose fields are pointers, NULL where the document
// has no value, and a bag. The fields point into the arena of a call, or into the text or struct
// from which the document was read.
//
// The forms of values: bool, numbers, points in time and durations (nanoseconds) as they are,
// tenon_string, tenon_bytes, StoredJson, an enum as its literal, StoredList and StoredMap of such,
// storage types. Generated are, for each storage type S,
//   S::for_each_field(S&, visit)    calls visit(name, field) for each field
//   Stored<S>                       how S becomes the ABI struct, and back
//   convert(conversion, from, to)   between the versions of one type
#pragma once

#include <tenon/abi.h>
#include <tenon/document.hpp>
#include <tenon/gen/bag.hpp>
#include <tenon/gen/conversion.hpp>
#include <tenon/gen/json.hpp>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace tenon {

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
  /// REQUIRED: i < size(), for both.
  const tenon_string& key(std::size_t i) const noexcept {
    return TENON_AT(tenon_string, raw.keys, i);
  }
  const Form& operator[](std::size_t i) const noexcept { return TENON_AT(Form, raw.values, i); }
};

/// An enum: its literal, which another version may not know.
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

// -- The form in the ABI -------------------------------------------------

/// How a form looks in the ABI:
///   Raw       the C type
///   shared    whether that is the form itself
///   nullable  whether it can say that it is absent; then absent(raw), none() and nothing()
///   load(conversion, raw, form), save(conversion, form, raw)   where it is not shared
template <class Form>
struct Stored;

namespace detail {

template <class Form>
using RawForm = typename Stored<Form>::Raw;

inline constexpr std::uint8_t no_element = 0;

struct NullableList {
  static constexpr bool nullable = true;
  static bool absent(const tenon_list& raw) noexcept { return raw.data == nullptr; }
  static bool absent(const tenon_map& raw) noexcept { return raw.keys.data == nullptr; }
};

/// Brings each element of a list to its form in the ABI, or from there.
template <class From, class To, class Bring>
bool bring_elements(Conversion& conversion, const tenon_list& from, tenon_list& to, Bring&& bring) {
  auto* made = conversion.make_array<To>(from.count);
  to = {made, from.count, sizeof(To)};
  for (std::size_t i = 0; i < from.count; i++) {
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
  static Raw nothing() noexcept { return {&detail::no_element, 0}; }
};

template <>
struct Stored<StoredJson> : Stored<tenon_string> {
  static constexpr bool shared = false;
  static bool load(Conversion&, const Raw& raw, StoredJson& form) noexcept {
    form.text = raw;
    return true;
  }
  static bool save(Conversion&, const StoredJson& form, Raw& raw) noexcept {
    raw = form.text;
    return true;
  }
};

/// A number that no literal has is stored as its digits. A literal that is the digits of one that
/// has a literal is as unknown as any other text.
template <StoredEnum Enum>
struct Stored<Enum> {
  using Raw = std::int32_t;
  static constexpr bool shared = false;
  static constexpr bool nullable = false;
  /// What stands for a literal that this version does not know.
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
    for (std::size_t i = 0; i < Enum::literals.size(); i++) {
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
  static Raw nothing() noexcept { return {&detail::no_element, 0, sizeof(Element)}; }

  static bool load(Conversion& conversion, const Raw& raw, StoredList<Form>& form) {
    if constexpr (Stored<Form>::shared) {
      form.raw = raw;
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
    form.raw.keys = raw.keys;
    StoredList<Form> values;
    const bool good = Values::load(conversion, raw.values, values);
    form.raw.values = values.raw;
    return good;
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
    return true;
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

/// Whether a document, or a struct in it, says nothing at all.
template <StoredStruct Form>
bool says_nothing(const Form& form) {
  bool nothing = form.bag.empty();
  Form::for_each_field(form, [&nothing](std::string_view, const auto* field) {
    nothing = nothing && field == nullptr;
  });
  return nothing;
}

/// A field of the ABI, and of a storage type. Absent where the ABI can say so, and where
/// it is a struct that says nothing.
template <class Form>
bool load_field(Conversion& conversion, std::string_view name, const detail::RawForm<Form>& raw,
                const Form*& field) {
  if constexpr (Stored<Form>::nullable) {
    if (Stored<Form>::absent(raw)) {
      field = nullptr;
      return true;
    }
  }
  if (!detail::load_value(conversion, name, raw, field)) return false;
  if constexpr (StoredStruct<Form>) {
    if (says_nothing(*field)) field = nullptr;
  }
  return true;
}
/// The same for an optional one that crosses as a pointer.
template <class Form>
bool load_field(Conversion& conversion, std::string_view name, const detail::RawForm<Form>* raw,
                const Form*& field) {
  field = nullptr;
  return raw == nullptr || detail::load_value(conversion, name, *raw, field);
}

/// A field that every ABI struct has: what is absent becomes 0, or empty.
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
/// An optional one.
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

// -- Between versions ---------------------------------------------------------

namespace detail {

/// Fills a map that has the keys of another; `bring(list, list)` makes its values.
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

/// A value whose type may be the same on both sides.
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

/// A field of one version as that of another; `name` is that of the source.
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

/// From one ABI struct to another.
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

// -- JSON ---------------------------------------------------------------------

namespace detail {

TENON_API bool read_text(Conversion& conversion, const json::Reader& in, tenon_string& value);

template <class Form>
void write_value(json::Writer& out, const StoredList<Form>& list);
template <class Form>
void write_value(json::Writer& out, const StoredMap<Form>& map);

template <class Form>
void write_value(json::Writer& out, const Form& value) {
  if constexpr (std::same_as<Form, bool>) {
    out.boolean(value);
  } else if constexpr (std::is_floating_point_v<Form>) {
    out.number(value);
  } else if constexpr (std::is_signed_v<Form>) {
    out.number(std::int64_t{value});
  } else if constexpr (std::is_unsigned_v<Form>) {
    out.number(std::uint64_t{value});
  } else if constexpr (std::same_as<Form, tenon_string>) {
    out.text(text_of(value));
  } else if constexpr (std::same_as<Form, tenon_bytes>) {
    out.base64({value.data, value.size});
  } else if constexpr (std::same_as<Form, StoredJson>) {
    out.json(text_of(value.text));
  } else if constexpr (StoredEnum<Form>) {
    out.text(text_of(value.literal));
  } else {
    out.begin_object();
    Form::for_each_field(value, [&out](std::string_view name, const auto* field) {
      if (field == nullptr) return;
      out.key(name);
      write_value(out, *field);
    });
    if (!value.bag.empty()) {
      out.key("bag");
      value.bag.write(out);
    }
    out.end_object();
  }
}
template <class Form>
void write_value(json::Writer& out, const StoredList<Form>& list) {
  out.begin_array();
  for (std::size_t i = 0; i < list.size(); i++) write_value(out, list[i]);
  out.end_array();
}
template <class Form>
void write_value(json::Writer& out, const StoredMap<Form>& map) {
  out.begin_object();
  for (std::size_t i = 0; i < map.size(); i++) {
    out.key(text_of(map.key(i)));
    write_value(out, map[i]);
  }
  out.end_object();
}

template <class Number>
bool read_number(const json::Reader& in, Number& value) {
  using Limits = std::numeric_limits<Number>;
  constexpr std::string_view types[] = {"int8",  "int16",  "int32",  "int64",
                                        "uint8", "uint16", "uint32", "uint64"};
  constexpr std::size_t power = sizeof(Number) == 1   ? 0
                                : sizeof(Number) == 2 ? 1
                                : sizeof(Number) == 4 ? 2
                                                      : 3;
  if constexpr (std::is_signed_v<Number>) {
    std::int64_t number = 0;
    if (!in.read_integer(number, Limits::min(), Limits::max(), types[power])) return false;
    value = static_cast<Number>(number);
  } else {
    std::uint64_t number = 0;
    if (!in.read_natural(number, Limits::max(), types[4 + power])) return false;
    value = static_cast<Number>(number);
  }
  return true;
}

template <class Form>
bool read_value(Conversion& conversion, const json::Reader& in, Form& value);
template <class Form>
bool read_value(Conversion& conversion, const json::Reader& in, StoredMap<Form>& map);

template <class Form>
bool read_value(Conversion& conversion, const json::Reader& in, StoredList<Form>& list) {
  std::size_t count = 0;
  if (!in.read_array(count)) return false;
  auto* made = conversion.make_array<Form>(count);
  list.raw = {made, count, sizeof(Form)};
  for (const json::Reader& element : in.elements()) {
    Form& value = *made++;
    if constexpr (StoredStruct<Form>) {
      if (element.form() == json::Reader::Form::null) continue;
    }
    if (!read_value(conversion, element, value)) return false;
  }
  return true;
}

template <class Form>
bool read_value(Conversion& conversion, const json::Reader& in, StoredMap<Form>& map) {
  std::size_t count = 0;
  if (!in.read_object(count)) return false;
  auto* keys = conversion.make_array<tenon_string>(count);
  auto* values = conversion.make_array<Form>(count);
  map.raw = {{keys, count, sizeof(tenon_string)}, {values, count, sizeof(Form)}};
  for (const auto& [key, value] : in.members()) {
    *keys++ = conversion.copies ? conversion.copy(key) : tenon_string{key.data(), key.size()};
    if (!read_value(conversion, value, *values++)) return false;
  }
  return true;
}

/// Returns whether a float32 was read without losing digits. False: a newer version may have a
/// float64 there, and the document has the error.
TENON_API bool is_exact(const json::Reader& in, float value);

/// What a reader does not know, as an entry of the bag.
TENON_API bool keep_unknown(Conversion& conversion, std::string_view name, const json::Reader& in,
                            BagEntry& entry);

template <class Form>
bool read_struct(Conversion& conversion, const json::Reader& in, Form& value) {
  json::Fields fields(in);
  const bool lenient = !conversion.unknown_of.empty();
  std::size_t most_unknown = 0;
  if (lenient && !in.read_object(most_unknown)) return false;
  BagEntry* const unknown = lenient ? conversion.make_array<BagEntry>(most_unknown) : nullptr;
  std::size_t count = 0;
  const auto keep = [&](std::string_view name, const json::Reader& rest) {
    return keep_unknown(conversion, name, rest, unknown[count++]);
  };
  const auto read_bag = [&] {
    const json::Reader* bag = fields.take("bag");
    return bag == nullptr || value.bag.read(conversion, *bag);
  };
  bool good = !lenient || read_bag();
  Form::for_each_field(value, [&]<class Field>(std::string_view name, const Field*& field) {
    const json::Reader* found = good ? fields.take(name) : nullptr;
    if (found == nullptr) return;
    // To what is JSON itself, null is a value.
    if (!std::same_as<Field, StoredJson> && found->form() == json::Reader::Form::null) return;
    auto* made = conversion.make<Field>();
    field = made;
    if (read_value(conversion, *found, *made)) return;
    field = nullptr;
    good = lenient && keep(name, *found);
  });
  if (!lenient) return good && read_bag() && fields.finish();
  if (!good || !fields.for_each_rest(keep)) return false;
  value.bag.put(conversion, {unknown, count});
  return true;
}

template <class Form>
bool read_value(Conversion& conversion, const json::Reader& in, Form& value) {
  if constexpr (std::same_as<Form, bool> || std::same_as<Form, double>) {
    return in.read(value);
  } else if constexpr (std::same_as<Form, float>) {
    const bool lenient = !conversion.unknown_of.empty();
    return in.read(value) && (!lenient || is_exact(in, value));
  } else if constexpr (std::is_integral_v<Form>) {
    return read_number(in, value);
  } else if constexpr (std::same_as<Form, tenon_string>) {
    return read_text(conversion, in, value);
  } else if constexpr (std::same_as<Form, tenon_bytes>) {
    return in.read_bytes(conversion.call(), value);
  } else if constexpr (std::same_as<Form, StoredJson>) {
    return in.read_json(conversion.call(), value.text);
  } else if constexpr (StoredEnum<Form>) {
    return read_text(conversion, in, value.literal);
  } else {
    return read_struct(conversion, in, value);
  }
}

}  // namespace detail

/// A storage type as JSON.
template <class Form>
void write_stored(json::Writer& out, const Form& value) {
  detail::write_value(out, value);
}

/// Reads a storage type. False: the document of `in` has the error.
template <class Form>
bool read_stored(Conversion& conversion, const json::Reader& in, Form& value) {
  return detail::read_value(conversion, in, value);
}

namespace detail {

/// The same for who does not know the type; what tables of document types hold.
template <class Form>
const void* read_erased(const DocumentVersion&, Conversion& conversion, const json::Reader& in) {
  auto* made = conversion.make<Form>();
  return read_value(conversion, in, *made) ? made : nullptr;
}
template <class Form>
void write_erased(json::Writer& out, const void* stored) {
  write_value(out, *static_cast<const Form*>(stored));
}
template <class Form>
const void* load_erased(Conversion& conversion, const void* raw) {
  auto* made = conversion.make<Form>();
  return Stored<Form>::load(conversion, *static_cast<const RawForm<Form>*>(raw), *made) ? made
                                                                                        : nullptr;
}
template <class Form>
const void* save_erased(Conversion& conversion, const void* stored) {
  auto* made = conversion.make<RawForm<Form>>();
  return Stored<Form>::save(conversion, *static_cast<const Form*>(stored), *made) ? made : nullptr;
}
template <class From, class To>
const void* convert_erased(const DocumentConversion&, Conversion& conversion, const void* stored) {
  auto* made = conversion.make<To>();
  return convert(conversion, *static_cast<const From*>(stored), *made) ? made : nullptr;
}

}  // namespace detail

// -- The bag ------------------------------------------------------------------

/// A field of a version, for the bag: its name, that version, and its type as the spec writes it.
struct BagField {
  std::string_view name;
  std::string_view version;
  std::string_view type;
};

namespace detail {

/// Removes the entries of a field.
inline void drop(Conversion& conversion, Bag& bag, std::string_view name,
                 std::span<const std::string_view> versions) {
  if (bag.empty()) return;
  while (const BagEntry* stale = bag.find(name, versions)) bag.remove(conversion, *stale);
}

}  // namespace detail

/// Puts a field into the bag that the target cannot name; one that is absent leaves no entry. Those
/// of the same name from `versions`, in which the field has the same shape, go. What the field
/// points at must live as long as the results of the conversion.
template <class Form>
void push(Conversion& conversion, Bag& bag, const BagField& from,
          std::span<const std::string_view> versions, const Form* field) {
  detail::drop(conversion, bag, from.name, versions);
  if (field == nullptr || !conversion.keeps()) return;
  bag.put(conversion, {from.name,
                       from.version,
                       from.type,
                       {},
                       conversion.make(*field),
                       detail::write_erased<Form>});
}

namespace detail {

/// Reads the value of an entry by `read(reader)`; false: the conversion has failed.
using ReadEntry = bool (*)(Conversion& conversion, const json::Reader& in, void* value);
TENON_API bool read_entry(Conversion& conversion, const BagEntry& entry, std::string_view type,
                          ReadEntry read, void* value);

/// The value of an entry; stays nullptr where that is null. False: it does not fit.
template <class Form>
bool read_bagged(Conversion& conversion, const BagEntry& entry, std::string_view type,
                 const Form*& field) {
  if (entry.write == write_erased<Form> && entry.type == type) {
    field = static_cast<const Form*>(entry.stored);
    return true;
  }
  if (entry.stored == nullptr && entry.value == "null") return true;
  auto* made = conversion.make<Form>();
  const auto read = [](Conversion& reading, const json::Reader& in, void* value) {
    return read_value(reading, in, *static_cast<Form*>(value));
  };
  if (!read_entry(conversion, entry, type, read, made)) return false;
  field = made;
  return true;
}

}  // namespace detail

/// Takes a field out of the bag that the source could not name: that of a version in which it has
/// the same shape, or unless `exact` what a lenient reader kept under this name, if it fits. Where
/// there is none it stays absent; where there is something else under the key of one of the
/// versions, the conversion fails.
template <bool exact = false, class Form>
bool pull(Conversion& conversion, Bag& bag, std::string_view name, std::string_view type,
          std::span<const std::string_view> versions, const Form*& field) {
  if (bag.empty()) return true;
  const BagEntry* entry = bag.find(name, versions);
  const bool must_fit = entry != nullptr;
  if (!exact && !must_fit) entry = bag.find_unknown(name);
  if (entry == nullptr) return true;
  if (!detail::read_bagged(conversion, *entry, type, field)) return !must_fit;
  bag.remove(conversion, *entry);
  return true;
}

/// The same for a field that both sides have: where the source left it out, an older program that
/// did not know its name may have put it into the bag; otherwise no older value stays there.
template <bool exact = false, class Form>
bool settle(Conversion& conversion, Bag& bag, std::string_view name, std::string_view type,
            std::span<const std::string_view> versions, const Form*& field) {
  if (field == nullptr) return pull<exact>(conversion, bag, name, type, versions, field);
  detail::drop(conversion, bag, name, versions);
  return true;
}

/// Puts an entry into the bag that says that a field of that version is absent, for steps whose way
/// back would find something in it. Its value is null, which of a field of type json means the
/// same.
TENON_API void push_absence(Conversion& conversion, Bag& bag, const BagField& from);

/// Takes such an entry out. Answers whether there was one.
TENON_API bool pull_absence(Conversion& conversion, Bag& bag, std::string_view name,
                            std::span<const std::string_view> versions);

namespace detail {

/// What crosses the ABI with literals in it:
///   unknown(raw)           whether one crossed as a number that nobody knows
///   alike(kept, crossed)   whether both cross as the same
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
    for (std::size_t i = 0; raw.data != nullptr && i < raw.count; i++) {
      if (Literals<Form>::unknown(TENON_AT(RawForm<Form>, raw, i))) return true;
    }
    return false;
  }
  static bool alike(const StoredList<Form>& kept, const StoredList<Form>& crossed) noexcept {
    bool all = kept.size() == crossed.size();
    for (std::size_t i = 0; all && i < kept.size(); i++) {
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
    for (std::size_t i = 0; all && i < kept.size(); i++) {
      all = text_of(kept.key(i)) == text_of(crossed.key(i));
    }
    return all && Literals<Values>::alike({kept.raw.values}, {crossed.raw.values});
  }
};

}  // namespace detail

/// Brings literals back that crossed the ABI as a number nobody knows: `raw` is the field of
/// the ABI, and the entry, which is the whole field, stands under its own version. Where the
/// field is not any more what the entry crossed as, it counts as it is.
template <class Form>
bool load_literals(Conversion& conversion, const BagField& from, const detail::RawForm<Form>& raw,
                   Bag& bag, const Form*& field) {
  if (bag.empty() || !detail::Literals<Form>::unknown(raw)) return true;
  const Form* kept = nullptr;
  const std::span versions(&from.version, 1);
  if (!pull<true>(conversion, bag, from.name, from.type, versions, kept)) return false;
  if (kept != nullptr && detail::Literals<Form>::alike(*kept, *field)) field = kept;
  return true;
}
/// Of an optional one that crosses as a pointer.
template <class Form>
bool load_literals(Conversion& conversion, const BagField& from, const detail::RawForm<Form>* raw,
                   Bag& bag, const Form*& field) {
  return raw == nullptr || load_literals(conversion, from, *raw, bag, field);
}

/// Lets literals cross so.
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

/// Notes that a field is absent which the ABI cannot leave out.
template <class Form>
void save_absence(Conversion& conversion, const BagField& from, Bag& bag, const Form* field) {
  if (conversion.notes_absence && field == nullptr) push_absence(conversion, bag, from);
}

/// Makes such a field absent again where it came back as it crossed.
template <class Form>
void load_absence(Conversion& conversion, const BagField& from, const detail::RawForm<Form>& raw,
                  Bag& bag, const Form*& field) {
  if (!pull_absence(conversion, bag, from.name, std::span(&from.version, 1))) return;
  if (detail::is_nothing(raw)) field = nullptr;
}

}  // namespace tenon
