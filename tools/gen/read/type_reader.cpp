// SPDX-License-Identifier: BSL-1.0
#include "gen/read/type_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "gen/common.hpp"

namespace tenon::gen {
namespace {

/// The names of builtin types, in the order of Shape.
constexpr std::string_view shape_names[] = {
    "bool",   "int8",    "int16",   "int32",  "int64", "uint8",   "uint16",   "uint32",
    "uint64", "float32", "float64", "string", "bytes", "buffer",  "duration", "timestamp",
    "json",   "reader",  "writer",  "list",   "map",   "optional"};

std::optional<Shape> shape_of(std::string_view name) noexcept {
  const auto* found = std::find(std::begin(shape_names), std::end(shape_names), name);
  if (found == std::end(shape_names)) return std::nullopt;
  return static_cast<Shape>(found - std::begin(shape_names));
}

bool takes_element(Shape shape) noexcept {
  return shape == Shape::list || shape == Shape::map || shape == Shape::optional;
}

bool is_stream(Shape shape) noexcept {
  return shape == Shape::reader || shape == Shape::writer;
}

/// Parses one type. Stops at the first problem.
class TypeReader {
 public:
  TypeReader(const SourceLocation& location, TypeUse use, const TypeScope& scope,
             Diagnostics& diagnostics)
      : location_(location), use_(use), scope_(scope), diagnostics_(diagnostics) {}

  /// `outer` is the type that directly contains this one, if any.
  std::optional<Type> read(std::string_view text, std::optional<Shape> outer) {
    const std::size_t bracket = text.find('<');
    const std::string_view name = text.substr(0, bracket);
    const std::optional<Shape> shape = shape_of(name);
    if (bracket != std::string_view::npos) {
      if (!shape || !takes_element(*shape)) return unknown(text);
      if (text.back() != '>') {
        return bad("'" + std::string(text) + "' has no '>' at its end",
                   "'" + std::string(name) + "<...>'", "add '>'");
      }
      return read_holder(*shape, text.substr(bracket + 1, text.size() - bracket - 2), outer);
    }
    if (shape && takes_element(*shape)) {
      return bad("'" + std::string(name) + "' has no element type",
                 "'" + std::string(name) + "<...>'", "add the type of its elements");
    }
    if (shape) return check_plain(*shape, outer);
    if (text.find('@') != std::string_view::npos) return read_document(text);
    return read_local(text);
  }

 private:
  std::optional<Type> read_holder(Shape shape, std::string_view inner, std::optional<Shape> outer) {
    const bool of_documents = shape == Shape::map && inner.find('@') != std::string_view::npos;
    if (use_ == TypeUse::property && (!of_documents || outer)) return bad_property();
    if (shape == Shape::optional && outer) {
      return bad(
          "an optional is inside " + std::string(shape_names[int(*outer)]),
          "optional only around the whole type of a field",
          *outer == Shape::optional ? "write optional once" : "omit absent elements instead");
    }
    if (++depth_ > max_depth) {
      return bad("the type has too many levels", "at most " + std::to_string(max_depth) + " levels",
                 "name the inner levels as structs");
    }
    const std::size_t comma = std::min(inner.find_first_of("<,"), inner.size());
    if (shape == Shape::map && inner.substr(comma, 1) == ",") {
      return bad("a map has two types", "only the type of its values, because all keys are strings",
                 "remove '" + std::string(inner.substr(0, comma + 1)) + "'");
    }
    std::optional<Type> element = read(inner, shape);
    if (!element) return std::nullopt;
    if (shape == Shape::list && element->shape == Shape::uint8) {
      return bad("list<uint8> is not allowed: it is the type bytes", "bytes", "write 'bytes'");
    }
    return Type{.shape = shape, .element = std::make_shared<const Type>(std::move(*element))};
  }

  std::optional<Type> check_plain(Shape shape, std::optional<Shape> outer) {
    if (use_ == TypeUse::property) {
      const bool good = shape <= Shape::string;
      return good ? std::optional(Type{.shape = shape}) : bad_property();
    }
    if (shape != Shape::buffer && !is_stream(shape)) return Type{.shape = shape};
    if (shape == Shape::buffer) {
      if (use_ == TypeUse::request && !outer) return Type{.shape = shape};
      return bad("'buffer' belongs to the caller and cannot be part of a response or value",
                 "'buffer' directly in a request", "use bytes");
    }
    const bool in_message = use_ == TypeUse::request || use_ == TypeUse::response;
    if (in_message && (!outer || outer == Shape::optional)) return Type{.shape = shape};
    const std::string name(shape_names[int(shape)]);
    return bad("'" + name + "' is valid only during a call and cannot be part of a value",
               "'" + name + "' directly in a request or response, also optional there",
               "make it a field of its own");
  }

