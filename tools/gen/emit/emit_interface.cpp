// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/emit_interface.hpp"

#include "gen/emit/cpp_names.hpp"
#include "gen/emit/interface_method.hpp"
#include "gen/model/naming.hpp"

namespace tenon::gen {
namespace {

std::string class_name(const Kind& kind) {
  return camel_case(kind.name);
}

std::vector<InterfaceMethod> methods_of(const KindVersion& version) {
  std::vector<InterfaceMethod> methods;
  for (const Method& method : version.methods) methods.push_back({version, method});
  return methods;
}

void emit_aliases(Writer& out, const KindVersion& version) {
  for (const auto& enumeration : version.enums) {
    out.line("using ", camel_case(enumeration->name), " = ", local_name(enumeration->cpp_name),
             ";");
  }
  for (const auto& structure : version.structs) {
    out.line("using ", camel_case(structure->name), " = ", local_name(structure->cpp_name), ";");
    out.line("using ", camel_case(structure->name), "View = ", local_name(structure->cpp_name),
             "View;");
  }
  if (!version.enums.empty() || !version.structs.empty()) out.line();
}

void emit_results(Writer& out, const InterfaceMethod& method) {
  if (!method.returns_struct()) return;
  out.doc("The results of `" + method.method.name + "`.");
  out.line("struct ", method.plain_result(), " {");
  for (const Field& field : method.method.response) {
    out.doc("  ", field.doc);
    const std::string type =
        is_stream(field.type) ? host_stream(field.type) : owned_type(field.type);
    out.line("  ", type, " ", field.name, "{};");
  }
  out.line("};");
  out.doc("The same as views, valid as long as the results of the Call.");
  out.line("struct ", method.call_result(), " {");
  for (const Field& field : method.method.response) {
    const std::string type =
        is_stream(field.type) ? host_stream(field.type) : view_type(field.type);
    out.line("  ", type, " ", field.name, ";");
  }
  out.line("};");
}

void emit_declarations(Writer& out, const InterfaceMethod& method) {
  const std::string name = " " + method.method.name + "(";
  emit_results(out, method);
  out.doc(method.doc());
  out.list("tenon::Result<" + method.plain_result() + ">" + name, method.plain_parameters(true),
           ");");
  out.list("tenon::Result<" + method.call_result() + ">" + name, method.call_parameters(true),
           ");");
  out.line();
}

void emit_class(Writer& out, const Kind& kind) {
  const std::string name = class_name(kind);
  const KindVersion& latest = kind.latest();
  out.doc(latest.doc);
  out.doc("Used through a tenon::Handle<" + name +
          ">. Each method has two forms. The plain form takes and returns owned values. The other "
          "form takes a Call with a deadline first, takes owned values or views, and returns views "
          "that are valid as long as the results of the Call.");
  if (latest.life.stage == Life::Stage::deprecated) {
    out.doc("Deprecated: " + latest.life.message);
  }
  out.line("class ", name, " {");
  out.line(" public:");
  out.indented([&] {
    emit_aliases(out, latest);
    out.doc("Returns the description of the kind for the loader.");
    out.line("static const tenon::Kind& kind() noexcept;");
    out.line();
    for (const InterfaceMethod& method : methods_of(latest)) emit_declarations(out, method);
  });
  out.line(" private:");
  out.line("  friend class tenon::Handle<", name, ">;");
  out.line("  explicit ", name,
           "(tenon::detail::Instance* instance) noexcept : instance_(instance) {}");
  out.line();
  out.line("  tenon::detail::Instance* instance_;");
  out.line("};");
}

void emit_request(Writer& out, const InterfaceMethod& method, MethodForm form) {
  out.line(request_name(method.version, method.method), " in{};");
  out.line("in.struct_size = sizeof in;");
  for (const Field& field : method.method.request) {
    if (is_stream(field.type)) {
      out.line("in.", field.name, " = tenon::detail::raw_of(", variable_name(field), ");");
      if (field.type.shape == Shape::optional) continue;
      out.list("if (in." + field.name + " == nullptr) [[unlikely]] return guard.failure(",
               {"call",
                "tenon_fail(call.raw(), TENON_INVALID_ARGUMENT, " +
                    string_literal("the stream '" + field.name + "' is empty") + ")",
                string_literal(method.method.name)},
               ");");
      continue;
    }
    const std::vector<std::string> raw = InterfaceMethod::raw_of(field, form);
    out.list("in." + field.name + " = " + raw[0], {raw[1], raw[2]}, ");");
  }
}

/// Returns the expression that owns a stream of the response.
std::string owned_stream(const Field& field) {
  const std::string raw = "guard.revocable(out->" + field.name + "), instance_->plugin()";
  if (field.type.shape != Shape::optional) return host_stream(field.type) + "(" + raw + ")";
  return "tenon::detail::optional_stream<" + host_stream(*field.type.element) + ">(" + raw + ")";
}

/// Emits the check that the response has a stream that is not optional.
void emit_stream_check(Writer& out, const Method& method, const Field& field) {
  std::vector<std::string> arguments{string_literal(method.name), string_literal(field.name)};
  for (const Field& other : method.response) {
    if (&other != &field && is_stream(other.type)) arguments.push_back("out->" + other.name);
  }
  out.list("if (out->" + field.name + " == nullptr) return guard.no_stream(", arguments, ");");
}

void emit_return(Writer& out, const InterfaceMethod& method, MethodForm form) {
  const bool plain = form == MethodForm::plain;
  const Method& spec = method.method;
  if (spec.response.empty()) {
    out.line("return {};");
    return;
  }
  out.line("if (out == nullptr) return guard.no_answer(", string_literal(spec.name), ");");
  out.line("out = tenon::detail::complete(call.raw(), out);");
  for (const Field& field : spec.response) {
    if (is_stream(field.type) && field.type.shape != Shape::optional) {
      emit_stream_check(out, spec, field);
    }
  }
  emit_data_check(out, method, "out", {}, [&](const std::string& arguments) {
    return "guard.no_data(" + string_literal(spec.name) + ", " + arguments + ")";
  });
  std::vector<std::string> values;
  for (const Field& field : spec.response) {
    values.push_back(is_stream(field.type) ? owned_stream(field)
                                           : value_type(field.type) + (plain ? "::own" : "::view") +
                                                 "(out->" + field.name + ")");
  }
  if (method.returns_struct()) {
    out.list("return " + (plain ? method.plain_result() : method.call_result()) + "{", values,
             "};");
  } else {
    out.line("return ", values.front(), ";");
  }
}

void emit_body(Writer& out, const InterfaceMethod& method, MethodForm form) {
  const Method& spec = method.method;
  if (form == MethodForm::plain) out.line("tenon::Call call;");
  out.line("tenon::detail::CallGuard guard(*instance_, ", method.fresh() ? "true" : "false",
           ", call.raw());");
  out.line("if (!guard) return guard.refusal(", string_literal(spec.name), ");");
  if (!spec.blocks.empty()) out.line("tenon::detail::Blocking blocking(guard, call);");
  emit_request(out, method, form);
  if (!spec.response.empty()) {
    out.line("const ", response_name(method.version, spec), "* out = nullptr;");
  }
  if (spec.configures) out.line("const tenon::detail::SetupScope setup = guard.setup();");
  out.list("const tenon_status status = guard.call(",
           method.guard_arguments("call.raw()", "&in", "&out"), ");");
  if (method.passes_streams()) {
    out.line("if (tenon::detail::took_streams(status)) {");
    for (const Field& field : spec.request) {
      if (is_stream(field.type)) out.line("  tenon::detail::passed(", variable_name(field), ");");
    }
    out.line("}");
  }
  if (method.begins_session()) out.line("guard.session_begins(status);");
  out.line("if (status != TENON_OK) [[unlikely]] return guard.failure(call, status, ",
           string_literal(spec.name), ");");
  if (spec.configures) out.line("instance_->remember_config(in.config);");
  emit_return(out, method, form);
}

void emit_form(Writer& out, const Kind& kind, const InterfaceMethod& method, MethodForm form) {
  const bool plain = form == MethodForm::plain;
  const std::string name = class_name(kind);
  const std::string in_class = method.returns_struct() ? name + "::" : "";
  const std::string result = plain ? method.plain_result() : method.call_result();
  out.list((plain ? "" : "TENON_ALWAYS_INLINE ") + ("tenon::Result<" + in_class + result) + "> " +
               name + "::" + method.method.name + "(",
           plain ? method.plain_parameters(false) : method.call_parameters(false), ") {");
  out.indented([&] { emit_body(out, method, form); });
  out.line("}");
  out.line();
}

void emit_step_class(Writer& out, const KindStep& step) {
  const std::string name = step_class(step);
  out.doc(
      "The hand-written part of the adapter that makes version " +
      std::to_string(step.from->number) + " look like version " + std::to_string(step.to->number) +
      ". There is one object per adapted instance. The rules for calls of its methods are those "
      "of the kind.");
  out.doc(step.notes);
  out.line("class ", name, " {");
  out.line(" public:");
  out.indented([&] {
    out.doc("The plugin as the older version. No slot of the vtable is NULL.");
    out.line("struct OlderPlugin {");
    out.line("  const ", step.from->c_name, "* vtable;");
    out.line("  void* self;");
    out.doc("  ", "The registered name.");
    out.line("  std::string_view plugin;");
    out.line("};");
    out.line();
    out.line("explicit ", name, "(const OlderPlugin& plugin) noexcept : older_plugin_(plugin) {}");
    out.line("virtual ~", name, "() = default;");
    out.line(name, "(const ", name, "&) = delete;");
    out.line(name, "& operator=(const ", name, "&) = delete;");
    for (const MethodStep& method : step.methods) {
      if (method.action != MethodStep::Action::hook) continue;
      std::vector<std::string> parameters =
          InterfaceMethod{*step.to, *method.method}.raw_parameters();
      parameters.erase(parameters.begin() + 1);  // the step is its own self
      out.line();
      out.doc(method.method->doc);
      out.list("virtual tenon_status " + method.method->name + "(", parameters, ") = 0;");
    }
  });
  out.line();
  out.line(" protected:");
  out.doc("  ", "Valid as long as this object.");
  out.line("  const OlderPlugin& older_plugin() const noexcept { return older_plugin_; }");
  out.line();
  out.line(" private:");
  out.line("  const OlderPlugin older_plugin_;");
  out.line("};");
  out.line();
  out.doc(
      "Written by hand, in a source file that is linked with the generated one. Without a result "
      "the instance is not created.");
  out.list("std::unique_ptr<" + name + "> " + step_factory(step) + "(",
           {"const " + name + "::OlderPlugin& plugin"}, ");");
  out.line();
}

}  // namespace

std::string step_class(const KindStep& step) {
  return class_name(*step.from->kind) + "Step" + std::to_string(step.from->number);
}

std::string step_factory(const KindStep& step) {
  return "make_" + step.from->kind->name + "_step" + std::to_string(step.from->number);
}

std::string emit_interface(const Kind& kind) {
  const KindVersion& latest = kind.latest();
  Writer out;
  out.line("// Generated by tenon-gen. Do not edit.");
  out.line("//");
  out.comment("The latest interface of " + kind.id + ", version " + std::to_string(latest.number) +
              ", for hosts in C++20.");
  out.line("#pragma once");
  out.line();
  out.line("#include <", types_header(kind), ">");
  out.line();
  for (const char* header : {"argument", "blocking", "guard", "kind", "messages", "streams"}) {
    out.line("#include <tenon/detail/", header, ".hpp>");
  }
  out.line("#include <tenon/host.hpp>");
  out.line("#include <tenon/values.hpp>");
  out.line();
  for (const char* header : {"cstdint", "functional", "map", "memory", "optional", "string",
                             "string_view", "utility", "vector"}) {
    out.line("#include <", header, ">");
  }
  out.line();
  out.line("namespace ", kind.space, " {");
  out.line();
  emit_class(out, kind);
  out.line();
  for (const KindStep& step : kind.steps) {
    if (step.adaptable && step.has_hooks()) emit_step_class(out, step);
  }
  for (const InterfaceMethod& method : methods_of(latest)) {
    emit_form(out, kind, method, MethodForm::call);
  }
  out.line("}  // namespace ", kind.space);
  return out.text();
}

void emit_plain_forms(Writer& out, const Kind& kind) {
  for (const InterfaceMethod& method : methods_of(kind.latest())) {
    emit_form(out, kind, method, MethodForm::plain);
  }
}

}  // namespace tenon::gen
