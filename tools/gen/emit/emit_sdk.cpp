// SPDX-License-Identifier: BSL-1.0
//
// A method has two forms in the class of its version. The plain form takes views of the request and
// answers an owned value; the raw form takes the ABI structs. The default of the raw
// form calls the plain one, and the default of that throws. What the author wrote is found out when
// the table is made: a method of which neither form was written gets an empty slot.
//
// Fields that joined a released version later are in the raw form only, so that the signature of
// the plain form stays what its authors have overridden.
#include "gen/emit/emit_sdk.hpp"

#include "gen/emit/cpp_names.hpp"
#include "gen/emit/writer.hpp"
#include "gen/model/naming.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace tenon::gen {
namespace {

/// A stream is taken and answered as the object that stands for it.
std::string owned(const Type& type) {
  return is_stream(type) ? sdk_stream(type) : owned_type(type, "::");
}

/// What an author writes one form of a method as.
struct Signature {
  const Method& method;
  std::string request;              // eg: "photo_filter_v1_apply_request"
  std::string response;             // empty where there is none
  std::vector<const Field*> taken;  // parameters of the plain form
  std::vector<const Field*> given;  // its results
  std::string result;               // what it answers, eg: "std::vector<std::string>"

  Signature(const KindVersion& version, const Method& of)
      : method(of), request(request_name(version, of)) {
    if (!of.response.empty()) response = response_name(version, of);
    taken = original(of.request);
    given = original(of.response);
    result = "void";
    if (given.size() == 1) result = owned(given.front()->type);
    if (given.size() > 1) result = camel_case(of.name) + "Result";
  }

