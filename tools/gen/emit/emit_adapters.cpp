// SPDX-License-Identifier: BSL-1.0
//
// A call of a newer method passes through the steps to the plugin. Steps that do not change the
// layout of its structs are skipped: the caller's structs are passed on unchanged, in one call, to
// the next step that does, or to the plugin. The adapter's function for a step that changes
// something converts the structs and calls the older function.
#include "gen/emit/emit_adapters.hpp"

#include <algorithm>
#include <vector>

#include "gen/emit/conversion.hpp"
#include "gen/emit/cpp_names.hpp"
#include "gen/emit/emit_interface.hpp"
#include "gen/emit/interface_method.hpp"
#include "gen/model/adaptation.hpp"
#include "gen/model/naming.hpp"

namespace tenon::gen {
namespace {

using Action = MethodStep::Action;

/// The names in the generated code of an adapted version.
struct Origin : Adapted {
  std::string class_name() const {
    return camel_case(kind.name) + "From" + std::to_string(version().number);
  }
  /// The member that points to the plugin's vtable.
  std::string vtable() const { return "v" + std::to_string(version().number); }
};

/// The function that a call of a method leads to: of the plugin, or of the adapter.
struct Callee {
  std::size_t index;  // of its version; that of the plugin: a function of the plugin
  const Method* method;
};

/// Returns the method in the oldest version that can be called with the unchanged structs of
/// `method`.
Callee same_layout_callee(const Origin& origin, std::size_t index, const Method& method) {
  Callee callee{index, &method};
  while (callee.index > origin.index) {
    const MethodStep& step = step_of(origin, callee.index, *callee.method);
    if (!step.same_layout()) break;
    callee = {callee.index - step.back, step.older};
  }
  return callee;
}

std::string function_name(const KindVersion& version, const Method& method) {
  return "v" + std::to_string(version.number) + "_" + method.name;
}

/// Returns the expression of the callee: a function of the plugin or of the adapter.
std::string callee_function(const Origin& origin, const Callee& callee) {
  if (callee.index == origin.index) {
    return "of(self)." + origin.vtable() + "->" + callee.method->name;
  }
  return function_name(*origin.kind.versions[callee.index], *callee.method);
}

/// Returns the argument for the parameter `self` of the callee.
std::string callee_self(const Origin& origin, const Callee& callee) {
  return callee.index == origin.index ? "of(self).self" : "self";
}

/// Passes the structs of the caller on unchanged.
void emit_pass(Writer& out, const Origin& origin, const Callee& callee) {
  const KindVersion& version = *origin.kind.versions[callee.index];
  const auto recast = [](const std::string& type, const std::string& name) {
    return "tenon::detail::recast<const " + type + ">(" + name + ")";
  };
  std::vector<std::string> arguments{"call", callee_self(origin, callee),
                                     recast(request_name(version, *callee.method), "in")};
  if (!callee.method->response.empty()) {
    arguments.push_back(recast(response_name(version, *callee.method) + "*", "out"));
  }
  out.list("return " + callee_function(origin, callee) + "(", arguments, ");");
}

/// Whether values of the type contain a document of that type, in any version.
bool contains(const Type& type, const Document& document) {
  const Type& inner = innermost(type);
  if (inner.shape == Shape::document) return inner.document->document == &document;
  if (inner.shape != Shape::structure) return false;
  const std::vector<Field>& fields = inner.structure->fields;
  return std::any_of(fields.begin(), fields.end(),
                     [&](const Field& field) { return contains(field.type, document); });
}

/// The messages in the opposite direction of the message that is filled.
struct ReverseMessages {
  const KindVersion& version;
  std::vector<Field> Method::*messages;

