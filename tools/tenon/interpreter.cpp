// SPDX-License-Identifier: BSL-1.0
#include "interpreter.hpp"

#include <tenon/detail/widening.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "gen/emit/storage_names.hpp"

namespace tenon::command {
namespace {

using gen::DirectedField;
using gen::DirectedStep;
using gen::Field;
using gen::Shape;
using gen::Type;
using Fields = std::vector<Field>;

/// Calls `use` with the C++ type in which values of a type are stored, as std::type_identity. An
/// optional is stored like its value, an enum as its literal.
template <class Use>
auto with_stored_type(const Type& type, Use&& use) {
  switch (type.shape) {
    case Shape::boolean:
      return use(std::type_identity<bool>());
    case Shape::int8:
      return use(std::type_identity<std::int8_t>());
    case Shape::int16:
      return use(std::type_identity<std::int16_t>());
    case Shape::int32:
      return use(std::type_identity<std::int32_t>());
    case Shape::int64:
    case Shape::duration:
    case Shape::timestamp:
      return use(std::type_identity<std::int64_t>());
    case Shape::uint8:
      return use(std::type_identity<std::uint8_t>());
    case Shape::uint16:
      return use(std::type_identity<std::uint16_t>());
    case Shape::uint32:
      return use(std::type_identity<std::uint32_t>());
    case Shape::uint64:
      return use(std::type_identity<std::uint64_t>());
    case Shape::float32:
      return use(std::type_identity<float>());
    case Shape::float64:
      return use(std::type_identity<double>());
    case Shape::bytes:
      return use(std::type_identity<tenon_bytes>());
    case Shape::json:
      return use(std::type_identity<StoredJson>());
    case Shape::list:
      return use(std::type_identity<tenon_list>());
    case Shape::map:
      return use(std::type_identity<tenon_map>());
    case Shape::structure:
    case Shape::document:
      return use(std::type_identity<Object>());
    default:
      return use(std::type_identity<tenon_string>());
  }
}

template <class Form>
constexpr bool is_integer = std::is_integral_v<Form> && !std::is_same_v<Form, bool>;

bool is_object(const Type& type) noexcept {
  return type.shape == Shape::structure || type.shape == Shape::document;
}

const Fields& fields_of(const Type& type) noexcept {
  return type.shape == Shape::structure ? type.structure->fields : type.document->fields;
}

std::size_t size_of(const Type& type) {
  return with_stored_type(type, []<class Form>(std::type_identity<Form>) { return sizeof(Form); });
}

Object* make_object(Conversion& conversion, const Fields& fields) {
  return conversion.make(Object{conversion.make_array<const void*>(fields.size())});
}

/// Returns an array of `count` new values.
std::byte* make_values(Conversion& conversion, const Type& type, std::size_t count) {
  auto* values =
      static_cast<std::byte*>(tenon_allocate_zeroed(conversion.call(), count * size_of(type)));
  for (std::size_t i = 0; is_object(type) && i < count; ++i) {
    new (values + i * sizeof(Object)) Object(*make_object(conversion, fields_of(type)));
  }
  return values;
}

tenon_list as_list(const void* values, const Type& type, std::size_t count) {
  return {values, count, size_of(type)};
}

const std::byte* element_of(const tenon_list& list, std::size_t i) {
  return static_cast<const std::byte*>(list.data) + i * list.stride;
}

/// Returns whether values of both types are stored in the same way.
bool same_stored_type(const Type& from, const Type& to) {
  const Type& a = gen::without_optional(from);
  const Type& b = gen::without_optional(to);
  if (a.shape != b.shape) return false;
  if (a.element) return same_stored_type(*a.element, *b.element);
  return a.enumeration == b.enumeration && a.structure == b.structure && a.document == b.document;
}

// -- JSON ---------------------------------------------------------------------

bool read_list(Conversion& conversion, const json::Reader& in, const Type& element,
               tenon_list& list) {
  std::size_t count = 0;
  if (!in.read_array(count)) return false;
  std::byte* value = make_values(conversion, element, count);
  list = as_list(value, element, count);
  for (const json::Reader& one : in.elements()) {
    const bool nothing = is_object(element) && one.form() == json::Form::null;
    if (!nothing && !read_value(conversion, one, element, value)) return false;
    value += list.stride;
  }
  return true;
}

bool read_map(Conversion& conversion, const json::Reader& in, const Type& element, tenon_map& map) {
  std::size_t count = 0;
  if (!in.read_object(count)) return false;
  auto* key = conversion.make_array<tenon_string>(count);
  std::byte* value = make_values(conversion, element, count);
  map = {{key, count, sizeof(tenon_string)}, as_list(value, element, count)};
  for (const auto& [name, one] : in.members()) {
    *key++ = conversion.copies ? conversion.copy(name) : tenon_string{name.data(), name.size()};
    if (!read_value(conversion, one, element, value)) return false;
    value += map.values.stride;
  }
  return true;
}

/// Equivalent to detail::read_struct of tenon/detail/storage.hpp.
bool read_object(Conversion& conversion, const json::Reader& in, const Fields& fields,
                 Object& object) {
  json::Fields members(in);
  const bool lenient = !conversion.unknown_of.empty();
  std::size_t most_unknown = 0;
  if (!in.read_object(most_unknown)) return false;
  BagEntry* const unknown = lenient ? conversion.make_array<BagEntry>(most_unknown) : nullptr;
  std::size_t count = 0;
  const auto keep = [&](std::string_view name, const json::Reader& rest) {
    return detail::keep_unknown(conversion, name, rest, unknown[count++]);
  };
  const auto read_bag = [&] {
    const json::Reader* bag = members.take("bag");
    return bag == nullptr || object.bag.read(conversion, *bag);
  };
  bool good = !lenient || read_bag();
  for (std::size_t i = 0; good && i < fields.size(); ++i) {
    const Type& type = gen::without_optional(fields[i].type);
    const json::Reader* found = members.take(fields[i].name);
    if (found == nullptr) continue;
    // For a field of type json, null is a value.
    if (type.shape != Shape::json && found->form() == json::Form::null) continue;
    void* made = make_value(conversion, type);
    if (read_value(conversion, *found, type, made)) {
      object.fields[i] = made;
    } else {
      good = lenient && keep(fields[i].name, *found);
    }
  }
  if (!lenient) return good && read_bag() && members.finish();
  if (!good || !members.for_each_rest(keep)) return false;
  object.bag.put(conversion, {unknown, count});
  return true;
}

void write_object(json::Writer& out, const Fields& fields, const Object& object) {
  out.begin_object();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (object.fields[i] == nullptr) continue;
    out.key(fields[i].name);
    write_value(out, {&fields[i].type, object.fields[i]});
  }
  if (!object.bag.empty()) {
    out.key("bag");
    object.bag.write(out);
  }
  out.end_object();
}

void write_list(json::Writer& out, const Type& element, const tenon_list& list) {
  out.begin_array();
  for (std::size_t i = 0; i < list.count; ++i) write_value(out, {&element, element_of(list, i)});
  out.end_array();
}

void write_map(json::Writer& out, const Type& element, const tenon_map& map) {
  out.begin_object();
  for (std::size_t i = 0; i < map.keys.count; ++i) {
    out.key(text_of(TENON_AT(tenon_string, map.keys, i)));
    write_value(out, {&element, element_of(map.values, i)});
  }
  out.end_object();
}

// -- The bag ------------------------------------------------------------------

void write_typed(json::Writer& out, const void* value) {
  write_value(out, *static_cast<const TypedValue*>(value));
}

std::vector<std::string_view> versions_of(const gen::Origins& origins) {
  return {origins.versions.begin(), origins.versions.end()};
}

void push(Conversion& conversion, Bag& bag, const DirectedField& way, std::string_view version,
          const void* value) {
  const Field& field = *way.source();
  detail::drop(conversion, bag, field.name, versions_of(way.source_origins()));
  if (value == nullptr) return;
  const tenon_string type = conversion.copy(gen::bag_type(field));
  bag.put(conversion, {field.name,
                       version,
                       text_of(type),
                       {},
                       conversion.make(TypedValue{&field.type, value}),
                       write_typed});
}

/// Reads the value of an entry. `value` stays nullptr if the entry is null. Returns false if the
/// entry does not fit the field.
bool read_bagged(Conversion& conversion, const BagEntry& entry, const Field& field,
                 const void*& value) {
  const std::string type = gen::bag_type(field);
  if (entry.write == write_typed && entry.type == type) {
    const auto& typed = *static_cast<const TypedValue*>(entry.stored);
    if (same_stored_type(*typed.type, field.type)) {
      value = typed.value;
      return true;
    }
  }
  const bool is_value =
      gen::without_optional(field.type).shape == Shape::json && entry.type == type;
  if (!is_value && entry.stored == nullptr && entry.value == "null") return true;
  TypedValue made{&field.type, make_value(conversion, field.type)};
  const auto read = [](Conversion& reading, const json::Reader& in, void* into) {
    const auto& typed = *static_cast<const TypedValue*>(into);
    return read_value(reading, in, *typed.type, const_cast<void*>(typed.value));
  };
  if (!detail::read_entry(conversion, entry, type, read, &made)) return false;
  value = made.value;
  return true;
}

bool pull(Conversion& conversion, Bag& bag, const DirectedField& way, const void*& value) {
  if (bag.empty()) return true;
  const Field& field = *way.target();
  const BagEntry* entry = bag.find(field.name, versions_of(way.target_origins()));
  const bool exact = !way.up || way.target_origins().exact;
  if (!exact && entry == nullptr) entry = bag.find_unknown(field.name);
  if (entry == nullptr) return true;
  const bool must_fit =
      entry->type != "json" || gen::without_optional(field.type).shape == Shape::json;
  if (!read_bagged(conversion, *entry, field, value)) return !must_fit;
  bag.remove(conversion, *entry);
  return true;
}

bool reconcile(Conversion& conversion, Bag& bag, const DirectedField& way, const void*& value) {
  if (value == nullptr) return pull(conversion, bag, way, value);
  detail::drop(conversion, bag, way.target()->name, versions_of(way.target_origins()));
  return true;
}

// -- Between versions ---------------------------------------------------------

/// Returns whether a step of structs or enums converts `from` to `to` in this direction.
template <class Pair, class Part>
bool converts(const DirectedStep& way, const Pair& step, const Part& from, const Part& to) {
  return step.older == (way.up ? &from : &to) && step.newer == (way.up ? &to : &from);
}

const gen::StructStep& struct_step(const DirectedStep& way, const gen::Struct& from,
                                   const gen::Struct& to) {
  const auto& steps = way.step->structs;
  return *std::find_if(steps.begin(), steps.end(),
                       [&](const gen::StructStep& step) { return converts(way, step, from, to); });
}

tenon_string convert_literal(const DirectedStep& way, const gen::Enum& from, const gen::Enum& to,
                             tenon_string literal) {
  for (const gen::EnumStep& step : way.step->enums) {
    if (!converts(way, step, from, to)) continue;
    for (const gen::RenamedValue& value : step.renamed) {
      if (text_of(literal) != (way.up ? value.older : value.newer)) continue;
      const std::string& target = way.up ? value.newer : value.older;
      return {target.data(), target.size()};
    }
  }
  return literal;
}

bool convert_value(Conversion& conversion, const DirectedStep& way, const TypedValue& from,
                   const Type& type, void* to);

bool convert_list(Conversion& conversion, const DirectedStep& way, const Type& source,
                  const tenon_list& from, const Type& target, tenon_list& to) {
  std::byte* made = make_values(conversion, target, from.count);
  to = as_list(made, target, from.count);
  for (std::size_t i = 0; i < from.count; ++i) {
    const TypedValue element{&source, element_of(from, i)};
    if (!convert_value(conversion, way, element, target, made + i * to.stride)) {
      return conversion.in(i);
    }
  }
  return true;
}

/// Converts a value, or copies it if both types are stored in the same way.
bool convert_element(Conversion& conversion, const DirectedStep& way, const TypedValue& from,
                     const Type& type, void* to) {
  if (!same_stored_type(*from.type, type)) return convert_value(conversion, way, from, type, to);
  std::memcpy(to, from.value, size_of(type));
  return true;
}

/// Converts a number or text to a wider or narrower type. Returns false if the value does not fit.
template <class From, class To>
bool convert_width(const From& value, To& made) {
  if constexpr (is_integer<From> && is_integer<To>) {
    made = static_cast<To>(value);  // NOLINT(bugprone-signed-char-misuse): a number
    return std::in_range<To>(value);
  } else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, double>) {
    made = detail::widened(value);
    return true;
  } else if constexpr (std::is_same_v<From, double> && std::is_same_v<To, float>) {
    return detail::narrowed(value, made);
  } else if constexpr (std::is_same_v<From, tenon_string> && std::is_same_v<To, From>) {
    made = value;
    return true;
  } else {
    return false;
  }
}
bool convert_width(const Type& source, const void* from, const Type& target, void* to) {
  return with_stored_type(source, [&]<class From>(std::type_identity<From>) {
    return with_stored_type(target, [&]<class To>(std::type_identity<To>) {
      return convert_width(*static_cast<const From*>(from), *static_cast<To*>(to));
    });
  });
}

