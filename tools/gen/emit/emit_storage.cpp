// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/emit_storage.hpp"

#include <set>

#include "gen/emit/cpp_names.hpp"
#include "gen/emit/storage_names.hpp"
#include "gen/model/layout.hpp"

namespace tenon::gen {
namespace {

void emit_enum_storage(Writer& out, const Enum& enumeration) {
  std::vector<std::string> literals;
  for (const std::string& value : enumeration.values) literals.push_back(string_literal(value));
  out.line();
  out.doc(enumeration.doc);
  out.line("struct ", local_name(storage_of(enumeration.cpp_name)), " {");
  out.list("  static constexpr std::array<std::string_view, " + std::to_string(literals.size()) +
               "> literals{",
           literals, "};");
  out.line("  tenon_string literal{};");
  out.line("};");
}

void emit_object(Writer& out, const StoredObject& object) {
  out.line();
  out.doc(object.doc);
  out.line("struct ", object.name(), " {");
  out.indented([&] {
    for (const Field& field : object.fields) {
      out.doc(field.doc);
      out.line("const ", stored_form(field.type), "* ", field.name, " = nullptr;");
    }
    out.doc("Fields of other versions that this version does not have.");
    out.line("tenon::Bag bag{};");
    out.line();
    const char* parameters =
        object.fields.empty() ? "Object&, Visit&&" : "Object& object, Visit&& visit";
    out.line("template <class Object, class Visit>");
    out.line("static void for_each_field(", parameters, ") {");
    for (const Field& field : object.fields) {
      out.line("  visit(", string_literal(field.name), ", object.", field.name, ");");
    }
    out.line("}");
  });
  out.line("};");
}

void emit_version(Writer& out, const DocumentVersion& version) {
  for (const auto& enumeration : version.enums) emit_enum_storage(out, *enumeration);
  for (const StoredObject& object : stored_objects(version)) emit_object(out, object);
}

/// The parameters of Stored<S>::load and ::save. Names start with "::", because a namespace inside
/// tenon may hide them there.
std::vector<std::string> load_parameters(const StoredObject& object) {
  return {"Conversion& conversion", "const Raw& raw", "::" + object.storage + "& stored"};
}
std::vector<std::string> save_parameters(const StoredObject& object) {
  return {"Conversion& conversion", "const ::" + object.storage + "& stored", "Raw& raw"};
}

void emit_trait(Writer& out, const StoredObject& object) {
  out.line();
  out.line("template <>");
  out.line("struct tenon::Stored<", object.storage, "> {");
  out.indented([&] {
    out.line("using Raw = ", object.c_name, ";");
    out.line("static constexpr bool shared = false;");
    out.line("static constexpr bool nullable = false;");
    out.list("static bool load(", load_parameters(object), ");");
    out.list("static bool save(", save_parameters(object), ");");
  });
  out.line("};");
}

/// Unknown literals cross the ABI in the bag.
void emit_literals(Writer& out, const StoredObject& object, const DocumentVersion& version,
                   bool loads) {
  for (const Field& field : object.fields) {
    if (innermost(field.type).shape != Shape::enumeration) continue;
    const std::vector<std::string> arguments{"conversion", bag_field(field, version),
                                             "raw." + field.name, loads ? "stored.bag" : "bag",
                                             "stored." + field.name};
    if (loads) {
      out.list("if (!tenon::load_literals(", arguments, ")) return false;");
    } else {
      out.list("tenon::save_literals(", arguments, ");");
    }
  }
}

/// Fields that cannot be absent in the ABI are marked in the bag if they are absent. An empty text
/// of type json is absent without a mark.
void emit_absence(Writer& out, const StoredObject& object, const DocumentVersion& version,
                  bool loads) {
  for (const Field& field : object.fields) {
    const Shape shape = field.type.shape;
    if (shape == Shape::optional || shape == Shape::structure || shape == Shape::document ||
        shape == Shape::json) {
      continue;
    }
    std::vector<std::string> arguments{"conversion", bag_field(field, version)};
    if (loads) arguments.push_back("raw." + field.name);
    arguments.emplace_back(loads ? "stored.bag" : "bag");
    arguments.push_back("stored." + field.name);
    out.list(loads ? "tenon::load_absence(" : "tenon::save_absence(", arguments, ");");
  }
}

void emit_load(Writer& out, const StoredObject& object, const DocumentVersion& version) {
  out.list("bool tenon::Stored<" + object.storage + ">::load(", load_parameters(object), ") {");
  out.indented([&] {
    std::vector<std::string> loads;
    for (const Field& field : object.fields) {
      loads.push_back("tenon::load_field(conversion, " + string_literal(field.name) + ", raw." +
                      field.name + ", stored." + field.name + ")");
    }
    loads.emplace_back("stored.bag.read(conversion, raw.bag)");
    out.chain("if (!(", loads, " && ", ")) return false;");
    // First, because an entry that marks an absent field has the key of one with literals.
    emit_absence(out, object, version, true);
    emit_literals(out, object, version, true);
    out.line("return true;");
  });
  out.line("}");
  out.line();
}

void emit_save(Writer& out, const StoredObject& object, const DocumentVersion& version) {
  out.list("bool tenon::Stored<" + object.storage + ">::save(", save_parameters(object), ") {");
  out.indented([&] {
    std::vector<std::string> saves;
    for (const Field& field : object.fields) {
      const bool optional = field.type.shape == Shape::optional;
      saves.push_back(std::string("tenon::save_") + (optional ? "optional" : "field") +
                      "(conversion, " + string_literal(field.name) + ", stored." + field.name +
                      ", raw." + field.name + ")");
    }
    if (!saves.empty()) out.chain("if (!(", saves, " && ", ")) return false;");
    out.line("tenon::Bag bag = stored.bag;");
    emit_literals(out, object, version, false);
    emit_absence(out, object, version, false);
    out.line("return bag.text(conversion, raw.bag);");
  });
  out.line("}");
  out.line();
}

}  // namespace

std::string emit_storage(const Document& document) {
  std::set<std::string> headers;
  for (const auto& version : document.versions) {
    if (!version->removed()) headers.insert(version->header);
    for (const DocumentVersion* used : version->documents) {
      if (used->document != &document) headers.insert(storage_header(*used->document));
    }
  }
  Writer out;
  out.line("// Generated by tenon-gen. Do not edit.");
  out.line("//");
  out.comment("The storage types of " + document.id +
              ", see tenon/detail/storage.hpp. Absent fields are nullptr.");
  out.line("#pragma once");
  out.line();
  for (const std::string& header : headers) out.line("#include <", header, ">");
  if (!headers.empty()) out.line();
  out.line("#include <tenon/detail/storage.hpp>");
  out.line();
  for (const char* header : {"array", "cstdint", "string_view"}) {
    out.line("#include <", header, ">");
  }
  out.line();
  out.line("namespace ", document.space, " {");
  for (const auto& version : document.versions) emit_version(out, *version);
  out.line();
  out.line("}  // namespace ", document.space);
  for (const auto& version : document.versions) {
    if (version->removed()) continue;
    for (const StoredObject& object : stored_objects(*version)) emit_trait(out, object);
  }
  return out.text();
}

void emit_abi_conversions(Writer& out, const Document& document) {
  for (const auto& version : document.versions) {
    if (version->removed()) continue;
    for (const StoredObject& object : stored_objects(*version)) {
      emit_load(out, object, *version);
      emit_save(out, object, *version);
    }
  }
}

}  // namespace tenon::gen
