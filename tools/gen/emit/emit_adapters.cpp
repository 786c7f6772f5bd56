// SPDX-License-Identifier: BSL-1.0
//
// A method of a newer version finds its answer on the way down to the plugin: as long as a step
// leaves its form alone, the structs of the caller are handed on as they are, and where all steps
// do, the plugin's own function is called in one hop. Where a step changes something, the function
// of the adapter for that version does it and calls the one below.
#include "gen/emit/emit_adapters.hpp"

#include "gen/emit/conversion.hpp"
#include "gen/emit/cpp_names.hpp"
#include "gen/emit/emit_interface.hpp"
#include "gen/emit/interface_method.hpp"
#include "gen/model/adaptation.hpp"
#include "gen/model/naming.hpp"

#include <algorithm>
#include <vector>

namespace tenon::gen {
namespace {

using Answer = MethodStep::Answer;

/// What the generated code of an adapted version is called.
struct Origin : Adapted {
  std::string class_name() const {
    return camel_case(kind.name) + "From" + std::to_string(version().number);
  }
  /// The member that is the plugin's table.
  std::string table() const { return "v" + std::to_string(version().number); }
};

/// A method where its answer is given, or where the plugin has it.
struct Found {
  std::size_t place;  // of the version
  const Method* method;
};

/// The oldest version down from `place` whose method has the form of this one.
Found same_form_below(const Origin& origin, std::size_t place, const Method& method) {
  Found found{place, &method};
  while (found.place > origin.place) {
    const MethodStep& step = step_of(origin, found.place, *found.method);
    if (!step.same_form()) break;
    found = {found.place - step.back, step.older};
  }
  return found;
}

std::string function_name(const KindVersion& version, const Method& method) {
  return "v" + std::to_string(version.number) + "_" + method.name;
}

/// The method at a place: the plugin's own function, or one of the adapter.
std::string callee(const Origin& origin, const Found& found) {
  if (found.place == origin.place) {
    return "of(self)." + origin.table() + "->" + found.method->name;
  }
  return function_name(*origin.kind.versions[found.place], *found.method);
}

/// What is passed as self there.
std::string callee_self(const Origin& origin, const Found& found) {
  return found.place == origin.place ? "of(self).self" : "self";
}

/// Hands the structs of the caller on as they are.
void emit_pass(Writer& out, const Origin& origin, const Found& found) {
  const KindVersion& version = *origin.kind.versions[found.place];
  const auto recast = [](const std::string& type, const std::string& name) {
    return "tenon::detail::recast<const " + type + ">(" + name + ")";
  };
  std::vector<std::string> arguments{"call", callee_self(origin, found),
                                     recast(request_name(version, *found.method), "in")};
  if (!found.method->response.empty()) {
    arguments.push_back(recast(response_name(version, *found.method) + "*", "out"));
  }
  out.list("return " + callee(origin, found) + "(", arguments, ");");
}

/// Whether a value holds a document of that type, at any version.
bool holds(const Type& type, const Document& document) {
  const Type& inner = innermost(type);
  if (inner.shape == Shape::document) return inner.document->document == &document;
  if (inner.shape != Shape::structure) return false;
  const std::vector<Field>& fields = inner.structure->fields;
  return std::any_of(fields.begin(), fields.end(),
                     [&](const Field& field) { return holds(field.type, document); });
}

/// Messages that go the other way than those that are filled.
struct WayBack {
  const KindVersion& version;
  std::vector<Field> Method::*messages;

