// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/emit_messages.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gen/emit/cpp_names.hpp"
#include "gen/model/layout.hpp"
#include "gen/model/naming.hpp"

namespace tenon::gen {
namespace {

/// Returns the value of tenon::ValueInfo::Form.
std::string_view form_of(const Type& type) {
  switch (type.shape) {
    case Shape::string:
      return "text";
    case Shape::json:
      return "json";
    case Shape::bytes:
    case Shape::buffer:
      return "bytes";
    case Shape::list:
      return "list";
    case Shape::map:
      return "map";
    case Shape::optional:
      return "pointer";
    case Shape::structure:
    case Shape::document:
      return "fields";
    default:
      return "plain";
  }
}

/// Returns the name of the array for a C struct. Names of specs cannot start like this.
std::string array_of(const std::string& c_struct) {
  return "tenon_fields_of_" + c_struct;
}

/// Writes constants, each before those that refer to it.
class MessageWriter {
 public:
  explicit MessageWriter(Writer& out) : out_(out) {}

  void message(const std::string& array, const std::vector<Field>& fields) {
    if (!fields.empty()) rows(array, fields, layout_of_message(fields), false);
  }

 private:
  void rows(const std::string& array, const std::vector<Field>& fields, const StructLayout& layout,
            bool has_bag) {
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      rows.push_back(
          "{" + string_literal(fields[i].name) + ", " + std::to_string(layout.offsets[i]) +
          (fields[i].added.empty() ? ", false, &" : ", true, &") + value(fields[i].type) + "}");
    }
    if (has_bag) {
      rows.push_back("{\"bag\", " + std::to_string(layout.offsets.back()) + ", false, &" +
                     value({.shape = Shape::json}) + "}");
    }
    out_.list("constexpr tenon::FieldInfo " + array + "[] = {", rows, "};");
  }

  /// Writes the array of a struct or document, and returns its name.
  std::string fields_of(const Type& type) {
    std::string array = array_of(c_type(type));
    if (!written_.insert(array).second) return array;
    if (type.shape == Shape::structure) {
      const Struct& structure = *type.structure;
      rows(array, structure.fields, layout_of(structure), structure.bag);
    } else {
      rows(array, type.document->fields, layout_of(*type.document), true);
    }
    return array;
  }

  /// Writes the constant of a type, and returns its name.
  std::string value(const Type& type) {
    const Type& held = type_in_c(type);
    const std::string_view form = form_of(held);
    const Layout layout = layout_of(held);
    std::vector<std::string> parts{"tenon::ValueInfo::Form::" + std::string(form),
                                   std::to_string(layout.size), std::to_string(layout.alignment)};
    if (form == "list" || form == "map" || form == "pointer") {
      parts.push_back("&" + value(*held.element));
    } else if (form == "fields") {
      parts.insert(parts.end(), {"nullptr", fields_of(held)});
    }
    const auto [constant, is_new] =
        constants_.emplace(parts, "tenon_value_" + std::to_string(constants_.size()));
    if (is_new) out_.list("constexpr tenon::ValueInfo " + constant->second + " = {", parts, "};");
    return constant->second;
  }

  Writer& out_;
  std::set<std::string> written_{};
  std::map<std::vector<std::string>, std::string> constants_{};
};

std::string fields_or_none(const std::vector<Field>& fields, const std::string& message) {
  return fields.empty() ? "{}" : array_of(message);
}

}  // namespace

std::string request_fields(const KindVersion& version, const Method& method) {
  return fields_or_none(method.request, request_name(version, method));
}

std::string response_fields(const KindVersion& version, const Method& method) {
  return fields_or_none(method.response, response_name(version, method));
}

void emit_messages(Writer& out, const Model& model) {
  if (model.kinds.empty()) return;
  MessageWriter writer(out);
  out.line("namespace {");
  out.line();
  for (const auto& kind : model.kinds) {
    for (const auto& version : kind->versions) {
      for (const Method& method : version->methods) {
        writer.message(request_fields(*version, method), method.request);
        writer.message(response_fields(*version, method), method.response);
      }
    }
  }
  out.line();
  out.line("}  // namespace");
  out.line();
}

}  // namespace tenon::gen