bool resize_list(Conversion& conversion, const DirectedStep& way, const Type& source,
                 const tenon_list& from, const Type& target, tenon_list& to, bool& fits);

/// Converts a value of a field whose type is wider in the newer version, in either direction.
/// Equivalent to detail::widen_value and narrow_value of tenon/detail/widening.hpp. Sets `fits` to
/// false if the target type cannot represent the value.
bool resize(Conversion& conversion, const DirectedStep& way, const TypedValue& from,
            const Type& type, void* to, bool& fits) {
  const Type& source = gen::without_optional(*from.type);
  const Type& target = gen::without_optional(type);
  if (source.shape == target.shape && source.shape == Shape::map) {
    const auto& map = *static_cast<const tenon_map*>(from.value);
    auto& made = *static_cast<tenon_map*>(to);
    made.keys = map.keys;
    return resize_list(conversion, way, *source.element, map.values, *target.element, made.values,
                       fits);
  }
  if (source.shape == target.shape && source.shape == Shape::list) {
    return resize_list(conversion, way, *source.element,
                       *static_cast<const tenon_list*>(from.value), *target.element,
                       *static_cast<tenon_list*>(to), fits);
  }
  if (target.shape == Shape::list) {
    std::byte* element = make_values(conversion, *target.element, 1);
    *static_cast<tenon_list*>(to) = as_list(element, *target.element, 1);
    return convert_element(conversion, way, {&source, from.value}, *target.element, element);
  }
  if (source.shape == Shape::list) {
    const auto& list = *static_cast<const tenon_list*>(from.value);
    fits = fits && list.count == 1;
    return !fits ||
           convert_element(conversion, way, {source.element.get(), element_of(list, 0)}, target,
                           to) ||
           conversion.in(0);
  }
  fits = convert_width(source, from.value, target, to) && fits;
  return true;
}