  /// Whether a document that is handed over may come back, perhaps from another method.
  bool brings(const Type& type) const {
    const Type& inner = innermost(type);
    if (inner.shape != Shape::document) return false;
    return std::any_of(version.methods.begin(), version.methods.end(), [&](const Method& method) {
      const std::vector<Field>& fields = method.*messages;
      return std::any_of(fields.begin(), fields.end(), [&](const Field& field) {
        return holds(field.type, *inner.document->document);
      });
    });
  }
};

/// Fills the fields of a request or response. Fields that joined later may not be there.
void emit_fills(Writer& out, const std::vector<FieldFill>& fills, const std::string& to,
                const std::string& from, const WayBack& back) {
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
                      fill.source->type, fill.passing, back.brings(fill.target->type));
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
                   const std::string& from) {
  if (step.method->response.empty()) return;
  out.line("auto* answer = tenon::new_response<", response_name(version, *step.method), ">(call);");
  emit_fills(out, step.response, "answer->", from, {version, &Method::request});
  out.line("*out = answer;");
}

/// The streams of a message that the other side does not have.
std::vector<const Field*> dropped_streams(const std::vector<Field>& fields,
                                          const std::vector<FieldFill>& fills) {
  std::vector<const Field*> dropped;
  for (const Field& field : fields) {
    const bool goes_on = std::any_of(fills.begin(), fills.end(),
                                     [&](const FieldFill& fill) { return fill.source == &field; });
    if (is_stream(field.type) && !goes_on) dropped.push_back(&field);
  }
  return dropped;
}

/// Nobody else releases them: streams of the request belong to a method that succeeded, those of
/// the answer to its caller.
void emit_discards(Writer& out, const std::vector<const Field*>& streams,
                   const std::string& message) {
  for (const Field* stream : streams) {
    out.line("tenon::detail::discard(", message, stream->name, ");");
  }
}

/// Calls the older method with a request of its own, and makes the newer answer of its answer.
void emit_forward(Writer& out, const Origin& origin, std::size_t place, const MethodStep& step) {
  const KindVersion& newer = *origin.kind.versions[place];
  const KindVersion& older = *origin.kind.versions[place - step.back];
  const bool answers = !step.older->response.empty();
  out.line(request_name(older, *step.older), " older{};");
  out.line("older.struct_size = sizeof older;");
  emit_fills(out, step.request, "older.", "in", {older, &Method::response});
  if (answers) out.line("const ", response_name(older, *step.older), "* below = nullptr;");
  const Found below{place - step.back, step.older};
  std::vector<std::string> arguments{"call", callee_self(origin, below), "&older"};
  if (answers) arguments.emplace_back("&below");
  const auto unread = dropped_streams(step.method->request, step.request);
  const auto unanswered = dropped_streams(step.older->response, step.response);
  if (step.method->response.empty() && unread.empty() && unanswered.empty()) {
    out.list("return " + callee(origin, below) + "(", arguments, ");");
    return;
  }
  out.list("const tenon_status status = " + callee(origin, below) + "(", arguments, ");");
  out.line("if (status != TENON_OK) return status;");
  if (answers) {
    out.line("if (below == nullptr) return tenon::detail::no_answer(call);");
  }
  emit_discards(out, unread, "in->");
  emit_discards(out, unanswered, "below->");
  emit_response(out, newer, step, "below");
  out.line("return TENON_OK;");
}

void emit_answer(Writer& out, const Origin& origin, std::size_t place, const MethodStep& step) {
  const KindVersion& newer = *origin.kind.versions[place];
  const KindVersion& older = *origin.kind.versions[place - 1];
  switch (step.answer) {
    case Answer::forward:
      emit_forward(out, origin, place, step);
      break;
    case Answer::fixed:
      emit_discards(out, dropped_streams(step.method->request, {}), "in->");
      emit_response(out, newer, step, "");
      out.line("return TENON_OK;");
      break;
    case Answer::registered_name:
      emit_discards(out, dropped_streams(step.method->request, {}), "in->");
      out.line("auto* answer = tenon::new_response<", response_name(newer, *step.method),
               ">(call);");
      out.line("answer->", step.method->response.front().name,
               " = tenon::Value<std::string>::raw<tenon::Copy::deep>(call, of(self).plugin);");
      out.line("*out = answer;");
      out.line("return TENON_OK;");
      break;
    case Answer::unimplemented:
      out.list(
          "return tenon_fail(",
          {"call", "TENON_UNIMPLEMENTED",
           quoted(!step.message.empty() ? step.message
                                        : "version " + std::to_string(older.number) + " of " +
                                              origin.kind.id + " has no " + step.method->name)},
          ");");
      break;
    case Answer::hook:
      out.line("return of(self).step", older.number, "->", step.method->name, "(call, in",
               step.method->response.empty() ? "" : ", out", ");");
      break;
  }
}

/// Whether an adapter answers a method with the name of its plugin.
bool answers_name(const Origin& origin) {
  for (std::size_t at = origin.place; at < origin.newest(); at++) {
    for (const MethodStep& step : origin.kind.steps[at].methods) {
      if (step.answer == Answer::registered_name) return true;
    }
  }
  return false;
}

/// Which of its parameters a function of an adapter needs.
struct Uses {
  bool call;
  bool self;
  bool in;
  bool out;
};

Uses uses_of(const MethodStep& step) {
  const bool answers = !step.method->response.empty();
  const bool drops = !dropped_streams(step.method->request, step.request).empty();
  const bool reads =
      drops || std::any_of(step.request.begin(), step.request.end(),
                           [](const FieldFill& fill) { return fill.source != nullptr; });
  switch (step.answer) {
    case Answer::forward:
      return {true, true, reads, answers};
    case Answer::fixed:
      return {answers, false, drops, answers};
    case Answer::registered_name:
      return {true, true, drops, true};
    case Answer::unimplemented:
      return {true, false, false, false};
    default:
      return {true, true, true, true};
  }
}

/// A parameter without its name where it is not used: "void* self" -> "void*"
void leave_unnamed(std::string& parameter) {
  parameter.erase(parameter.rfind(' '));
}

void emit_function(Writer& out, const Origin& origin, std::size_t place, const Method& method) {
  const KindVersion& version = *origin.kind.versions[place];
  const Found found = same_form_below(origin, place, method);
  const bool passes = found.place != place;
  const MethodStep& step = step_of(origin, place, method);
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
      emit_pass(out, origin, found);
    } else {
      emit_answer(out, origin, place, step);
    }
  });
  out.line("}");
}

