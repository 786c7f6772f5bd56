// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/interface_method.hpp"

#include <algorithm>

#include "gen/emit/cpp_names.hpp"
#include "gen/model/naming.hpp"

namespace tenon::gen {
namespace {

constexpr std::string_view first_state = "created";

std::string parameter(const std::string& type, const Field& field, bool defaults) {
  const std::string end = defaults && !field.added.empty() ? " = std::nullopt" : "";
  return type + " " + variable_name(field) + end;
}

/// Returns the type of a parameter or result. Streams are passed as owners in both forms.
std::string owned_host_type(const Type& type) {
  return is_stream(type) ? host_stream(type) : owned_type(type);
}
std::string view(const Type& type) {
  return is_stream(type) ? host_stream(type) : view_type(type);
}

bool has_stream(const std::vector<Field>& fields) noexcept {
  return std::any_of(fields.begin(), fields.end(),
                     [](const Field& field) { return is_stream(field.type); });
}

/// Returns the state of an instance that was just configured.
std::string configured_state(const KindVersion& version) {
  const Method* configure = version.configure();
  return configure != nullptr && !configure->to.empty() ? configure->to : std::string(first_state);
}

std::string states(const Method& method) {
  std::string text;
  if (method.from) {
    for (const std::string& state : *method.from) text += (text.empty() ? "in " : " or ") + state;
  }
  if (!method.to.empty()) text += (text.empty() ? "" : ", ") + ("then " + method.to);
  return text;
}

}  // namespace

bool is_lent(const Type& type) {
  const Type& inner = without_optional(type);
  return inner.shape == Shape::list || inner.shape == Shape::map ||
         inner.shape == Shape::structure || inner.shape == Shape::document;
}

bool InterfaceMethod::passes_streams() const noexcept {
  return has_stream(method.request);
}

bool InterfaceMethod::returns_streams() const noexcept {
  return has_stream(method.response);
}

std::string InterfaceMethod::plain_result() const {
  if (method.response.empty()) return "void";
  return returns_struct() ? camel_case(method.name) + "Result"
                          : owned_host_type(method.response.front().type);
}

std::string InterfaceMethod::call_result() const {
  if (method.response.empty()) return "void";
  return returns_struct() ? camel_case(method.name) + "View" : view(method.response.front().type);
}

std::vector<std::string> InterfaceMethod::plain_parameters(bool defaults) const {
  std::vector<std::string> parameters;
  for (const Field& field : method.request) {
    const std::string type =
        is_lent(field.type) ? "const " + owned_type(field.type) + "&" : view(field.type);
    parameters.push_back(parameter(type, field, defaults));
  }
  return parameters;
}

std::vector<std::string> InterfaceMethod::call_parameters(bool defaults) const {
  std::vector<std::string> parameters{"tenon::Call& call"};
  for (const Field& field : method.request) {
    const std::string type = is_lent(field.type)
                                 ? "const tenon::Argument<" + owned_type(field.type) + ">&"
                                 : view(field.type);
    parameters.push_back(parameter(type, field, defaults));
  }
  return parameters;
}

std::vector<std::string> InterfaceMethod::raw_of(const Field& field, MethodForm form) {
  const std::string name = variable_name(field);
  const std::string value = value_type(field.type);
  if (!is_lent(field.type)) return {value + "::pass(", "call.raw()", name};
  if (form == MethodForm::call) return {value + "::pass(", "call.raw()", name + ".view(call)"};
  return {value + "::raw<tenon::Copy::shallow>(", "call.raw()", name};
}

bool InterfaceMethod::fresh() const {
  if (!version.kind->session || !method.from) return true;
  const std::vector<std::string>& from = *method.from;
  const auto has = [&from](std::string_view state) {
    return std::find(from.begin(), from.end(), state) != from.end();
  };
  return has(first_state) || has(configured_state(version));
}

bool InterfaceMethod::begins_session() const {
  return version.kind->session && method.from && fresh() && !method.configures &&
         !method.to.empty() && method.to != configured_state(version);
}

std::vector<std::string> InterfaceMethod::raw_parameters() const {
  std::vector<std::string> parameters{"tenon_call* call", "void* self",
                                      "const " + request_name(version, method) + "* in"};
  if (!method.response.empty()) {
    parameters.push_back("const " + response_name(version, method) + "** out");
  }
  return parameters;
}

std::vector<std::string> InterfaceMethod::guard_arguments(const std::string& call,
                                                          const std::string& in,
                                                          const std::string& out) const {
  std::vector<std::string> arguments{"&" + version.c_name + "::" + method.name,
                                     string_literal(method.name), call, in};
  if (!method.response.empty()) arguments.push_back(out);
  return arguments;
}

std::string InterfaceMethod::doc() const {
  static constexpr std::string_view threads[] = {"any thread", "one call at a time", "main thread"};
  std::string text = method.doc;
  for (const Field& field : method.request) {
    if (!field.doc.empty()) text += "\n" + variable_name(field) + ": " + field.doc;
  }
  if (method.response.size() == 1 && !method.response.front().doc.empty()) {
    text += "\nReturns: " + method.response.front().doc;
  }
  text += "\n[" + std::string(threads[static_cast<std::size_t>(method.threading)]);
  if (const std::string in = states(method); !in.empty()) text += "; " + in;
  if (!method.blocks.empty()) text += "; blocks, interrupted by: " + method.blocks;
  if (!method.required) text += "; optional for plugins";
  return text + "]";
}

void emit_data_check(Writer& out, const InterfaceMethod& method, const std::string& response,
                     const std::string& first,
                     const std::function<std::string(const std::string& arguments)>& failure) {
  std::vector<std::string> choices;
  std::string arguments = "incomplete";
  for (const Field& field : method.method.response) {
    const std::string value = response + "->" + field.name;
    if (is_stream(field.type)) arguments += ", " + value;
    if (!points_to_data(field.type)) continue;
    const std::string exists = first.empty() || field.added.empty()
                                   ? ""
                                   : "TENON_HAS(" + response + ", " + field.name + ") && ";
    choices.push_back(exists + "!" + value_type(field.type) + "::has_data(" + value + ") ? " +
                      string_literal(field.name) + " :");
  }
  if (choices.empty()) return;
  out.line("const char* const incomplete =");
  if (!first.empty()) out.line("    ", first);
  for (const std::string& choice : choices) out.line("    ", choice);
  out.line("    nullptr;");
  out.line("if (incomplete != nullptr) [[unlikely]] return ", failure(arguments), ";");
}

}  // namespace tenon::gen
