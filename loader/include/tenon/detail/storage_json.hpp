// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/storage_json.hpp: reads and writes storage types as JSON.
#pragma once

#include <tenon/detail/conversion.hpp>
#include <tenon/detail/document_type.hpp>
#include <tenon/detail/json.hpp>
#include <tenon/detail/storage_abi.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace tenon { inline namespace v0_1 {

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
  for (std::size_t i = 0; i < list.size(); ++i) write_value(out, list[i]);
  out.end_array();
}
template <class Form>
void write_value(json::Writer& out, const StoredMap<Form>& map) {
  out.begin_object();
  for (std::size_t i = 0; i < map.size(); ++i) {
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
  for (const json::Reader element : in.elements()) {
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
  for (const auto [key, value] : in.members()) {
    *keys++ = conversion.copies ? conversion.copy(key) : tenon_string{key.data(), key.size()};
    if (!read_value(conversion, value, *values++)) return false;
  }
  return true;
}

/// Returns whether a float32 was read without losing digits. Otherwise a newer version may have a
/// float64 there, and the document has the error.
TENON_API bool is_exact(const json::Reader& in, float value);

/// Makes an unknown member an entry of the bag.
TENON_API bool keep_unknown(Conversion& conversion, std::string_view name, const json::Reader& in,
                            BagEntry& entry);

template <class Form>
bool read_struct(Conversion& conversion, const json::Reader& in, Form& value) {
  json::Fields fields(in);
  const bool lenient = !conversion.unknown_of.empty();
  std::size_t max_unknown = 0;
  if (lenient && !in.read_object(max_unknown)) return false;
  BagEntry* const unknown = lenient ? conversion.make_array<BagEntry>(max_unknown) : nullptr;
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
    // In a json field, null is a value.
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
    return in.read(value) && (!conversion.exact_floats || is_exact(in, value));
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

/// Writes a storage type as JSON.
template <class Form>
void write_stored(json::Writer& out, const Form& value) {
  detail::write_value(out, value);
}

/// Reads a storage type from JSON. If it returns false, the parser of `in` has the error.
template <class Form>
bool read_stored(Conversion& conversion, const json::Reader& in, Form& value) {
  return detail::read_value(conversion, in, value);
}

namespace detail {

// The functions of DocumentVersion and DocumentConversion, which do not know the type.
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

}}  // namespace tenon::v0_1
