// SPDX-License-Identifier: BSL-1.0
#include "gen/model/layout.hpp"

#include <algorithm>
#include <utility>

namespace tenon::gen {
namespace {

constexpr Layout pointer{8, 8};

struct PlainShape {
  std::string_view c_type;
  Layout layout;
};

/// The C types of builtin shapes, in the order of Shape.
constexpr PlainShape plain_shapes[] = {
    {"uint8_t", {1, 1}},         {"int8_t", {1, 1}},        {"int16_t", {2, 2}},
    {"int32_t", {4, 4}},         {"int64_t", {8, 8}},       {"uint8_t", {1, 1}},
    {"uint16_t", {2, 2}},        {"uint32_t", {4, 4}},      {"uint64_t", {8, 8}},
    {"float", {4, 4}},           {"double", {8, 8}},        {"tenon_string", {16, 8}},
    {"tenon_bytes", {16, 8}},    {"tenon_buffer", {16, 8}}, {"tenon_duration", {8, 8}},
    {"tenon_timestamp", {8, 8}}, {"tenon_string", {16, 8}}, {"tenon_reader *", pointer},
    {"tenon_writer *", pointer}, {"tenon_list", {24, 8}},   {"tenon_map", {48, 8}},
};

const PlainShape& plain(Shape shape) {
  return plain_shapes[static_cast<std::size_t>(shape)];
}

/// Whether the C type of a shape has a null value.
bool has_null_value(Shape shape) noexcept {
  switch (shape) {
    case Shape::string:
    case Shape::json:
    case Shape::bytes:
    case Shape::reader:
    case Shape::writer:
    case Shape::list:
    case Shape::map:
      return true;
    default:
      return false;
  }
}

/// Computes the layout of a struct, member by member.
class Packing {
 public:
  void add(Layout member) {
    const std::size_t offset = round_up(layout_.whole.size, member.alignment);
    layout_.offsets.push_back(offset);
    layout_.whole.size = offset + member.size;
    layout_.whole.alignment = std::max(layout_.whole.alignment, member.alignment);
  }
  void add(const std::vector<Field>& fields) {
    for (const Field& field : fields) add(layout_of(field.type));
  }
  /// Returns the layout without the offsets of the first `leading` members.
  StructLayout finish(std::ptrdiff_t leading = 0) {
    layout_.whole.size = round_up(layout_.whole.size, layout_.whole.alignment);
    layout_.offsets.erase(layout_.offsets.begin(), layout_.offsets.begin() + leading);
    return std::move(layout_);
  }

 private:
  static std::size_t round_up(std::size_t size, std::size_t alignment) {
    return (size + alignment - 1) / alignment * alignment;
  }

  StructLayout layout_{{0, 1}, {}};
};

}  // namespace

std::string c_type(const Type& type) {
  switch (type.shape) {
    case Shape::enumeration:
      return type.enumeration->c_name;
    case Shape::structure:
      return type.structure->c_name;
    case Shape::document:
      return type.document->c_name;
    case Shape::optional:
      if (has_null_value(type.element->shape)) return c_type(*type.element);
      return "const " + c_type(*type.element) + " *";
    default:
      return std::string(plain(type.shape).c_type);
  }
}

std::string c_declaration(const Type& type) {
  std::string text = c_type(type);
  return text.back() == '*' ? text : text + " ";
}

const Type& type_in_c(const Type& type) {
  const bool needs_none = type.shape == Shape::optional && has_null_value(type.element->shape);
  return needs_none ? *type.element : type;
}

Layout layout_of(const Type& type) {
  switch (type.shape) {
    case Shape::enumeration:
      return plain(Shape::int32).layout;
    case Shape::structure:
      return layout_of(*type.structure).whole;
    case Shape::document:
      return layout_of(*type.document).whole;
    case Shape::optional:
      return has_null_value(type.element->shape) ? layout_of(*type.element) : pointer;
    default:
      return plain(type.shape).layout;
  }
}

StructLayout layout_of(const Struct& structure) {
  Packing packing;
  packing.add(structure.fields);
  if (structure.bag) packing.add(plain(Shape::bytes).layout);
  return packing.finish();
}

StructLayout layout_of(const DocumentVersion& document) {
  Packing packing;
  packing.add(document.fields);
  packing.add(plain(Shape::bytes).layout);
  return packing.finish();
}

StructLayout layout_of_message(const std::vector<Field>& fields) {
  Packing packing;
  packing.add(Layout{8, 8});
  packing.add(fields);
  return packing.finish(1);
}

StructLayout layout_of_vtable(const KindVersion& version) {
  Packing packing;
  packing.add(Layout{24, 8});  // struct_size, version, reserved, base
  for (std::size_t i = 0; i < version.methods.size(); ++i) packing.add(pointer);
  return packing.finish(1);
}

}  // namespace tenon::gen