  /// Whether a document may come back, possibly by another method.
  bool may_contain(const Type& type) const {
    const Type& inner = innermost(type);
    if (inner.shape != Shape::document) return false;
    return std::any_of(version.methods.begin(), version.methods.end(), [&](const Method& method) {
      const std::vector<Field>& fields = method.*messages;
      return std::any_of(fields.begin(), fields.end(), [&](const Field& field) {
        return contains(field.type, *inner.document->document);
      });
    });
  }
};

/// Fills the fields of a request or response. Fields that were added later may be absent. The
/// statements in `otherwise` run if a value cannot be converted; see emit_assignment.
void emit_fills(Writer& out, const std::vector<FieldFill>& fills, const std::string& to,
                const std::string& from, const ReverseMessages& back,
                const std::vector<std::string>& otherwise) {
  for (const FieldFill& fill : fills) {
    const std::string target = to + fill.target->name;
    if (fill.source == nullptr) {
      emit_constant(out, target, fill.target->type, fill.value);
      continue;
    }
    const bool later = !fill.source->added.empty();
    if (later) out.line("if (TENON_HAS(", from, ", ", fill.source->name, ")) {");
    const auto assign = [&] {
      emit_assignment(out, target, fill.target->type, from + "->" + fill.source->name,
                      fill.source->type, fill.match, back.may_contain(fill.target->type),
                      otherwise);
    };
    if (!later) {
      assign();
    } else {
      out.indented(assign);
      out.line("}");
    }
  }
}

void emit_response(Writer& out, const KindVersion& version, const MethodStep& step,
                   const std::string& from, const std::vector<std::string>& otherwise) {
  if (step.method->response.empty()) return;
  out.line("auto* response = tenon::new_response<", response_name(version, *step.method),
           ">(call);");
  emit_fills(out, step.response, "response->", from, {version, &Method::request}, otherwise);
  out.line("*out = response;");
}

/// Returns the streams of a message that the other version does not have.
std::vector<const Field*> dropped_streams(const std::vector<Field>& fields,
                                          const std::vector<FieldFill>& fills) {
  std::vector<const Field*> dropped;
  for (const Field& field : fields) {
    const bool is_used = std::any_of(fills.begin(), fills.end(),
                                     [&](const FieldFill& fill) { return fill.source == &field; });
    if (is_stream(field.type) && !is_used) dropped.push_back(&field);
  }
  return dropped;
}

/// Returns the streams of a message.
std::vector<const Field*> streams_of(const std::vector<Field>& fields) {
  return dropped_streams(fields, {});
}

/// Returns the statements that release streams of the request.
std::vector<std::string> request_discards(const std::vector<const Field*>& streams) {
  std::vector<std::string> statements;
  for (const Field* stream : streams) {
    statements.push_back("tenon::detail::discard(in->" + stream->name + ");");
  }
  return statements;
}

/// Returns the statements that release streams of the older response. These are the plugin's, so
/// their functions may fail.
std::vector<std::string> response_discards(const std::vector<const Field*>& streams) {
  std::vector<std::string> statements;
  for (const Field* stream : streams) {
    statements.push_back("tenon::detail::discard(tenon::detail::revocable(older_response->" +
                         stream->name + "));");
  }
  return statements;
}

/// Releases dropped streams. The adapter owns them: a method that succeeds takes over the streams
/// of the request, and its caller those of the response.
void emit_discards(Writer& out, const std::vector<std::string>& statements) {
  for (const std::string& statement : statements) out.line(statement);
}

/// The code of a forwarded method after the call of the older one. If the method fails although the
/// older one has succeeded, the plugin owns the streams of the request, and the adapter those that
/// only the newer version has, and those of the older response.
class AfterForward {
 public:
  AfterForward(Writer& out, const KindVersion& version, const MethodStep& step)
      : out_(out),
        version_(version),
        step_(step),
        takes_(!streams_of(step.method->request).empty()),
        unread_(request_discards(dropped_streams(step.method->request, step.request))),
        unreturned_(response_discards(dropped_streams(step.older->response, step.response))) {}

  /// Returns whether the status of the older method is that of the newer one.
  bool is_empty() const {
    return step_.method->response.empty() && unread_.empty() && unreturned_.empty();
  }

  void emit() const {
    emit_failure();
    if (step_.method->response.empty()) {
      emit_discards(out_, unread_);
      if (!unreturned_.empty()) {
        out_.line("if (older_response != nullptr) {");
        out_.indented([&] { emit_discards(out_, unreturned_); });
        out_.line("}");
      }
    } else {
      if (!step_.older->response.empty()) emit_no_answer();
      std::vector<std::string> otherwise = unread_;
      for (std::string& statement : response_discards(streams_of(step_.older->response)))
        otherwise.push_back(std::move(statement));
      otherwise.push_back("return " + failure("tenon::detail::broken_response(call)") + ";");
      emit_response(out_, version_, step_, "older_response", otherwise);
      emit_discards(out_, unread_);
      emit_discards(out_, unreturned_);
    }
    out_.line("return TENON_OK;");
  }