  static std::vector<const Field*> original(const std::vector<Field>& fields) {
    std::vector<const Field*> kept;
    for (const Field& field : fields) {
      if (field.added.empty()) kept.push_back(&field);
    }
    return kept;
  }
};

/// A parameter of the plain form.
std::string parameter_type(const Method& method, const Field& field) {
  if (method.configures) return "const tenon::sdk::Config&";
  return is_stream(field.type) ? sdk_stream(field.type) : view_type(field.type, "::");
}

std::string argument(const Method& method, const Field& field) {
  if (is_stream(field.type)) return "lent_" + field.name + ".object()";
  if (method.configures) return "config";
  return value_type(field.type) + "::view(in->" + field.name + ")";
}

template <class Text>
std::vector<std::string> each(const std::vector<const Field*>& fields, Text&& text) {
  std::vector<std::string> items;
  for (const Field* field : fields) items.push_back(text(*field));
  return items;
}

void emit_doc(Writer& out, const Signature& signature) {
  static constexpr std::string_view threading[] = {"any thread", "one call at a time",
                                                   "main thread"};
  const Method& method = signature.method;
  std::string tags(threading[static_cast<std::size_t>(method.threading)]);
  if (!method.blocks.empty()) tags += ", blocks until " + method.blocks;
  if (method.required) tags += ", required";
  out.doc(method.doc + " [" + tags + "]");
  for (const Field* field : signature.taken) {
    if (!field->doc.empty()) out.doc(field->name + ": " + field->doc);
  }
  if (signature.given.size() == 1 && !signature.given.front()->doc.empty()) {
    out.doc("Answers " + signature.given.front()->name + ": " + signature.given.front()->doc);
  }
}

void emit_result(Writer& out, const Signature& signature) {
  if (signature.given.size() < 2) return;
  out.line("struct ", signature.result, " {");
  for (const Field* field : signature.given) {
    out.doc("  ", field->doc);
    out.line("  ", owned(field->type), " ", field->name, "{};");
  }
  out.line("};");
}

void emit_plain(Writer& out, const Signature& signature) {
  const Method& method = signature.method;
  emit_doc(out, signature);
  out.list("virtual " + signature.result + " " + method.name + "(",
           each(signature.taken,
                [&](const Field& field) {
                  return parameter_type(method, field) + " /*" + field.name + "*/";
                }),
           ") {");
  out.line("  throw tenon::sdk::unimplemented(", quoted(method.name), ");");
  out.line("}");
}

/// Calls the plain form and, where there is a response, makes it of the result.
void emit_raw_body(Writer& out, const Signature& signature) {
  for (const Field* field : signature.taken) {
    if (!is_stream(field->type)) continue;
    out.line("tenon::sdk::detail::Lent lent_", field->name, "(in->", field->name, ");");
  }
  if (signature.method.configures) {
    out.line("const tenon::sdk::Config config(tenon::Value<tenon::TextMap>::view(in->config));");
  }
  const bool moves = std::any_of(signature.given.begin(), signature.given.end(),
                                 [](const Field* field) { return is_stream(field->type); });
  const std::string before =
      signature.given.empty() ? "" : (moves ? "" : "const ") + signature.result + " result = ";
  out.list(
      before + "this->" + signature.method.name + "(",
      each(signature.taken, [&](const Field& field) { return argument(signature.method, field); }),
      ");");
  if (signature.method.configures) out.line("this->warn_of_unread(config);");
  if (!signature.response.empty()) {
    out.line("auto* answer = tenon::sdk::detail::new_response<", signature.response, ">(call);");
    for (const Field* field : signature.given) {
      const std::string value = signature.given.size() > 1 ? "result." + field->name : "result";
      if (is_stream(field->type)) {
        out.line("answer->", field->name, " = tenon::sdk::give(std::move(", value, "));");
        continue;
      }
      out.line("answer->", field->name, " = ", value_type(field->type),
               "::raw<tenon::Copy::deep>(call, ", value, ");");
    }
    out.line("*out = answer;");
  }
  for (const Field* field : signature.taken) {
    if (is_stream(field->type)) out.line("lent_", field->name, ".own();");
  }
  out.line("return TENON_OK;");
}

void emit_raw(Writer& out, const Signature& signature) {
  const bool answers = !signature.response.empty();
  std::vector<std::string> parameters = {
      answers ? "tenon_call* call" : "tenon_call* /*call*/",
      "const " + signature.request + (signature.taken.empty() ? "* /*in*/" : "* in")};
  if (answers) parameters.push_back("const " + signature.response + "** out");
  out.list("virtual tenon_status raw_" + signature.method.name + "(", parameters, ") {");
  out.indented([&] { emit_raw_body(out, signature); });
  out.line("}");
}

/// The two forms of a method as types, to find out whether the author of P wrote one of them.
void emit_forms(Writer& out, const Method& method) {
  const std::string camel = camel_case(method.name);
  out.line("template <class P>");
  out.line("using Plain", camel, " = decltype(&P::", method.name, ");");
  out.line("template <class P>");
  out.line("using Raw", camel, " = decltype(&P::raw_", method.name, ");");
}

void emit_slot(Writer& out, const std::string& base, const Method& method) {
  const std::string camel = camel_case(method.name);
  const std::string form = "&" + base + "::raw_" + method.name;
  for (const std::string prefix : {"", "raw_"}) {
    const std::string name = prefix + method.name;
    out.list(
        "static_assert(",
        {"!hides<" + std::string(prefix.empty() ? "Plain" : "Raw") + camel + ", P, " + base + ">",
         quoted(name + " of the plugin has another signature than " + base + "::" + name +
                " and would never be called: give it the same one, and write override")},
        ");");
  }
  out.list("table." + method.name + " = slot<", {form, "Plain" + camel, "Raw" + camel, "P", base},
           ">();");
  if (!method.required) return;
  out.list("static_assert(",
           {"is_written<Plain" + camel + ", Raw" + camel + ", P, " + base + ">",
            quoted("a plugin of this kind has to override " + method.name)},
           ");");
}

/// What the macros of a module need to know of the class.
void emit_interface(Writer& out, const KindVersion& version) {
  const std::string base = local_name(version);
  const std::string& prefix = version.c_name;
  out.line("struct TENON_SDK_LOCAL Interface {");
  out.indented([&] {
    out.line("using Table = ", prefix, ";");
    out.line("static constexpr std::string_view kind = TENON_KIND_", prefix, ";");
    out.line("static constexpr std::string_view spec = TENON_SPEC_", prefix, ";");
    out.line("static constexpr std::int32_t version = ", version.number, ";");
    out.line("static constexpr std::uint64_t fingerprint = TENON_FINGERPRINT_", prefix, ";");
    out.line();
    for (const Method& method : version.methods) emit_forms(out, method);
    out.line();
    out.doc("The table for instances of P.");
    out.line("template <class P>");
    out.line("static constexpr Table table() {");
    out.indented([&] {
      out.line("using namespace tenon::sdk::detail;");
      out.line("Table table{};");
      out.line("table.struct_size = sizeof(Table);");
      out.line("table.version = version;");
      out.line("table.base = &base_of<P, ", base, ">;");
      for (const Method& method : version.methods) emit_slot(out, base, method);
      out.line("return table;");
    });
    out.line("}");
  });
  out.line("};");
}

/// Enums and structs of the version by their short names.
void emit_aliases(Writer& out, const KindVersion& version) {
  for (const auto& enumeration : version.enums) {
    out.line("using ", camel_case(enumeration->name), " = ::", enumeration->cpp_name, ";");
  }
  for (const auto& structure : version.structs) {
    out.line("using ", camel_case(structure->name), " = ::", structure->cpp_name, ";");
  }
  if (!version.enums.empty() || !version.structs.empty()) out.line();
}

void emit_class(Writer& out, const KindVersion& version) {
  const std::string name = local_name(version);
  out.doc(version.doc);
  out.doc("Version " + std::to_string(version.number) + " of " + version.kind->id +
          ": override what the plugin can do, the rest answers `unimplemented`.");
  if (version.life.stage == Life::Stage::deprecated) {
    out.doc("Deprecated: " + version.life.message);
  }
  out.line("class ", name, " : public tenon::sdk::Plugin {");
  out.line(" public:");
  out.indented([&] { emit_aliases(out, version); });
  std::vector<Signature> signatures;
  for (const Method& method : version.methods) signatures.emplace_back(version, method);
  out.indented([&] {
    for (const Signature& signature : signatures) {
      emit_result(out, signature);
      emit_plain(out, signature);
      out.line();
    }
    out.comment(
        "The same in the ABI structs, for plugins that use its arena themselves. What "
        "is overridden here is called in the place of the form above.");
    for (const Signature& signature : signatures) {
      emit_raw(out, signature);
      out.line();
    }
    emit_interface(out, version);
  });
  out.line("};");
}

}  // namespace

