// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/emit_types.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gen/emit/cpp_names.hpp"
#include "gen/emit/writer.hpp"
#include "gen/model/naming.hpp"

namespace tenon::gen {
namespace {

/// A struct of a spec, or a document with its bag.
struct Record {
  std::string c_name;
  std::string cpp_name;
  std::string doc;
  const std::vector<Field>& fields;
  bool bag;
  const DocumentVersion* document = nullptr;

  std::string name() const { return local_name(cpp_name); }
};

/// A field of a Record, or its bag.
struct Member {
  std::string name;
  bool points_to_data;
  std::string owned;
  std::string view;
  std::string value;
  std::string doc;
};

std::vector<Member> members(const Record& record) {
  std::vector<Member> all;
  for (const Field& field : record.fields) {
    all.push_back({field.name, points_to_data(field.type), owned_type(field.type),
                   view_type(field.type), value_type(field.type), field.doc});
  }
  if (record.bag) {
    all.push_back({"bag", true, "tenon::Bytes", "tenon::BytesView", "tenon::Value<tenon::Bytes>",
                   "Fields of other versions that this version does not have, as JSON."});
  }
  return all;
}

void emit_enum(Writer& out, const Enum& enumeration) {
  const std::string name = local_name(enumeration.cpp_name);
  std::vector<std::string> values;
  for (const std::string& value : enumeration.values) values.push_back(camel_case(value));
  out.line();
  out.doc(enumeration.doc);
  out.list("enum class " + name + " : std::int32_t { ", values, " };");
  out.line();
  out.doc("Returns the name of the value in specs and JSON; empty for an invalid number.");
  out.line("constexpr std::string_view to_text(", name, " value) noexcept {");
  out.line("  switch (value) {");
  for (const std::string& value : enumeration.values) {
    out.line("    case ", name, "::", camel_case(value), ":");
    out.line("      return ", string_literal(value), ";");
  }
  out.line("  }");
  out.line("  return {};");
  out.line("}");
  out.doc("Returns the value of this name, if there is one.");
  out.list("constexpr std::optional<" + name + "> " + function_name(enumeration) + "_from_text(",
           {"std::string_view text"}, ") noexcept {");
  for (const std::string& value : enumeration.values) {
    out.line("  if (text == ", string_literal(value), ") return ", name, "::", camel_case(value),
             ";");
  }
  out.line("  return std::nullopt;");
  out.line("}");
}

/// Returns `name`, followed by '_' if a field has this name, which a parameter would hide.
std::string parameter_beside(const std::vector<Member>& fields, const std::string& name) {
  const bool is_taken = std::any_of(fields.begin(), fields.end(),
                                    [&name](const Member& field) { return field.name == name; });
  return is_taken ? name + "_" : name;
}

void emit_comparison(Writer& out, const std::string& name, const std::vector<Member>& fields) {
  const std::string a = parameter_beside(fields, "a");
  const std::string b = parameter_beside(fields, "b");
  std::vector<std::string> same;
  for (const Member& field : fields) {
    same.push_back(a + "." + field.name + " == " + b + "." + field.name);
  }
  const std::string parameters = "(const " + name + "& " + a + ", const " + name + "& " + b + ")";
  out.line("friend bool operator==", parameters, " {");
  out.chain("  return ", same, " && ", ";");
  out.line("}");
  out.line("friend bool operator!=", parameters, " { return !(", a, " == ", b, "); }");
}

/// Writes short names of the enums and structs of the same file, as members.
void emit_aliases(Writer& out, const Version& version) {
  for (const auto& enumeration : version.enums) {
    out.line("using ", camel_case(enumeration->name), " = ", local_name(enumeration->cpp_name),
             ";");
  }
  for (const auto& structure : version.structs) {
    out.line("using ", camel_case(structure->name), " = ", local_name(structure->cpp_name), ";");
  }
  if (!version.enums.empty() || !version.structs.empty()) out.line();
}

void emit_owned(Writer& out, const Record& record) {
  const std::vector<Member> fields = members(record);
  out.line();
  out.doc(record.doc);
  out.line("struct ", record.name(), " {");
  out.indented([&] {
    if (record.document != nullptr) emit_aliases(out, *record.document);
    for (const Member& field : fields) {
      out.doc(field.doc);
      out.line(field.owned, " ", field.name, "{};");
    }
    out.line();
    emit_comparison(out, record.name(), fields);
  });
  out.line("};");
}

void emit_view(Writer& out, const Record& record) {
  const std::string name = record.name() + "View";
  out.line();
  out.doc("Reads a " + record.name() +
          " in place. Valid as long as the raw value and the data that it points to.");
  out.line("class ", name, " {");
  out.line(" public:");
  out.indented([&] {
    out.line("using Owned = ", record.name(), ";");
    out.line();
    out.line("explicit ", name, "(const ", record.c_name, "& raw) noexcept : raw_(&raw) {}");
    out.line();
    for (const Member& field : members(record)) {
      out.doc(field.doc);
      out.one_liner(field.view + " " + field.name + "() const",
                    "return " + field.value + "::view(raw_->" + field.name + ");");
    }
    out.line();
    out.line("const ", record.c_name, "& raw() const noexcept { return *raw_; }");
  });
  out.line();
  out.line(" private:");
  out.line("  const ", record.c_name, "* raw_;");
  out.line("};");
}

/// Writes the function for structs that point to data.
void emit_has_data(Writer& out, const std::vector<Member>& fields) {
  std::vector<std::string> complete;
  for (const Member& field : fields) {
    if (field.points_to_data)
      complete.push_back(field.value + "::has_data(raw." + field.name + ")");
  }
  if (complete.empty()) return;
  out.line("static bool has_data(const Raw& raw) noexcept {");
  out.chain("  return ", complete, " && ", ";");
  out.line("}");
}

/// Names start with "::", because a namespace inside tenon may hide them there.
void emit_value(Writer& out, const Record& record) {
  const std::vector<Member> fields = members(record);
  const std::string name = "::" + record.cpp_name;
  out.line("template <>");
  out.line("struct tenon::Value<", name, "> {");
  out.indented([&] {
    out.line("using Raw = ", record.c_name, ";");
    out.line("using View = ", name, "View;");
    out.line("template <Copy copy>");
    out.list("static Raw raw(", {"tenon_call* call", "const " + name + "& value"}, ") {");
    out.indented([&] {
      out.line("Raw raw{};");
      for (const Member& field : fields) {
        out.assign("raw." + field.name,
                   field.value + "::template raw<copy>(call, value." + field.name + ")");
      }
      out.line("return raw;");
    });
    out.line("}");
    out.line("static Raw pass(tenon_call*, View value) noexcept { return value.raw(); }");
    out.line("static View view(const Raw& raw) noexcept { return View(raw); }");
    out.line("static ", name, " own(const Raw& raw) {");
    out.indented([&] {
      out.line(name, " value;");
      for (const Member& field : fields) {
        out.assign("value." + field.name, field.value + "::own(raw." + field.name + ")");
      }
      out.line("return value;");
    });
    out.line("}");
    emit_has_data(out, fields);
  });
  out.line("};");
}

/// Opens and closes a namespace on demand.
class Namespace {
 public:
  Namespace(Writer& out, std::string name) : out_(out), name_(std::move(name)) {}
  void enter() {
    if (is_open_) return;
    out_.line();
    out_.line("namespace ", name_, " {");
    is_open_ = true;
  }
  void leave() {
    if (!is_open_) return;
    out_.line();
    out_.line("}  // namespace ", name_);
    is_open_ = false;
  }