std::string table_name(const Origin& origin, std::size_t place) {
  return origin.kind.name + "_" + std::to_string(origin.version().number) + "_as_" +
         std::to_string(origin.kind.versions[place]->number);
}

/// The steps with a hand-written part, each above those that it calls.
std::vector<std::size_t> hooked_steps(const Origin& origin) {
  std::vector<std::size_t> steps;
  for (std::size_t at = origin.place; at < origin.newest(); at++) {
    if (origin.kind.steps[at].has_hooks()) steps.push_back(at);
  }
  return steps;
}

void emit_class(Writer& out, const Origin& origin) {
  const std::string name = origin.class_name();
  const std::string version = std::to_string(origin.version().number);
  out.comment("Version " + version + " of " + origin.kind.id + " made to look like newer ones.");
  out.line("struct ", name, " {");
  out.indented([&] {
    out.line("const ", origin.version().c_name, "* ", origin.table(), ";");
    out.line("void* self;");
    if (answers_name(origin)) out.line("std::string_view plugin;");
    for (std::size_t at : hooked_steps(origin)) {
      const KindStep& step = origin.kind.steps[at];
      out.line("std::unique_ptr<", step_class(step), "> step", step.from->number, "{};");
    }
    out.line();
    out.line("static ", name, "& of(void* self) { return *static_cast<", name, "*>(self); }");
    out.line("static void* create(const void* table, void* self, std::string_view plugin);");
    out.line("static void destroy(void* adapter) noexcept { delete static_cast<", name,
             "*>(adapter); }");
    for (std::size_t place = origin.place + 1; place <= origin.newest(); place++) {
      out.line();
      out.comment("As version " + std::to_string(origin.kind.versions[place]->number) + ".");
      for (const Method& method : origin.kind.versions[place]->methods) {
        emit_function(out, origin, place, method);
      }
    }
  });
  out.line("};");
  out.line();
}