std::string sdk_header(const Kind& kind) {
  return kind.space + "/sdk/" + kind.name + ".hpp";
}

std::string emit_sdk(const Kind& kind) {
  std::set<std::string> headers = {types_header(kind)};
  for (const auto& version : kind.versions) {
    headers.insert(version->header);
  }
  Writer out;
  out.line("// Generated by tenon-gen; not edited.");
  out.line("//");
  out.line("// For plugins of ", kind.id, " in C++17: one class for each version.");
  out.line("#pragma once");
  out.line();
  for (const std::string& header : headers) out.line("#include <", header, ">");
  out.line();
  out.line("#include <tenon/sdk/plugin.hpp>");
  out.line("#include <tenon/values.hpp>");
  out.line();
  out.line("#include <cstdint>");
  out.line("#include <map>");
  out.line("#include <memory>");
  out.line("#include <optional>");
  out.line("#include <string>");
  out.line("#include <string_view>");
  out.line("#include <utility>");
  out.line("#include <vector>");
  out.line();
  out.line("namespace ", kind.space, "::sdk {");
  for (const auto& version : kind.versions) {
    out.line();
    emit_class(out, *version);
  }
  out.line();
  out.line("}  // namespace ", kind.space, "::sdk");
  return out.text();
}

}  // namespace tenon::gen