 private:
  /// Returns the status of a method whose plugin has succeeded.
  std::string failure(const std::string& status) const {
    return takes_ ? status + " | tenon::detail::streams_taken" : status;
  }

  void emit_failure() const {
    if (unread_.empty()) return out_.line("if (status != TENON_OK) return status;");
    out_.line("if (status != TENON_OK) {");
    out_.indented([&] {
      out_.line("if (tenon::detail::took_streams(status)) {");
      out_.indented([&] { emit_discards(out_, unread_); });
      out_.line("}");
      out_.line("return status;");
    });
    out_.line("}");
  }

  void emit_no_answer() const {
    const std::string status = failure("tenon::detail::no_answer(call)");
    if (unread_.empty()) {
      return out_.line("if (older_response == nullptr) return ", status, ";");
    }
    out_.line("if (older_response == nullptr) {");
    out_.indented([&] {
      emit_discards(out_, unread_);
      out_.line("return ", status, ";");
    });
    out_.line("}");
  }

  Writer& out_;
  const KindVersion& version_;
  const MethodStep& step_;
  const bool takes_;
  const std::vector<std::string> unread_;      // statements that release them
  const std::vector<std::string> unreturned_;  // the same
};

/// Calls the older method with a converted request, and converts the response.
void emit_forward(Writer& out, const Origin& origin, std::size_t index, const MethodStep& step) {
  const KindVersion& newer = *origin.kind.versions[index];
  const KindVersion& older = *origin.kind.versions[index - step.back];
  const bool has_response = !step.older->response.empty();
  out.line(request_name(older, *step.older), " older{};");
  out.line("older.struct_size = sizeof older;");
  emit_fills(out, step.request, "older.", "in", {older, &Method::response}, {"return converted;"});
  if (has_response) {
    out.line("const ", response_name(older, *step.older), "* older_response = nullptr;");
  }
  const Callee older_callee{index - step.back, step.older};
  std::vector<std::string> arguments{"call", callee_self(origin, older_callee), "&older"};
  if (has_response) arguments.emplace_back("&older_response");
  const AfterForward after(out, newer, step);
  if (after.is_empty()) {
    out.list("return " + callee_function(origin, older_callee) + "(", arguments, ");");
    return;
  }
  out.list("const tenon_status status = " + callee_function(origin, older_callee) + "(", arguments,
           ");");
  after.emit();
}

void emit_action(Writer& out, const Origin& origin, std::size_t index, const MethodStep& step) {
  const KindVersion& newer = *origin.kind.versions[index];
  const KindVersion& older = *origin.kind.versions[index - 1];
  switch (step.action) {
    case Action::forward:
      emit_forward(out, origin, index, step);
      break;
    case Action::fixed:
      emit_discards(out, request_discards(dropped_streams(step.method->request, {})));
      emit_response(out, newer, step, "", {});
      out.line("return TENON_OK;");
      break;
    case Action::registered_name:
      emit_discards(out, request_discards(dropped_streams(step.method->request, {})));
      out.line("auto* response = tenon::new_response<", response_name(newer, *step.method),
               ">(call);");
      out.line("response->", step.method->response.front().name,
               " = tenon::Value<std::string>::raw<tenon::Copy::deep>(call, of(self).plugin);");
      out.line("*out = response;");
      out.line("return TENON_OK;");
      break;
    case Action::unimplemented:
      out.list("return tenon_fail(",
               {"call", "TENON_UNIMPLEMENTED",
                string_literal(!step.message.empty()
                                   ? step.message
                                   : "version " + std::to_string(older.number) + " of " +
                                         origin.kind.id + " has no " + step.method->name)},
               ");");
      break;
    case Action::hook:
      out.line("return of(self).step", older.number, "->", step.method->name, "(call, in",
               step.method->response.empty() ? "" : ", out", ");");
      break;
  }
}

/// Whether a method of the adapter returns the name of the plugin.
bool returns_name(const Origin& origin) {
  for (std::size_t at = origin.index; at < origin.newest(); ++at) {
    for (const MethodStep& step : origin.kind.steps[at].methods) {
      if (step.action == Action::registered_name) return true;
    }
  }
  return false;
}

/// The parameters that a function of an adapter uses.
struct Uses {
  bool call;
  bool self;
  bool in;
  bool out;
};

Uses uses_of(const MethodStep& step) {
  const bool has_response = !step.method->response.empty();
  const bool drops = !dropped_streams(step.method->request, step.request).empty();
  const bool reads =
      drops || std::any_of(step.request.begin(), step.request.end(),
                           [](const FieldFill& fill) { return fill.source != nullptr; });
  switch (step.action) {
    case Action::forward:
      return {true, true, reads, has_response};
    case Action::fixed:
      return {has_response, false, drops, has_response};
    case Action::registered_name:
      return {true, true, drops, true};
    case Action::unimplemented:
      return {true, false, false, false};
    default:
      return {true, true, true, true};
  }
}

/// Removes the name of an unused parameter: "void* self" -> "void*"
void leave_unnamed(std::string& parameter) {
  parameter.erase(parameter.rfind(' '));
}

void emit_function(Writer& out, const Origin& origin, std::size_t index, const Method& method) {
  const KindVersion& version = *origin.kind.versions[index];
  const Callee callee = same_layout_callee(origin, index, method);
  const bool passes = callee.index != index;
  const MethodStep& step = step_of(origin, index, method);
  const Uses uses = passes ? Uses{true, true, true, true} : uses_of(step);
  std::vector<std::string> parameters = InterfaceMethod{version, method}.raw_parameters();
  if (!uses.call) leave_unnamed(parameters[0]);
  if (!uses.self) leave_unnamed(parameters[1]);
  if (!uses.in) leave_unnamed(parameters[2]);
  if (!uses.out && parameters.size() > 3) leave_unnamed(parameters[3]);
  out.line();
  out.list("static tenon_status " + function_name(version, method) + "(", parameters, ") {");
  out.indented([&] {
    if (passes) {
      emit_pass(out, origin, callee);
    } else {
      emit_action(out, origin, index, step);
    }
  });
  out.line("}");
}

std::string vtable_name(const Origin& origin, std::size_t index) {
  return origin.kind.name + "_" + std::to_string(origin.version().number) + "_as_" +
         std::to_string(origin.kind.versions[index]->number);
}

/// Returns the indices of steps with a hand-written part, each after those that it calls.
std::vector<std::size_t> hooked_steps(const Origin& origin) {
  std::vector<std::size_t> steps;
  for (std::size_t at = origin.index; at < origin.newest(); ++at) {
    if (origin.kind.steps[at].has_hooks()) steps.push_back(at);
  }
  return steps;
}

void emit_class(Writer& out, const Origin& origin) {
  const std::string name = origin.class_name();
  const std::string version = std::to_string(origin.version().number);
  out.comment("Version " + version + " of " + origin.kind.id + ", adapted to newer versions.");
  out.line("struct ", name, " {");
  out.indented([&] {
    out.line("const ", origin.version().c_name, "* ", origin.vtable(), ";");
    out.line("void* self;");
    if (returns_name(origin)) out.line("std::string_view plugin;");
    for (std::size_t at : hooked_steps(origin)) {
      const KindStep& step = origin.kind.steps[at];
      out.line("std::unique_ptr<", step_class(step), "> step", step.from->number, "{};");
    }
    out.line();
    out.line("static ", name, "& of(void* self) { return *static_cast<", name, "*>(self); }");
    out.line("static void* create(const void* vtable, void* self, std::string_view plugin);");
    out.line("static void destroy(void* adapter) noexcept { delete static_cast<", name,
             "*>(adapter); }");
    for (std::size_t index = origin.index + 1; index <= origin.newest(); ++index) {
      out.line();
      out.comment("As version " + std::to_string(origin.kind.versions[index]->number) + ".");
      for (const Method& method : origin.kind.versions[index]->methods) {
        emit_function(out, origin, index, method);
      }
    }
  });
  out.line("};");
  out.line();
}

void emit_vtable(Writer& out, const Origin& origin, std::size_t index) {
  const KindVersion& version = *origin.kind.versions[index];
  std::vector<std::string> members{"sizeof(" + version.c_name + ")", std::to_string(version.number),
                                   "0", "nullptr"};
  for (const Method& method : version.methods) {
    members.push_back(origin.class_name() + "::" + function_name(version, method));
  }
  out.list("constexpr " + version.c_name + " " + vtable_name(origin, index) + " = {", members,
           "};");
  out.line();
}

void emit_create(Writer& out, const Origin& origin) {
  const std::vector<std::size_t> steps = hooked_steps(origin);
  const bool named = returns_name(origin);
  out.list("void* " + origin.class_name() + "::create(",
           {"const void* vtable", "void* self",
            steps.empty() && !named ? "std::string_view" : "std::string_view plugin"},
           ") {");
  out.indented([&] {
    out.line("auto adapter = std::make_unique<", origin.class_name(), ">();");
    out.line("adapter->", origin.vtable(), " = static_cast<const ", origin.version().c_name,
             "*>(vtable);");
    out.line("adapter->self = self;");
    if (named) out.line("adapter->plugin = plugin;");
    for (std::size_t at : steps) {
      const KindStep& step = origin.kind.steps[at];
      const bool first = at == origin.index;
      out.list(
          "adapter->step" + std::to_string(step.from->number) + " = " + step_factory(step) + "(",
          {(first ? "{adapter->" + origin.vtable() : "{&" + vtable_name(origin, at)),
           first ? "self" : "adapter.get()", "plugin})"},
          ";");
      out.line("if (adapter->step" + std::to_string(step.from->number) +
               " == nullptr) return nullptr;");
    }
    out.line("return adapter.release();");
  });
  out.line("}");
  out.line();
}

std::string missing_array(const Origin& origin, std::size_t index) {
  return vtable_name(origin, index) + "_missing";
}

std::vector<std::string> missing_literals(const Origin& origin, std::size_t index) {
  std::vector<std::string> missing = origin.missing_methods(index);
  for (std::string& method : missing) method = string_literal(method);
  return missing;
}

std::string own_array(const Origin& origin, std::size_t index) {
  return vtable_name(origin, index) + "_own";
}

std::vector<std::string> own_literals(const Origin& origin, std::size_t index) {
  std::vector<std::string> own;
  for (const auto& [method, name] : origin.own_methods(index)) {
    own.push_back("{" + string_literal(method) + ", " + string_literal(name) + "}");
  }
  return own;
}

}  // namespace

void emit_adapters(Writer& out, const Kind& kind) {
  for (std::size_t index = 0; index + 1 < kind.versions.size(); ++index) {
    const Origin origin{{kind, index}};
    if (origin.newest() == index) continue;
    emit_class(out, origin);
    for (std::size_t to = index + 1; to <= origin.newest(); ++to) emit_vtable(out, origin, to);
    emit_create(out, origin);
  }
}

std::string adapters_array(const Kind& kind, std::size_t from) {
  if (from + 1 == kind.versions.size()) return "{}";
  return kind.name + "_" + std::to_string(kind.versions[from]->number) + "_adapters";
}

void emit_adapter_rows(Writer& out, const Kind& kind, std::size_t from) {
  if (from + 1 == kind.versions.size()) return;
  const Origin origin{{kind, from}};
  for (std::size_t to = from + 1; to <= origin.newest(); ++to) {
    const std::vector<std::string> missing = missing_literals(origin, to);
    if (!missing.empty()) {
      out.list("constexpr std::string_view " + missing_array(origin, to) + "[] = {", missing, "};");
    }
    const std::vector<std::string> own = own_literals(origin, to);
    if (!own.empty()) {
      out.list("constexpr tenon::OwnMethod " + own_array(origin, to) + "[] = {", own, "};");
    }
  }
  out.line("constexpr tenon::Adapter ", adapters_array(kind, from), "[] = {");
  out.indented([&] {
    for (std::size_t to = from + 1; to < kind.versions.size(); ++to) {
      const std::string number = std::to_string(kind.versions[to]->number);
      if (to > origin.newest()) {
        out.list("{",
                 {number, string_literal(origin.incompatibility()), "nullptr", "nullptr", "nullptr",
                  "{}", "{}"},
                 "},");
        continue;
      }
      const bool lacks = !missing_literals(origin, to).empty();
      const bool owns = !own_literals(origin, to).empty();
      out.list("{",
               {number, "\"\"", "&" + vtable_name(origin, to), origin.class_name() + "::create",
                origin.class_name() + "::destroy", lacks ? missing_array(origin, to) : "{}",
                owns ? own_array(origin, to) : "{}"},
               "},");
    }
  });
  out.line("};");
}

}  // namespace tenon::gen