bool resize_list(Conversion& conversion, const DirectedStep& way, const Type& source,
                 const tenon_list& from, const Type& target, tenon_list& to, bool& fits) {
  std::byte* made = make_values(conversion, target, from.count);
  to = as_list(made, target, from.count);
  for (std::size_t i = 0; i < from.count; ++i) {
    const TypedValue element{&source, element_of(from, i)};
    if (!resize(conversion, way, element, target, made + i * to.stride, fits)) {
      return conversion.in(i);
    }
  }
  return true;
}

/// A value that the older version cannot represent is put into the bag.
bool resize_field(Conversion& conversion, const DirectedStep& way, const DirectedField& field,
                  const void* from, const void*& to, Bag& bag) {
  bool fits = true;
  if (from != nullptr) {
    void* made = make_value(conversion, field.target()->type);
    if (!resize(conversion, way, {&field.source()->type, from}, field.target()->type, made, fits)) {
      return conversion.in(field.source()->name);
    }
    if (fits) to = made;
  }
  if (!way.up) push(conversion, bag, field, way.from().label, fits ? nullptr : from);
  return true;
}

/// The value is shared with the source if both types are stored in the same way.
bool copy_field(Conversion& conversion, const DirectedStep& way, const DirectedField& field,
                const void* from, const void*& to) {
  to = from;
  if (from == nullptr || same_stored_type(field.source()->type, field.target()->type)) return true;
  void* made = make_value(conversion, field.target()->type);
  to = made;
  return convert_value(conversion, way, {&field.source()->type, from}, field.target()->type,
                       made) ||
         conversion.in(field.source()->name);
}

