// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/emit_registration.hpp"

#include <string>
#include <vector>

#include "gen/emit/cpp_names.hpp"
#include "gen/emit/emit_adapters.hpp"
#include "gen/emit/emit_messages.hpp"
#include "gen/emit/interface_method.hpp"
#include "gen/model/naming.hpp"

namespace tenon::gen {
namespace {

/// Returns a name for a part of one version, eg: "filter_v1_client"
std::string name_of(const KindVersion& version, std::string_view part) {
  return version.kind->name + "_v" + std::to_string(version.number) + "_" + std::string(part);
}

void emit_fallbacks(Writer& out, const KindVersion& version) {
  for (const Method& method : version.methods) {
    if (method.required) continue;
    const std::string request = "const " + request_name(version, method) + "*";
    if (method.configures) {
      out.list("tenon_status " + name_of(version, "no_" + method.name) + "(",
               {"tenon_call* call", "void*", request + " in"}, ") {");
      out.line("  return tenon::detail::no_configuration(call, in->config);");
      out.line("}");
      continue;
    }
    std::vector<std::string> parameters{"tenon_call* call", "void*", request};
    if (!method.response.empty()) {
      parameters.push_back("const " + response_name(version, method) + "**");
    }
    out.list("tenon_status " + name_of(version, "no_" + method.name) + "(", parameters, ") {");
    out.line("  return tenon_fail(call, TENON_UNIMPLEMENTED, ",
             string_literal("the plugin has no method " + method.name), ");");
    out.line("}");
  }
}

/// Wraps the streams of the request, which keep the calling plugin loaded.
void emit_lent_streams(Writer& out, const Method& method) {
  out.line("auto* request = tenon::detail::copied(call, in);");
  for (const Field& field : method.request) {
    if (!is_stream(field.type)) continue;
    out.line("tenon::detail::LentStream lent_", field.name, "(instance, request->", field.name,
             ");");
  }
}

/// Wraps the streams of the response, which keep the called plugin loaded. Without a response the
/// method fails, unless the called plugin owns streams of the request; see client_failure.
void emit_revocable_streams(Writer& out, const Method& method, bool passes_streams) {
  out.line("if (*out == nullptr) return ",
           passes_streams ? "TENON_OK" : "tenon::detail::no_answer(call)", ";");
  out.line("auto* response = tenon::detail::copied(call, *out);");
  for (const Field& field : method.response) {
    if (!is_stream(field.type)) continue;
    out.line("response->", field.name, " = guard.revocable(response->", field.name, ");");
  }
  out.line("*out = response;");
}

void emit_client_function(Writer& out, const KindVersion& version, const Method& method) {
  const InterfaceMethod interface { version, method };
  out.list("tenon_status " + name_of(version, "client_" + method.name) + "(",
           interface.raw_parameters(), ") {");
  out.indented([&] {
    out.line("auto& instance = *static_cast<tenon::detail::Instance*>(self);");
    out.line("const tenon::detail::CallerScope caller(instance);");
    out.line("tenon::detail::CallGuard guard(instance, ", interface.fresh() ? "true" : "false",
             ", call);");
    out.line("if (!guard) return guard.refuse(call, ", string_literal(method.name), ");");
    const bool blocks = !method.blocks.empty();
    if (blocks) {
      out.line("tenon::detail::BlockingClient blocking(guard, call);");
      out.line("call = blocking.call();");
    }
    if (interface.passes_streams()) emit_lent_streams(out, method);
    if (interface.returns_streams()) out.line("*out = nullptr;");
    if (method.configures) {
      out.line("const tenon::detail::SetupScope setup = guard.setup();");
    }
    out.list(
        "const tenon_status status = guard.call(",
        interface.guard_arguments("call", interface.passes_streams() ? "request" : "in", "out"),
        ");");
    if (interface.passes_streams()) {
      out.line("if (tenon::detail::took_streams(status)) {");
      for (const Field& field : method.request) {
        if (is_stream(field.type)) out.line("  lent_", field.name, ".passed();");
      }
      out.line("}");
    }
    std::string failure = "guard.failure(call, status, " + string_literal(method.name) + ")";
    if (blocks) failure = "blocking.failure(" + failure + ")";
    if (interface.passes_streams()) {
      const char* out_argument = method.response.empty() ? ")" : ", out)";
      failure = "tenon::detail::client_failure(status, " + failure + out_argument;
    }
    if (interface.begins_session()) out.line("guard.session_begins(status);");
    out.line("if (status != TENON_OK) [[unlikely]] return ", failure, ";");
    if (method.configures) out.line("instance.remember_config(in->config);");
    emit_data_check(out, interface, "(*out)",
                    "*out == nullptr ? nullptr :", [&](const std::string& arguments) {
                      std::string call = "guard.no_data(call, " + arguments + ")";
                      if (!interface.passes_streams()) return call;
                      return "tenon::detail::client_failure(status, " + call + ", out)";
                    });
    if (interface.returns_streams()) {
      emit_revocable_streams(out, method, interface.passes_streams());
    }
    out.line("return TENON_OK;");
  });
  out.line("}");
}

void emit_client(Writer& out, const KindVersion& version) {
  std::vector<std::string> members{"sizeof(" + version.c_name + ")", std::to_string(version.number),
                                   "0", "nullptr"};
  for (const Method& method : version.methods) {
    emit_client_function(out, version, method);
    members.push_back(name_of(version, "client_" + method.name));
  }
  out.list("constexpr " + version.c_name + " " + name_of(version, "client") + " = {", members,
           "};");
}

void emit_intercepted(Writer& out, const KindVersion& version) {
  std::vector<std::string> members{"sizeof(" + version.c_name + ")", std::to_string(version.number),
                                   "0", "nullptr"};
  for (std::size_t i = 0; i < version.methods.size(); ++i) {
    members.push_back("tenon::detail::InterceptedMethod<&" + version.c_name +
                      "::" + version.methods[i].name + ", " + std::to_string(i) + ">::call");
  }
  out.list("constexpr " + version.c_name + " " + name_of(version, "intercepted") + " = {", members,
           "};");
}

/// Writes the states in which a method may be called as an array.
void emit_states(Writer& out, const KindVersion& version, const Method& method) {
  if (!method.from) return;
  std::vector<std::string> states;
  for (const std::string& state : *method.from) states.push_back(string_literal(state));
  out.list("constexpr std::string_view " + name_of(version, "from_" + method.name) + "[] = {",
           states, "};");
}

std::string threading_name(Threading threading) {
  constexpr const char* names[] = {"any", "serial", "main"};
  return std::string("tenon::Threading::") + names[static_cast<int>(threading)];
}

void emit_methods(Writer& out, const KindVersion& version) {
  for (const Method& method : version.methods) emit_states(out, version, method);
  out.line("const tenon::MethodInfo ", name_of(version, "methods"), "[] = {");
  out.indented([&] {
    for (const Method& method : version.methods) {
      const std::string fallback =
          method.required
              ? "nullptr"
              : "reinterpret_cast<void (*)()>(" + name_of(version, "no_" + method.name) + ")";
      out.list(
          "{",
          {string_literal(method.name), "offsetof(" + version.c_name + ", " + method.name + ")",
           method.required ? "true" : "false", fallback, request_fields(version, method),
           response_fields(version, method), threading_name(method.threading),
           method.from ? name_of(version, "from_" + method.name) : "{}", string_literal(method.to)},
          "},");
    }
  });
  out.line("};");
}

void emit_version(Writer& out, const Kind& kind, std::size_t index) {
  const KindVersion& version = *kind.versions[index];
  const Method* configure = version.configure();
  out.list(
      "{",
      {std::to_string(version.number), version.draft() ? "true" : "false",
       "TENON_FINGERPRINT_" + version.c_name, "sizeof(" + version.c_name + ")",
       configure != nullptr ? "offsetof(" + version.c_name + ", " + configure->name + ")" : "0",
       name_of(version, "methods"), adapters_array(kind, index), "&" + name_of(version, "client"),
       "&" + name_of(version, "intercepted")},
      "},");
}

}  // namespace

std::string kind_object(const Kind& kind) {
  return kind.name + "_kind";
}

void emit_registration(Writer& out, const Kind& kind) {
  out.comment("Functions for slots of " + kind.id + " that are NULL.");
  for (const auto& version : kind.versions) emit_fallbacks(out, *version);
  out.line();
  out.comment("Vtables for other plugins: `self` is an Instance.");
  for (const auto& version : kind.versions) emit_client(out, *version);
  out.line();
  out.comment("Vtables that intercept the calls of a plugin: `self` is an Interceptor.");
  for (const auto& version : kind.versions) emit_intercepted(out, *version);
  out.line();
  for (std::size_t index = 0; index < kind.versions.size(); ++index) {
    emit_methods(out, *kind.versions[index]);
    emit_adapter_rows(out, kind, index);
  }
  out.line("const tenon::KindVersion ", kind.name, "_versions[] = {");
  out.indented([&] {
    for (std::size_t index = 0; index < kind.versions.size(); ++index) {
      emit_version(out, kind, index);
    }
  });
  out.line("};");
  out.list("const tenon::Kind " + kind_object(kind) + " = {",
           {string_literal(kind.id), kind.session ? "true" : "false", kind.name + "_versions"},
           "};");
  out.line("const tenon::KindRegistration ", kind.name, "_registration(", kind_object(kind), ");");
  out.line();
}

}  // namespace tenon::gen
