// SPDX-License-Identifier: BSL-1.0
#include "message.hpp"

#include <tenon/detail/bag.hpp>
#include <tenon/detail/conversion.hpp>
#include <tenon/detail/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "common/diagnostics.hpp"
#include "gen/model/layout.hpp"

namespace tenon::command {
namespace {

using gen::Field;
using gen::Shape;
using gen::StructLayout;
using gen::Type;
using Fields = std::vector<Field>;

/// Data of empty values: NULL would mean that they are absent.
constexpr char no_data[16] = {};
constexpr std::string_view stream_words = "no stream, which JSON cannot express";

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
void store(std::byte* at, const T& value) {
  std::memcpy(at, &value, sizeof value);
}

/// The members of a struct or document in C.
struct Members {
  const Fields& fields;
  StructLayout layout;
  bool has_bag;
  bool may_miss;  // fields may be missing in JSON

  std::size_t bag() const noexcept { return layout.offsets.back(); }
};

/// Structs of document types have a bag, too.
Members members_of(const Type& type) {
  if (type.shape == Shape::document) {
    return {type.document->fields, gen::layout_of(*type.document), true, true};
  }
  const gen::Struct& structure = *type.structure;
  return {structure.fields, gen::layout_of(structure), structure.bag, structure.bag};
}

/// Calls `use` with the C type of a number, as std::type_identity, and returns its result.
template <class Use>
bool with_number(Shape shape, Use&& use) {
  switch (shape) {
    case Shape::int8:
      return use(std::type_identity<std::int8_t>());
    case Shape::int16:
      return use(std::type_identity<std::int16_t>());
    case Shape::int32:
      return use(std::type_identity<std::int32_t>());
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
    default:  // int64, duration and timestamp
      return use(std::type_identity<std::int64_t>());
  }
}

std::vector<std::string> names_of(const Fields& fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

// -- Requests -----------------------------------------------------------------

/// Reads JSON into structs. The functions return false after an error, which the parser then has.
/// The memory that they fill is zeroed.
class RequestReader {
 public:
  explicit RequestReader(tenon_call* call) : call_(call) {}

  bool read(const json::Reader& in, const Members& members, std::byte* at) {
    json::Fields found(in);
    for (std::size_t i = 0; i < members.fields.size(); ++i) {
      const Field& field = members.fields[i];
      std::byte* const to = at + members.layout.offsets[i];
      if (const json::Reader* value = found.take(field.name)) {
        if (!read_member(*value, field.type, members.may_miss, to)) return false;
      } else if (members.may_miss) {
        make_empty(field.type, to);
      } else if (field.type.shape != Shape::optional) {
        return in.form() == json::Form::object
                   ? in.fail_member(field.name, "is missing, needed " + to_text(field.type))
                   : in.fail("object");
      }
    }
    if (members.has_bag && !read_bag(found.take("bag"), at + members.bag())) return false;
    return finish(in, found, members.fields);
  }

 private:
  static bool finish(const json::Reader& in, json::Fields& found, const Fields& fields) {
    const auto refuse = [&](std::string_view name, const json::Reader&) {
      const auto names = names_of(fields);
      const std::string others =
          names.empty() ? "there are no fields" : "the fields are " + tools::enumerate(names);
      return in.fail_member(name, "is not a field; " + tools::did_you_mean(name, names, others));
    };
    return in.form() == json::Form::object ? found.for_each_rest(refuse) : in.fail("object");
  }

  bool read_member(const json::Reader& in, const Type& type, bool may_miss, std::byte* at) {
    const bool nothing = in.form() == json::Form::null &&
                         gen::without_optional(type).shape != Shape::json &&
                         (may_miss || type.shape == Shape::optional);
    if (!nothing) return read(in, type, at);
    make_empty(type, at);
    return true;
  }

  bool read(const json::Reader& in, const Type& type, std::byte* at) {
    switch (type.shape) {
      case Shape::boolean:
        return read_boolean(in, at);
      case Shape::string:
        return read_text(in, at);
      case Shape::bytes:
      case Shape::buffer:
        return read_bytes(in, at);
      case Shape::json:
        return read_json(in, at);
      case Shape::enumeration:
        return read_enumeration(in, type.enumeration->values, at);
      case Shape::list:
        return read_list(in, *type.element, at);
      case Shape::map:
        return read_map(in, *type.element, at);
      case Shape::optional:
        return read_optional(in, type, at);
      case Shape::structure:
      case Shape::document:
        return read(in, members_of(type), at);
      case Shape::reader:
      case Shape::writer:
        return in.fail(stream_words);
      default:
        return with_number(type.shape, [&]<class Number>(std::type_identity<Number>) {
          return read_number<Number>(in, type, at);
        });
    }
  }

  static bool read_boolean(const json::Reader& in, std::byte* at) {
    bool value = false;
    if (!in.read(value)) return false;
    store(at, std::uint8_t{value});
    return true;
  }

  template <class Number>
  static bool read_number(const json::Reader& in, const Type& type, std::byte* at) {
    using Limits = std::numeric_limits<Number>;
    if constexpr (std::is_floating_point_v<Number>) {
      Number value = 0;
      if (!in.read(value)) return false;
      store(at, value);
    } else if constexpr (std::is_signed_v<Number>) {
      std::int64_t value = 0;
      if (!in.read_integer(value, Limits::min(), Limits::max(), words_of(type))) return false;
      store(at, static_cast<Number>(value));
    } else {
      std::uint64_t value = 0;
      if (!in.read_natural(value, Limits::max(), words_of(type))) return false;
      store(at, static_cast<Number>(value));
    }
    return true;
  }

  static std::string words_of(const Type& type) {
    const bool time = type.shape == Shape::duration || type.shape == Shape::timestamp;
    return to_text(type) + (time ? " in nanoseconds" : "");
  }

  bool read_text(const json::Reader& in, std::byte* at) {
    std::string_view text;
    if (!in.read(text)) return false;
    store(at, copy(text));
    return true;
  }

  bool read_bytes(const json::Reader& in, std::byte* at) {
    tenon_bytes bytes{};
    if (!in.read_bytes(call_, bytes)) return false;
    if (bytes.size == 0) bytes.data = reinterpret_cast<const std::uint8_t*>(no_data);
    store(at, bytes);  // a buffer has the same layout
    return true;
  }

  bool read_json(const json::Reader& in, std::byte* at) {
    tenon_string text{};
    if (!in.read_json(call_, text)) return false;
    store(at, text);
    return true;
  }

  static bool read_enumeration(const json::Reader& in, const std::vector<std::string>& values,
                               std::byte* at) {
    std::string_view text;
    const bool is_text = in.form() == json::Form::text && in.read(text);
    const auto found = std::ranges::find(values, text);
    if (!is_text || found == values.end()) return in.fail("one of " + tools::enumerate(values));
    store(at, static_cast<std::int32_t>(found - values.begin()));
    return true;
  }

  bool read_list(const json::Reader& in, const Type& element, std::byte* at) {
    std::size_t count = 0;
    if (!in.read_array(count)) return false;
    const tenon_list list = make_list(element, count);
    store(at, list);
    std::byte* to = data_of(list);
    for (const json::Reader one : in.elements()) {
      if (!read(one, element, to)) return false;
      to += list.stride;
    }
    return true;
  }

  bool read_map(const json::Reader& in, const Type& element, std::byte* at) {
    std::size_t count = 0;
    if (!in.read_object(count)) return false;
    const tenon_map map{make_list({.shape = Shape::string}, count), make_list(element, count)};
    store(at, map);
    std::byte* key = data_of(map.keys);
    std::byte* to = data_of(map.values);
    for (const auto [name, value] : in.members()) {
      store(key, copy(name));
      if (!read(value, element, to)) return false;
      key += map.keys.stride;
      to += map.values.stride;
    }
    return true;
  }

  bool read_optional(const json::Reader& in, const Type& type, std::byte* at) {
    const Type& held = gen::type_in_c(type);
    if (held.shape != Shape::optional) return read(in, held, at);
    auto* const value = allocate(gen::layout_of(*held.element).size);
    store(at, value);
    return read(in, *held.element, value);
  }

  bool read_bag(const json::Reader* in, std::byte* at) {
    if (in == nullptr) return true;
    Conversion conversion(call_);
    Bag bag;
    tenon_bytes text{};
    if (!bag.read(conversion, *in)) return false;
    if (!bag.text(conversion, text)) return in->fail("a bag: " + conversion.error());
    store(at, text);
    return true;
  }

  /// Sets a value to absent if its C type allows it and it is optional, otherwise to 0 or empty.
  void make_empty(const Type& type, std::byte* at) {
    switch (type.shape) {
      case Shape::string:
      case Shape::json:
      case Shape::bytes:
      case Shape::buffer:
        return store(at, tenon_string{no_data, 0});
      case Shape::list:
        return store(at, make_list(*type.element, 0));
      case Shape::map:
        return store(
            at, tenon_map{make_list({.shape = Shape::string}, 0), make_list(*type.element, 0)});
      case Shape::structure:
      case Shape::document: {
        const Members members = members_of(type);
        for (std::size_t i = 0; i < members.fields.size(); ++i) {
          make_empty(members.fields[i].type, at + members.layout.offsets[i]);
        }
        return;
      }
      default:
        return;
    }
  }

  std::byte* allocate(std::size_t size) const {
    return static_cast<std::byte*>(tenon_allocate_zeroed(call_, size));
  }
  tenon_list make_list(const Type& element, std::size_t count) const {
    const std::size_t stride = gen::layout_of(element).size;
    const void* data = count == 0 ? static_cast<const void*>(no_data) : allocate(count * stride);
    return {data, count, stride};
  }
  static std::byte* data_of(const tenon_list& list) {
    return static_cast<std::byte*>(const_cast<void*>(list.data));
  }
  tenon_string copy(std::string_view text) const {
    if (text.empty()) return {no_data, 0};
    return {static_cast<const char*>(tenon_allocate_copy(call_, text.data(), text.size())),
            text.size()};
  }

  tenon_call* const call_;
};

// -- Responses ----------------------------------------------------------------

/// Writes values as JSON. The functions return false after a value that is wrong.
class MessageWriter {
 public:
  /// Writes the buffers of a request, except those that a field of the response replaces.
  void write_buffers(const gen::Method& method, const std::byte* request) {
    const StructLayout layout = gen::layout_of_message(method.request);
    for (std::size_t i = 0; i < method.request.size(); ++i) {
      const Field& field = method.request[i];
      const bool replaced = std::ranges::any_of(
          method.response, [&](const Field& other) { return other.name == field.name; });
      if (field.type.shape != Shape::buffer || replaced) continue;
      out_.key(field.name);
      write(field.type, request + layout.offsets[i]);
    }
  }

  /// Writes the members of an object within the first `size` bytes of a struct.
  bool write(const Fields& fields, const StructLayout& layout, const std::byte* at,
             std::size_t size) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Type& type = fields[i].type;
      const std::byte* const value = at + layout.offsets[i];
      if (layout.offsets[i] + gen::layout_of(type).size > size || is_absent(type, value)) continue;
      out_.key(fields[i].name);
      if (!write(type, value)) return in(fields[i].name);
    }
    return true;
  }