void emit_table(Writer& out, const Origin& origin, std::size_t place) {
  const KindVersion& version = *origin.kind.versions[place];
  std::vector<std::string> members{"sizeof(" + version.c_name + ")", std::to_string(version.number),
                                   "0", "nullptr"};
  for (const Method& method : version.methods) {
    members.push_back(origin.class_name() + "::" + function_name(version, method));
  }
  out.list("constexpr " + version.c_name + " " + table_name(origin, place) + " = {", members, "};");
  out.line();
}

void emit_create(Writer& out, const Origin& origin) {
  const std::vector<std::size_t> steps = hooked_steps(origin);
  const bool named = answers_name(origin);
  out.list("void* " + origin.class_name() + "::create(",
           {"const void* table", "void* self",
            steps.empty() && !named ? "std::string_view" : "std::string_view plugin"},
           ") {");
  out.indented([&] {
    out.line("auto adapter = std::make_unique<", origin.class_name(), ">();");
    out.line("adapter->", origin.table(), " = static_cast<const ", origin.version().c_name,
             "*>(table);");
    out.line("adapter->self = self;");
    if (named) out.line("adapter->plugin = plugin;");
    for (std::size_t at : steps) {
      const KindStep& step = origin.kind.steps[at];
      const bool first = at == origin.place;
      out.list(
          "adapter->step" + std::to_string(step.from->number) + " = " + step_factory(step) + "(",
          {(first ? "{adapter->" + origin.table() : "{&" + table_name(origin, at)),
           first ? "self" : "adapter.get()", "plugin})"},
          ";");
    }
    out.line("return adapter.release();");
  });
  out.line("}");
  out.line();
}

std::string missing_array(const Origin& origin, std::size_t place) {
  return table_name(origin, place) + "_missing";
}

std::vector<std::string> missing_literals(const Origin& origin, std::size_t place) {
  std::vector<std::string> missing = origin.missing_methods(place);
  for (std::string& method : missing) method = quoted(method);
  return missing;
}

std::string own_array(const Origin& origin, std::size_t place) {
  return table_name(origin, place) + "_own";
}

std::vector<std::string> own_literals(const Origin& origin, std::size_t place) {
  std::vector<std::string> own;
  for (const auto& [method, name] : origin.own_methods(place)) {
    own.push_back("{" + quoted(method) + ", " + quoted(name) + "}");
  }
  return own;
}

}  // namespace

void emit_adapters(Writer& out, const Kind& kind) {
  for (std::size_t place = 0; place + 1 < kind.versions.size(); place++) {
    const Origin origin{{kind, place}};
    if (origin.newest() == place) continue;
    emit_class(out, origin);
    for (std::size_t to = place + 1; to <= origin.newest(); to++) emit_table(out, origin, to);
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
  for (std::size_t to = from + 1; to <= origin.newest(); to++) {
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
    for (std::size_t to = from + 1; to < kind.versions.size(); to++) {
      const std::string number = std::to_string(kind.versions[to]->number);
      if (to > origin.newest()) {
        out.list("{",
                 {number, quoted(origin.refusal()), "nullptr", "nullptr", "nullptr", "{}", "{}"},
                 "},");
        continue;
      }
      const bool lacks = !missing_literals(origin, to).empty();
      const bool owns = !own_literals(origin, to).empty();
      out.list("{",
               {number, "\"\"", "&" + table_name(origin, to), origin.class_name() + "::create",
                origin.class_name() + "::destroy", lacks ? missing_array(origin, to) : "{}",
                owns ? own_array(origin, to) : "{}"},
               "},");
    }
  });
  out.line("};");
}

}  // namespace tenon::gen
