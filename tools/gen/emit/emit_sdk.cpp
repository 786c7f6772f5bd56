// SPDX-License-Identifier: BSL-1.0
//
// A method has two forms in the class of its version. The plain form takes views of the request and
// returns an owned value; the raw form takes the ABI structs. The raw form calls the plain one by
// default, which fails by default. The vtable detects which forms the author has overridden: a
// method without an override gets a NULL slot.
//
// Fields that were added to a released version are only in the raw form, so that the signature of
// the plain form does not change.
#include "gen/emit/emit_sdk.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gen/emit/cpp_names.hpp"
#include "gen/emit/interface_method.hpp"
#include "gen/emit/writer.hpp"
#include "gen/model/naming.hpp"

namespace tenon::gen {
namespace {

/// Returns the type of a parameter or result. Streams are passed as objects of the SDK.
std::string owned_sdk_type(const Type& type) {
  return is_stream(type) ? sdk_stream(type) : owned_type(type, "::");
}

/// The signatures of the two forms of a method.
struct Signature {
  const Method& method;
  std::string request;              // eg: "photo_filter_v1_apply_request"
  std::string response;             // empty if there is none
  std::vector<const Field*> taken;  // parameters of the plain form
  std::vector<const Field*> given;  // its results
  std::string result;               // the return type, eg: "std::vector<std::string>"