  json::Writer& out() noexcept { return out_; }
  Error error() {
    return Error({.code = "wrong-value", .message = std::move(problem_), .where = path_});
  }

 private:
  static bool is_absent(const Type& type, const std::byte* at) {
    return type.shape == Shape::optional && load<const void*>(at) == nullptr;
  }

  bool write(const Type& type, const std::byte* at) {
    switch (type.shape) {
      case Shape::boolean:
        return write_boolean(load<std::uint8_t>(at));
      case Shape::string:
        return put([&] { out_.text(text_at(at)); });
      case Shape::bytes:
      case Shape::buffer:
        return put([&] { out_.base64(BytesView(text_at(at))); });
      case Shape::json:
        return write_json(text_at(at));
      case Shape::enumeration:
        return write_enumeration(type.enumeration->values, load<std::int32_t>(at));
      case Shape::list:
        return write_list(*type.element, load<tenon_list>(at));
      case Shape::map:
        return write_map(*type.element, load<tenon_map>(at));
      case Shape::optional: {
        const Type& held = gen::type_in_c(type);
        return held.shape != Shape::optional ? write(held, at)
                                             : write(*held.element, load<const std::byte*>(at));
      }
      case Shape::structure:
      case Shape::document:
        return write_object(members_of(type), at);
      case Shape::reader:
      case Shape::writer:
        return fail("is a stream, which JSON cannot express");
      default:
        return with_number(type.shape, [&]<class Number>(std::type_identity<Number>) {
          return write_number(load<Number>(at));
        });
    }
  }