 private:
  Writer& out_;
  std::string name_;
  bool is_open_ = false;
};

/// Writes the types of a Record, followed by its Value, which the next Record may need.
void emit_record(Writer& out, Namespace& space, const Record& record) {
  space.enter();
  emit_owned(out, record);
  emit_view(out, record);
  space.leave();
  out.line();
  emit_value(out, record);
}

void emit_version(Writer& out, Namespace& space, const Version& version) {
  for (const auto& enumeration : version.enums) {
    space.enter();
    emit_enum(out, *enumeration);
  }
  for (const auto& structure : version.structs) {
    emit_record(out, space,
                {structure->c_name, structure->cpp_name, structure->doc, structure->fields,
                 structure->bag});
  }
}

void emit_head(Writer& out, const std::string& what, const std::set<std::string>& headers) {
  out.line("// Generated by tenon-gen. Do not edit.");
  out.line("//");
  out.comment(what);
  out.line("#pragma once");
  out.line();
  for (const std::string& header : headers) out.line("#include <", header, ">");
  if (!headers.empty()) out.line();
  out.line("#include <tenon/values.hpp>");
  out.line();
  for (const char* header :
       {"cstdint", "functional", "map", "optional", "string", "string_view", "vector"}) {
    out.line("#include <", header, ">");
  }
}

std::string doc_of(const DocumentVersion& version) {
  std::string doc =
      version.doc + "\nVersion " + version.label + " of " + version.document->id + ".";
  if (version.life.stage == Life::Stage::deprecated) doc += "\nDeprecated: " + version.life.message;
  return doc;
}

}  // namespace

std::string emit_types(const Document& document) {
  std::vector<const DocumentVersion*> versions;
  std::set<std::string> headers;
  for (const auto& version : document.versions) {
    if (version->removed()) continue;
    versions.push_back(version.get());
    headers.insert(version->header);
    for (const DocumentVersion* used : version->documents) {
      if (used->document != &document) headers.insert(types_header(*used->document));
    }
  }
  Writer out;
  emit_head(out, "The document type " + document.id + ".", headers);
  Namespace space(out, document.space);
  for (const DocumentVersion* version : versions) {
    emit_version(out, space, *version);
    emit_record(
        out, space,
        {version->c_name, cpp_name(*version), doc_of(*version), version->fields, true, version});
  }
  if (versions.empty()) return out.text();
  const std::string newest = local_name(document.latest());
  const std::string name = camel_case(document.name);
  space.enter();
  out.line();
  out.doc("The newest version.");
  out.line("using ", name, " = ", newest, ";");
  out.line("using ", name, "View = ", newest, "View;");
  space.leave();
  return out.text();
}

std::string emit_types(const Kind& kind) {
  std::set<std::string> headers;
  for (const auto& version : kind.versions) {
    headers.insert(version->header);
    for (const DocumentVersion* used : version->documents) {
      headers.insert(types_header(*used->document));
    }
  }
  Writer out;
  emit_head(out, "The enums and structs of " + kind.id + ".", headers);
  Namespace space(out, kind.space);
  for (const auto& version : kind.versions) emit_version(out, space, *version);
  space.leave();
  return out.text();
}

}  // namespace tenon::gen