/// Equivalent to the code that tenon-gen writes for a step, see emit_steps.cpp.
bool convert_fields(Conversion& conversion, const DirectedStep& way,
                    const std::vector<gen::FieldStep>& steps, const TypedValue& source,
                    const Fields& target, Object& to) {
  const Fields& fields = fields_of(*source.type);
  const Object& from = *static_cast<const Object*>(source.value);
  to.bag = from.bag;
  for (const gen::FieldStep& step : steps) {
    const DirectedField field{step, way.up};
    const void* value =
        field.source() != nullptr ? from.fields[field.source() - fields.data()] : nullptr;
    if (field.target() == nullptr) {
      push(conversion, to.bag, field, way.from().label, value);
      continue;
    }
    const void*& made = to.fields[field.target() - target.data()];
    if (field.source() == nullptr) {
      if (!pull(conversion, to.bag, field, made)) return false;
      continue;
    }
    const bool good = step.widened ? resize_field(conversion, way, field, value, made, to.bag)
                                   : copy_field(conversion, way, field, value, made);
    if (!good || !reconcile(conversion, to.bag, field, made)) return false;
  }
  return true;
}

bool convert_value(Conversion& conversion, const DirectedStep& way, const TypedValue& from,
                   const Type& type, void* to) {
  const Type& source = gen::without_optional(*from.type);
  const Type& target = gen::without_optional(type);
  if (source.shape != target.shape) return conversion.fail({}, "its type is different");
  switch (source.shape) {
    case Shape::list:
      return convert_list(conversion, way, *source.element,
                          *static_cast<const tenon_list*>(from.value), *target.element,
                          *static_cast<tenon_list*>(to));
    case Shape::map: {
      const auto& map = *static_cast<const tenon_map*>(from.value);
      auto& made = *static_cast<tenon_map*>(to);
      made.keys = map.keys;
      return convert_list(conversion, way, *source.element, map.values, *target.element,
                          made.values);
    }
    case Shape::enumeration:
      *static_cast<tenon_string*>(to) =
          convert_literal(way, *source.enumeration, *target.enumeration,
                          *static_cast<const tenon_string*>(from.value));
      return true;
    case Shape::structure:
      return convert_fields(
          conversion, way, struct_step(way, *source.structure, *target.structure).fields,
          {&source, from.value}, target.structure->fields, *static_cast<Object*>(to));
    case Shape::document: {
      const auto ways =
          gen::steps_between(*source.document->document, *source.document, *target.document);
      const Object* made =
          convert_document(conversion, ways, *static_cast<const Object*>(from.value));
      if (made != nullptr) *static_cast<Object*>(to) = *made;
      return made != nullptr;
    }
    default:
      std::memcpy(to, from.value, size_of(source));
      return true;
  }
}