  template <class Write>
  static bool put(Write&& write) {
    write();
    return true;
  }

  template <class Number>
  bool write_number(Number value) {
    if constexpr (std::is_floating_point_v<Number>) {
      out_.number(value);
    } else if constexpr (std::is_signed_v<Number>) {
      out_.number(std::int64_t{value});
    } else {
      out_.number(std::uint64_t{value});
    }
    return true;
  }

  bool write_boolean(std::uint8_t value) {
    if (value > 1) return fail("is " + std::to_string(value) + ", and a bool is 0 or 1");
    out_.boolean(value == 1);
    return true;
  }

  /// A number without a value is written as its digits, as in documents.
  bool write_enumeration(const std::vector<std::string>& values, std::int32_t value) {
    const bool known = value >= 0 && static_cast<std::size_t>(value) < values.size();
    out_.text(known ? values[static_cast<std::size_t>(value)] : std::to_string(value));
    return true;
  }

  bool write_json(std::string_view text) {
    if (text.empty()) {
      out_.raw("null");
    } else {
      out_.json(text);
    }
    return out_.problem().empty() || fail("is not JSON: " + out_.problem());
  }

  bool write_list(const Type& element, const tenon_list& list) {
    out_.begin_array();
    for (std::size_t i = 0; i < list.count; ++i) {
      if (!write(element, element_of(list, i))) return in("[" + std::to_string(i) + "]");
    }
    out_.end_array();
    return true;
  }