  Signature(const KindVersion& version, const Method& of)
      : method(of), request(request_name(version, of)) {
    if (!of.response.empty()) response = response_name(version, of);
    taken = original(of.request);
    given = original(of.response);
    result = "void";
    if (given.size() == 1) result = owned_sdk_type(given.front()->type);
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

/// Returns the type of a parameter of the plain form.
std::string parameter_type(const Method& method, const Field& field) {
  if (method.configures) return "const tenon::sdk::Config&";
  return is_stream(field.type) ? sdk_stream(field.type) : view_type(field.type, "::");
}

std::string sdk_argument(const Method& method, const Field& field) {
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
    out.doc("Returns " + signature.given.front()->name + ": " + signature.given.front()->doc);
  }
}

void emit_result(Writer& out, const Signature& signature) {
  if (signature.given.size() < 2) return;
  out.line("struct ", signature.result, " {");
  for (const Field* field : signature.given) {
    out.doc("  ", field->doc);
    out.line("  ", owned_sdk_type(field->type), " ", field->name, "{};");
  }
  out.line("};");
}

/// Returns the parameters of the plain form.
std::vector<std::string> parameters(const Signature& signature) {
  return each(signature.taken, [&signature](const Field& field) {
    return parameter_type(signature.method, field) + " /*" + field.name + "*/";
  });
}

void emit_plain(Writer& out, const Signature& signature) {
  const Method& method = signature.method;
  emit_doc(out, signature);
  out.list("virtual " + signature.result + " " + method.name + "(", parameters(signature), ") {");
  out.list("  return tenon::sdk::detail::raise<" + signature.result + ">(",
           {"tenon::sdk::unimplemented(" + string_literal(method.name) + ")"}, ");");
  out.line("}");
}

/// Calls the plain form, and converts its result to the response.
void emit_raw_body(Writer& out, const Signature& signature) {
  for (const Field* field : signature.taken) {
    if (!is_stream(field->type)) continue;
    out.line("tenon::sdk::detail::BorrowedStream lent_", field->name, "(in->", field->name, ");");
  }
  if (signature.method.configures) {
    out.line("const tenon::sdk::Config config(tenon::Value<tenon::TextMap>::view(in->config));");
  }
  const bool moves = std::any_of(signature.given.begin(), signature.given.end(),
                                 [](const Field* field) { return is_stream(field->type); });
  const std::string before =
      signature.given.empty() ? "" : (moves ? "" : "const ") + signature.result + " result = ";
  out.list(before + "this->" + signature.method.name + "(",
           each(signature.taken,
                [&](const Field& field) { return sdk_argument(signature.method, field); }),
           ");");
  // Without exceptions, a method that fails still returns here. The vtable returns its status.
  const bool takes_streams = std::any_of(signature.taken.begin(), signature.taken.end(),
                                         [](const Field* field) { return is_stream(field->type); });
  if (takes_streams || moves || signature.method.configures) {
    out.line("if (tenon::sdk::failed()) return TENON_UNKNOWN;");
  }
  if (signature.method.configures) out.line("tenon::sdk::Plugin::warn_of_unread(config);");
  if (!signature.response.empty()) {
    out.line("auto* response = tenon::sdk::detail::new_response<", signature.response, ">(call);");
    for (const Field* field : signature.given) {
      const std::string value = signature.given.size() > 1 ? "result." + field->name : "result";
      if (is_stream(field->type)) {
        out.line("response->", field->name, " = tenon::sdk::give(std::move(", value, "));");
        continue;
      }
      out.line("response->", field->name, " = ", value_type(field->type),
               "::raw<tenon::Copy::deep>(call, ", value, ");");
    }
    out.line("*out = response;");
  }
  for (const Field* field : signature.taken) {
    if (is_stream(field->type)) out.line("lent_", field->name, ".own();");
  }
  out.line("return TENON_OK;");
}

void emit_raw(Writer& out, const Signature& signature) {
  const bool has_response = !signature.response.empty();
  std::vector<std::string> parameters = {
      has_response ? "tenon_call* call" : "tenon_call* /*call*/",
      "const " + signature.request + (signature.taken.empty() ? "* /*in*/" : "* in")};
  if (has_response) parameters.push_back("const " + signature.response + "** out");
  out.list("virtual tenon_status raw_" + signature.method.name + "(", parameters, ") {");
  out.indented([&] { emit_raw_body(out, signature); });
  out.line("}");
}

/// Writes the method of Calls: it takes a Call and owned values or views, and returns owned values.
void emit_call(Writer& out, const KindVersion& version, const Signature& signature) {
  std::vector<std::string> parameters{"tenon::sdk::Call call"};
  std::vector<std::string> arguments{"call", "&" + version.c_name + "::" + signature.method.name,
                                     "in"};
  for (const Field* field : signature.taken) {
    const std::string name = variable_name(*field);
    parameters.push_back((is_stream(field->type) ? sdk_stream(field->type)
                          : is_lent(field->type) ? "const " + owned_sdk_type(field->type) + "&"
                                                 : view_type(field->type, "::")) +
                         " " + name);
    if (is_stream(field->type)) arguments.push_back("passed_" + name);
  }
  out.list(signature.result + " " + signature.method.name + "(", parameters, ") const {");
  out.indented([&] {
    out.line("if (!client_.can_call(call)) return", signature.given.empty() ? "" : " {}", ";");
    out.line(signature.request, " in{};");
    for (const Field* field : signature.taken) {
      const std::string name = variable_name(*field);
      if (is_stream(field->type)) {
        out.line("tenon::sdk::detail::PassedStream passed_", name, "(tenon::sdk::give(std::move(",
                 name, ")));");
        out.line("in.", field->name, " = passed_", name, ".raw();");
        continue;
      }
      const auto raw = InterfaceMethod::raw_of(*field, MethodForm::plain);
      out.list("in." + field->name + " = " + raw[0], {raw[1], raw[2]}, ");");
    }
    out.list(std::string(signature.given.empty() ? "" : "const auto& out = ") + "client_.call(",
             arguments, ");");
    if (signature.given.empty()) return;
    const auto values = each(signature.given, [](const Field& field) {
      return (is_stream(field.type) ? "tenon::sdk::take" : value_type(field.type) + "::own") +
             "(out." + field.name + ")";
    });
    if (signature.given.size() == 1) {
      out.line("return ", values.front(), ";");
    } else {
      out.list("return {", values, "};");
    }
  });
  out.line("}");
}

void emit_calls(Writer& out, const KindVersion& version, const std::vector<Signature>& signatures) {
  const std::string client = "tenon::sdk::Client<" + local_name(version) + ">";
  out.doc("The methods of another plugin, see " + client + ".");
  out.line("class TENON_SDK_LOCAL Calls {");
  out.line(" public:");
  out.indented([&] {
    out.line("explicit Calls(const ", client, "& client) noexcept : client_(client) {}");
    for (const Signature& signature : signatures) {
      out.line();
      emit_call(out, version, signature);
    }
  });
  out.line();
  out.line(" private:");
  out.line("  const ", client, "& client_;");
  out.line("};");
}

/// Writes the two forms of a method as types, which detect overrides in the class P.
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
    out.list("static_assert(",
             {"!tenon::sdk::detail::hides<" + std::string(prefix.empty() ? "Plain" : "Raw") +
                  camel + ", P, " + base + ">",
              string_literal(
                  name + " of the plugin has a different signature than " + base + "::" + name +
                  " and would never be called: use the same signature, and add override")},
             ");");
  }
  out.list("table." + method.name + " = tenon::sdk::detail::vtable_entry<",
           {form, "Plain" + camel, "Raw" + camel, "P", base}, ">();");
  if (!method.required) return;
  out.list("static_assert(",
           {"tenon::sdk::detail::overrides_either<Plain" + camel + ", Raw" + camel + ", P, " +
                base + ">",
            string_literal("a plugin of this kind has to override " + method.name)},
           ");");
}

/// Writes the traits for the macros that declare a module.
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
    out.doc("Returns the vtable for instances of P.");
    out.line("template <class P>");
    out.line("static constexpr Table table() {");
    out.indented([&] {
      out.line("Table table{};");
      out.line("table.struct_size = sizeof(Table);");
      out.line("table.version = version;");
      out.line("table.base = &tenon::sdk::detail::base_of<P, ", base, ">;");
      for (const Method& method : version.methods) emit_slot(out, base, method);
      out.line("return table;");
    });
    out.line("}");
  });
  out.line("};");
}

/// Writes short names of the enums and structs of the version.
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
          ". Override the methods that the plugin supports; the others return `unimplemented`.");
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
        "The raw forms, with the ABI structs, for plugins that use the arena of the call "
        "themselves. An override of a raw form is called instead of the plain form.");
    for (const Signature& signature : signatures) {
      emit_raw(out, signature);
      out.line();
    }
    emit_calls(out, version, signatures);
    out.line();
    emit_interface(out, version);
  });
  out.line("};");
}

}  // namespace

std::string sdk_header(const Kind& kind) {
  return kind.space + "/sdk/" + kind.name + ".hpp";
}

std::string sdk_override(const KindVersion& version, const Method& method) {
  const Signature signature(version, method);
  Writer out;
  out.indented([&] {
    out.list(signature.result + " " + method.name + "(", parameters(signature),
             signature.given.empty() ? ") override {}" : ") override { return {}; }");
  });
  return out.text();
}

std::string emit_sdk(const Kind& kind) {
  std::set<std::string> headers = {types_header(kind)};
  for (const auto& version : kind.versions) {
    headers.insert(version->header);
  }
  Writer out;
  out.line("// Generated by tenon-gen. Do not edit.");
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