/// Returns a hand-written step of another document type that the fields need, or nullptr.
const gen::DocumentStep* hand_written(const std::vector<gen::FieldStep>& fields, bool up) {
  for (const gen::FieldStep& step : fields) {
    const DirectedField field{step, up};
    if (field.source() == nullptr || field.target() == nullptr) continue;
    const Type& source = gen::innermost(field.source()->type);
    const Type& target = gen::innermost(field.target()->type);
    if (source.shape != Shape::document || target.shape != Shape::document) continue;
    const auto ways =
        gen::steps_between(*source.document->document, *source.document, *target.document);
    if (const gen::DocumentStep* found = command::hand_written(ways)) return found;
  }
  return nullptr;
}

}  // namespace

void* make_value(Conversion& conversion, const Type& type) {
  return make_values(conversion, gen::without_optional(type), 1);
}

bool read_value(Conversion& conversion, const json::Reader& in, const Type& type, void* value) {
  const Type& held = gen::without_optional(type);
  return with_stored_type(held, [&]<class Form>(std::type_identity<Form>) {
    Form& form = *static_cast<Form*>(value);
    if constexpr (std::is_same_v<Form, tenon_list>) {
      return read_list(conversion, in, *held.element, form);
    } else if constexpr (std::is_same_v<Form, tenon_map>) {
      return read_map(conversion, in, *held.element, form);
    } else if constexpr (std::is_same_v<Form, Object>) {
      return read_object(conversion, in, fields_of(held), form);
    } else {
      return read_stored(conversion, in, form);
    }
  });
}

void write_value(json::Writer& out, const TypedValue& value) {
  const Type& held = gen::without_optional(*value.type);
  with_stored_type(held, [&]<class Form>(std::type_identity<Form>) {
    const Form& form = *static_cast<const Form*>(value.value);
    if constexpr (std::is_same_v<Form, tenon_list>) {
      write_list(out, *held.element, form);
    } else if constexpr (std::is_same_v<Form, tenon_map>) {
      write_map(out, *held.element, form);
    } else if constexpr (std::is_same_v<Form, Object>) {
      write_object(out, fields_of(held), form);
    } else {
      write_stored(out, form);
    }
  });
}

const Object* convert_document(Conversion& conversion, const std::vector<DirectedStep>& ways,
                               const Object& document) {
  const Object* from = &document;
  for (const DirectedStep& way : ways) {
    const Type type{.shape = Shape::document, .document = &way.from()};
    Object* to = make_object(conversion, way.to().fields);
    if (!convert_fields(conversion, way, way.step->fields, {&type, from}, way.to().fields, *to)) {
      return nullptr;
    }
    from = to;
  }
  return from;
}

const gen::DocumentStep* hand_written(const std::vector<DirectedStep>& ways) {
  for (const DirectedStep& way : ways) {
    if (way.step->hook) return way.step;
    if (const auto* found = hand_written(way.step->fields, way.up)) return found;
    for (const gen::StructStep& structure : way.step->structs) {
      if (const auto* found = hand_written(structure.fields, way.up)) return found;
    }
  }
  return nullptr;
}

}  // namespace tenon::command