  bool write_map(const Type& element, const tenon_map& map) {
    out_.begin_object();
    for (std::size_t i = 0; i < map.keys.count; ++i) {
      const std::string_view key = text_at(element_of(map.keys, i));
      out_.key(key);
      if (!write(element, element_of(map.values, i))) return in(key);
    }
    out_.end_object();
    return true;
  }

  bool write_object(const Members& members, const std::byte* at) {
    out_.begin_object();
    if (!write(members.fields, members.layout, at, members.layout.whole.size)) return false;
    const std::string_view bag = members.has_bag ? text_at(at + members.bag()) : "";
    if (!bag.empty()) {
      out_.key("bag");
      if (!write_json(bag)) return in("bag");
    }
    out_.end_object();
    return true;
  }

  static const std::byte* element_of(const tenon_list& list, std::size_t i) {
    return static_cast<const std::byte*>(list.data) + i * list.stride;
  }
  /// Texts, bytes and buffers have the same layout.
  static std::string_view text_at(const std::byte* at) {
    const auto text = load<tenon_string>(at);
    return {text.data, text.size};
  }

  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  /// Prepends a part to the path of the error. Returns false.
  bool in(std::string_view part) {
    const bool continues = path_.empty() || path_.front() == '[';
    path_ = std::string(part) + (continues ? "" : ".") + path_;
    return false;
  }

  json::Writer out_;
  std::string path_;
  std::string problem_;
};

// -- Descriptions -------------------------------------------------------------

ValueInfo::Form form_of(Shape shape) noexcept {
  switch (shape) {
    case Shape::string:
      return ValueInfo::Form::text;
    case Shape::json:
      return ValueInfo::Form::json;
    case Shape::bytes:
    case Shape::buffer:
      return ValueInfo::Form::bytes;
    case Shape::list:
      return ValueInfo::Form::list;
    case Shape::map:
      return ValueInfo::Form::map;
    case Shape::optional:
      return ValueInfo::Form::pointer;
    case Shape::structure:
    case Shape::document:
      return ValueInfo::Form::fields;
    default:
      return ValueInfo::Form::plain;
  }
}

const ValueInfo& described_value(const Type& type, ConstantPool& pool);

std::span<const FieldInfo> described(const Fields& fields, const StructLayout& layout, bool has_bag,
                                     ConstantPool& pool) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(layout.offsets[i]); };
  std::vector<FieldInfo> infos;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    infos.push_back(
        {fields[i].name, at(i), !fields[i].added.empty(), &described_value(fields[i].type, pool)});
  }
  if (has_bag) {
    infos.push_back(
        {"bag", at(fields.size()), false, &described_value({.shape = Shape::json}, pool)});
  }
  return pool.list(std::move(infos));
}

const ValueInfo& described_value(const Type& type, ConstantPool& pool) {
  const Type& held = gen::type_in_c(type);
  const gen::Layout layout = gen::layout_of(held);
  ValueInfo info{form_of(held.shape), static_cast<std::uint32_t>(layout.size),
                 static_cast<std::uint32_t>(layout.alignment)};
  if (held.element != nullptr) info.element = &described_value(*held.element, pool);
  if (info.form == ValueInfo::Form::fields) {
    const Members members = members_of(held);
    info.fields = described(members.fields, members.layout, members.has_bag, pool);
  }
  return pool.add(info);
}

}  // namespace

Result<const void*> read_request(tenon_call* call, const Fields& fields, std::string_view json) {
  json::Parser parser;
  auto parsed = parser.parse(json);
  if (!parsed) return std::move(parsed).error();
  const Members members{fields, gen::layout_of_message(fields), false, false};
  const std::size_t size = members.layout.whole.size;
  auto* const request = static_cast<std::byte*>(tenon_allocate_zeroed(call, size));
  store(request, size);
  if (!RequestReader(call).read(*parsed, members, request)) return parser.take_error();
  return request;
}

Result<std::string> write_result(const gen::Method& method, const void* request,
                                 const void* response) {
  MessageWriter writer;
  writer.out().begin_object();
  writer.write_buffers(method, static_cast<const std::byte*>(request));
  if (response != nullptr) {
    const auto* const at = static_cast<const std::byte*>(response);
    const StructLayout layout = gen::layout_of_message(method.response);
    if (!writer.write(method.response, layout, at, load<std::size_t>(at))) return writer.error();
  }
  writer.out().end_object();
  return writer.out().take();
}

const Field* find_stream(const Fields& fields) noexcept {
  const auto found =
      std::ranges::find_if(fields, [](const Field& field) { return gen::is_stream(field.type); });
  return found == fields.end() ? nullptr : &*found;
}

std::span<const FieldInfo> described_fields(const Fields& fields, ConstantPool& pool) {
  return described(fields, gen::layout_of_message(fields), false, pool);
}

}  // namespace tenon::command
