// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/cpp_names.hpp"

#include <algorithm>
#include <iterator>

#include "gen/model/naming.hpp"

namespace tenon::gen {
namespace {

struct Names {
  std::string_view owned;
  std::string_view view;
};

/// The C++ types of builtin shapes, in the order of Shape.
constexpr Names plain_shapes[] = {
    {"bool", "bool"},
    {"std::int8_t", "std::int8_t"},
    {"std::int16_t", "std::int16_t"},
    {"std::int32_t", "std::int32_t"},
    {"std::int64_t", "std::int64_t"},
    {"std::uint8_t", "std::uint8_t"},
    {"std::uint16_t", "std::uint16_t"},
    {"std::uint32_t", "std::uint32_t"},
    {"std::uint64_t", "std::uint64_t"},
    {"float", "float"},
    {"double", "double"},
    {"std::string", "std::string_view"},
    {"tenon::Bytes", "tenon::BytesView"},
    {"tenon::Buffer", "tenon::Buffer"},
    {"tenon::Duration", "tenon::Duration"},
    {"tenon::Timestamp", "tenon::Timestamp"},
    {"tenon::Json", "std::string_view"},
    {"tenon_reader*", "tenon_reader*"},
    {"tenon_writer*", "tenon_writer*"},
};

const Names& plain(Shape shape) {
  return plain_shapes[static_cast<std::size_t>(shape)];
}

/// Local variables of generated functions.
constexpr std::string_view local_variables[] = {"blocking",   "call", "guard", "in",
                                                "incomplete", "out",  "status"};

std::string numbered(const Family& family, const Version& version) {
  return camel_case(family.name) + "V" + version.label;
}

std::string step_name(const DocumentVersion& from, const DocumentVersion& to) {
  return from.document->name + "_" + from.label + "_to_" + to.label;
}

std::string header(const Family& family, std::string_view end) {
  return family.space + "/" + family.name + std::string(end);
}

}  // namespace

std::string owned_type(const Type& type, const std::string& scope) {
  const auto element = [&] { return owned_type(*type.element, scope); };
  switch (type.shape) {
    case Shape::list:
      return "std::vector<" + element() + ">";
    case Shape::map:
      if (type.element->shape == Shape::string) return "tenon::TextMap";
      return "std::map<std::string, " + element() + ", std::less<>>";
    case Shape::optional:
      return "std::optional<" + element() + ">";
    case Shape::enumeration:
      return scope + type.enumeration->cpp_name;
    case Shape::structure:
      return scope + type.structure->cpp_name;
    case Shape::document:
      return scope + cpp_name(*type.document);
    default:
      return std::string(plain(type.shape).owned);
  }
}

std::string view_type(const Type& type, const std::string& scope) {
  switch (type.shape) {
    case Shape::list:
      return "tenon::ListView<" + owned_type(*type.element, scope) + ">";
    case Shape::map:
      return "tenon::MapView<" + owned_type(*type.element, scope) + ">";
    case Shape::optional:
      return "std::optional<" + view_type(*type.element, scope) + ">";
    case Shape::enumeration:
      return owned_type(type, scope);
    case Shape::structure:
    case Shape::document:
      return owned_type(type, scope) + "View";
    default:
      return std::string(plain(type.shape).view);
  }
}

std::string value_type(const Type& type) {
  return "tenon::Value<" + owned_type(type, "::") + ">";
}

std::string host_stream(const Type& type) {
  if (type.shape == Shape::optional) return "std::optional<" + host_stream(*type.element) + ">";
  return type.shape == Shape::reader ? "tenon::Reader" : "tenon::Writer";
}

std::string sdk_stream(const Type& type) {
  const bool reads = innermost(type).shape == Shape::reader;
  return std::string("std::unique_ptr<tenon::sdk::") + (reads ? "Reader" : "Writer") + ">";
}

std::string variable_name(const Field& field) {
  const bool is_taken = std::find(std::begin(local_variables), std::end(local_variables),
                                  field.name) != std::end(local_variables);
  return is_taken ? field.name + "_" : field.name;
}

std::string local_name(const DocumentVersion& version) {
  return numbered(*version.document, version);
}

std::string local_name(const KindVersion& version) {
  return numbered(*version.kind, version);
}

std::string local_name(const std::string& cpp_name) {
  return cpp_name.substr(cpp_name.find("::") + 2);
}

std::string function_name(const DocumentVersion& version) {
  return version.document->name + "_v" + version.label;
}

std::string function_name(const Enum& enumeration) {
  return enumeration.c_name.substr(enumeration.cpp_name.find("::") + 1);
}

std::string cpp_name(const DocumentVersion& version) {
  return version.document->space + "::" + local_name(version);
}

std::string conversion_name(const DocumentVersion& from, const DocumentVersion& to) {
  return from.document->space + "::convert_" + step_name(from, to);
}

std::string types_header(const Document& document) {
  return header(document, ".hpp");
}

std::string types_header(const Kind& kind) {
  return header(kind, "_types.hpp");
}

std::string json_header(const Document& document) {
  return header(document, "_json.hpp");
}

std::string steps_header(const Document& document) {
  return header(document, "_steps.hpp");
}

std::string interface_header(const Kind& kind) {
  return header(kind, ".hpp");
}

std::string string_literal(std::string_view text) {
  static constexpr std::string_view digits = "01234567";
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      literal += {'\\', c};
    } else if (byte >= 0x20 && byte != 0x7f && c != '?') {
      literal += c;
    } else {  // always three digits, because a digit may follow; '?' may begin a trigraph
      literal += {'\\', digits[byte >> 6], digits[byte >> 3 & 7], digits[byte & 7]};
    }
  }
  return literal + "\"";
}

}  // namespace tenon::gen