  std::optional<Type> read_local(std::string_view name) {
    if (use_ == TypeUse::property) return bad_property();
    const auto found = scope_.local.find(std::string(name));
    return found != scope_.local.end() ? found->second : unknown(name);
  }

  std::optional<Type> read_document(std::string_view text) {
    const std::size_t at = text.find('@');
    const std::string_view name = text.substr(0, at);
    const std::string_view label = text.substr(at + 1);
    const Document* document = find_document(name);
    if (document == nullptr) return unknown(text);
    std::vector<std::string> known;
    for (const auto& version : document->versions) {
      known.push_back(version->label);
      if (known.back() != label) continue;
      // Headers do not contain properties.
      if (use_ != TypeUse::property) scope_.version.documents.push_back(version.get());
      return Type{.shape = Shape::document, .document = version.get()};
    }
    diagnostics_.add({.location = location_,
                      .code = "unknown-version",
                      .message = document->id + " has no version '" + std::string(label) + "'",
                      .needed = enumerate(known),
                      .fix = "write '" + std::string(name) + "@" + known.back() + "'"});
    return std::nullopt;
  }

  const Document* find_document(std::string_view name) const {
    std::string id(name);
    if (name.find('/') == std::string_view::npos) id = scope_.domain + "/" + id;
    const auto found = std::lower_bound(
        scope_.documents.begin(), scope_.documents.end(), id,
        [](const auto& document, const std::string& wanted) { return document->id < wanted; });
    return found != scope_.documents.end() && (*found)->id == id ? found->get() : nullptr;
  }

  /// Returns all types, for suggestions.
  std::vector<std::string> known_types() const {
    std::vector<std::string> known(std::begin(shape_names), std::end(shape_names));
    for (const auto& enumeration : scope_.version.enums) known.push_back(enumeration->name);
    for (const auto& structure : scope_.version.structs) known.push_back(structure->name);
    for (const auto& document : scope_.documents) {
      const std::string name = document->domain == scope_.domain ? document->name : document->id;
      for (const auto& version : document->versions) {
        known.push_back(name + "@" + version->label);
      }
    }
    return known;
  }

  std::optional<Type> unknown(std::string_view text) {
    diagnostics_.add({.location = location_,
                      .code = "unknown-type",
                      .message = "there is no type '" + std::string(text) + "'",
                      .needed =
                          "a type such as int32, string or list<string>, an enum or struct of "
                          "this file, or a document type with its version",
                      .fix = did_you_mean(text, known_types(),
                                          "define it, correct the name, or also pass the directory "
                                          "that contains its spec")});
    return std::nullopt;
  }

  std::optional<Type> bad_property() {
    return bad("a property cannot have this type",
               "bool, a number, string, a document type, or a map of documents",
               "use one of those");
  }

  std::optional<Type> bad(std::string what, std::string needed, std::string fix) {
    diagnostics_.add({.location = location_,
                      .code = "bad-type",
                      .message = std::move(what),
                      .needed = std::move(needed),
                      .fix = std::move(fix)});
    return std::nullopt;
  }

  static constexpr int max_depth = 16;

  const SourceLocation& location_;
  TypeUse use_;
  const TypeScope& scope_;
  Diagnostics& diagnostics_;
  int depth_ = 0;
};

}  // namespace

std::optional<Type> read_type(const JsonValue& text, TypeUse use, const TypeScope& scope,
                              Diagnostics& diagnostics) {
  if (text.text() == nullptr) {
    add_wrong_type(text, "a type", "a text such as \"list<string>\"", diagnostics);
    return std::nullopt;
  }
  return TypeReader(text.location, use, scope, diagnostics).read(*text.text(), std::nullopt);
}

bool is_type_name(std::string_view name) noexcept {
  return shape_of(name).has_value();
}

std::string to_text(const Type& type) {
  switch (type.shape) {
    case Shape::enumeration:
      return type.enumeration->name;
    case Shape::structure:
      return type.structure->name;
    case Shape::document:
      return type.document->document->id + "@" + type.document->label;
    default: {
      const std::string name(shape_names[static_cast<std::size_t>(type.shape)]);
      return type.element ? name + "<" + to_text(*type.element) + ">" : name;
    }
  }
}

}  // namespace tenon::gen
