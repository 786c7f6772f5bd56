// SPDX-License-Identifier: BSL-1.0
//
// Neighbours are converted field by field, from one storage type to the other. Other versions are
// converted through the versions between them.
#include "gen/emit/emit_steps.hpp"

#include <algorithm>

#include "gen/emit/cpp_names.hpp"
#include "gen/emit/storage_names.hpp"
#include "gen/model/naming.hpp"

namespace tenon::gen {
namespace {

constexpr std::string_view declared = ");";
constexpr std::string_view defined = ") {";

std::vector<std::string> parameters(const std::string& from, const std::string& to) {
  return {"tenon::Conversion& conversion", "const " + from + "& from", to + "& to"};
}

/// Writes the versions of a field as a constant, and returns its name.
std::string emit_origins(Writer& out, const std::string& name, const Origins& origins) {
  std::vector<std::string> labels;
  for (const std::string& label : origins.versions) labels.push_back(string_literal(label));
  out.list("static constexpr std::string_view " + name + "[] = {", labels, "};");
  return name;
}

/// Stores a field of only the source in the bag.
void emit_push(Writer& out, const DirectedField& way, const DocumentVersion& source_version) {
  const Field& field = *way.source();
  const std::string versions = emit_origins(out, field.name + "_before", way.source_origins());
  out.list(
      "tenon::push(",
      {"conversion", "to.bag", bag_field(field, source_version), versions, "from." + field.name},
      ");");
}

/// Handles an entry of the bag for a field of the target with `function`. A field that a lenient
/// reader did not know is one of a newer version, which an older version can only have by chance.
void emit_bag_look_up(Writer& out, const DirectedField& way, const std::string& function) {
  const Field& field = *way.target();
  const std::string versions = emit_origins(out, field.name + "_versions", way.target_origins());
  const bool exact = !way.up || way.target_origins().exact;
  out.list("if (!tenon::" + function + (exact ? "<true>(" : "("),
           {"conversion", "to.bag", string_literal(field.name), string_literal(bag_type(field)),
            versions, "to." + field.name},
           ")) return false;");
}

void emit_copy(Writer& out, const DirectedField& way) {
  const Field* source = way.source();
  const Field* target = way.target();
  if (stored_form(source->type) == stored_form(target->type)) {
    return out.line("to.", target->name, " = from.", source->name, ";");
  }
  out.list(
      "if (!tenon::convert_field(",
      {"conversion", string_literal(source->name), "from." + source->name, "to." + target->name},
      ")) return false;");
}

/// Converts between a type and a wider one. Values that the older type lacks are stored in the bag.
void emit_widened(Writer& out, const DirectedField& way, const DocumentVersion& source_version) {
  const Field& source = *way.source();
  const std::string from = "from." + source.name;
  const std::string to = "to." + way.target()->name;
  if (way.up) {
    return out.list("if (!tenon::widen_field(",
                    {"conversion", string_literal(source.name), from, to}, ")) return false;");
  }
  const std::string versions = emit_origins(out, source.name + "_before", way.source_origins());
  out.list("if (!tenon::narrow_field(",
           {"conversion", "to.bag", bag_field(source, source_version), versions, from, to},
           ")) return false;");
}

void emit_field(Writer& out, const DirectedField& way, const DocumentVersion& source_version) {
  if (way.field.hook) return;
  if (way.target() == nullptr) return emit_push(out, way, source_version);
  if (way.source() == nullptr) return emit_bag_look_up(out, way, "pull");
  if (way.field.widened) {
    emit_widened(out, way, source_version);
  } else {
    emit_copy(out, way);
  }
  emit_bag_look_up(out, way, "reconcile");
}

void emit_fields(Writer& out, const std::vector<FieldStep>& fields, const DirectedStep& way) {
  out.line("to.bag = from.bag;");
  for (const FieldStep& field : fields) emit_field(out, {field, way.up}, way.from());
}

/// Looks in the bag for fields that the hand-written step did not set: an older program may have
/// stored them there.
void emit_unset_fields(Writer& out, const std::vector<FieldStep>& fields, const DirectedStep& way) {
  for (const FieldStep& field : fields) {
    const DirectedField one{field, way.up};
    if (!field.hook || one.target() == nullptr) continue;
    out.line("if (to.", one.target()->name, " == nullptr) {");
    out.indented([&] { emit_bag_look_up(out, one, "pull"); });
    out.line("}");
  }
}

void emit_signature(Writer& out, const std::string& from, const std::string& to,
                    std::string_view end, bool uses_conversion = true) {
  std::vector<std::string> all = parameters(from, to);
  if (!uses_conversion) all.front() = "tenon::Conversion&";
  out.list("bool convert(", all, end);
}

/// Writes the conversion of an enum with renamed values. The library converts other enums.
void emit_enum(Writer& out, const EnumStep& step, bool up, std::string_view end) {
  if (step.renamed.empty()) return;
  const std::string older = local_name(storage_of(step.older->cpp_name));
  const std::string newer = local_name(storage_of(step.newer->cpp_name));
  std::vector<std::string> all = parameters(up ? older : newer, up ? newer : older);
  all.front() = "tenon::Conversion&";
  out.list("bool convert_value(", all, end);
  if (end == declared) return;
  out.indented([&] {
    out.line("const std::string_view literal = tenon::text_of(from.literal);");
    out.line("to.literal = from.literal;");
    for (const RenamedValue& value : step.renamed) {
      const std::string& source = up ? value.older : value.newer;
      const std::string& target = up ? value.newer : value.older;
      out.line("if (literal == ", string_literal(source), ") to.literal = {",
               string_literal(target), ", ", target.size(), "};");
    }
    out.line("return true;");
  });
  out.line("}");
  out.line();
}

void emit_struct(Writer& out, const StructStep& step, const DirectedStep& way,
                 std::string_view end) {
  const Struct& from = way.up ? *step.older : *step.newer;
  const Struct& to = way.up ? *step.newer : *step.older;
  const bool by_hand = std::all_of(step.fields.begin(), step.fields.end(),
                                   [](const FieldStep& field) { return field.hook; });
  emit_signature(out, StoredObject(from).name(), StoredObject(to).name(), end,
                 end == declared || !by_hand);
  if (end == declared) return;
  out.indented([&] {
    emit_fields(out, step.fields, way);
    out.line("return true;");
  });
  out.line("}");
  out.line();
}

void emit_neighbours(Writer& out, const DirectedStep& way) {
  for (const EnumStep& step : way.step->enums) emit_enum(out, step, way.up, defined);
  for (const StructStep& step : way.step->structs) emit_struct(out, step, way, defined);
  emit_signature(out, local_storage_name(way.from()), local_storage_name(way.to()), defined,
                 way.step->hook || !way.step->fields.empty());
  out.indented([&] {
    emit_fields(out, way.step->fields, way);
    if (way.step->hook) {
      out.line("if (!", hook_class(*way.step), way.up ? "::up" : "::down",
               "(conversion, from, to)) return false;");
      emit_unset_fields(out, way.step->fields, way);
    }
    out.line("return true;");
  });
  out.line("}");
  out.line();
}

/// Converts to the version before the last, which is a conversion of its own, and then to the last.
void emit_distant(Writer& out, const DocumentVersion& from, const DocumentVersion& before,
                  const DocumentVersion& to) {
  emit_signature(out, local_storage_name(from), local_storage_name(to), defined);
  const std::string between = "v" + before.label;
  out.line("  ", local_storage_name(before), " ", between, ";");
  out.line("  return convert(conversion, from, ", between, ") && convert(conversion, ", between,
           ", to);");
  out.line("}");
  out.line();
}

void emit_abi_conversion(Writer& out, const DocumentVersion& from, const DocumentVersion& to,
                         std::string_view end) {
  out.list("tenon_status " + local_name(conversion_name(from, to)) + "(",
           {"tenon_call* call", "const " + from.c_name + "& from", to.c_name + "& to",
            end == declared ? "tenon::Keep keep = tenon::Keep::everything" : "tenon::Keep keep"},
           end);
  if (end == declared) return;
  out.line("  return tenon::detail::convert_abi<", local_storage_name(from), ", ",
           local_storage_name(to), ">(call, from, to, keep);");
  out.line("}");
  out.line();
}

/// Calls `visit` with each pair of versions.
template <class Visit>
void for_each_pair(const Document& document, Visit visit) {
  for (const auto& from : document.versions) {
    for (const auto& to : document.versions) {
      if (from != to) visit(*from, *to);
    }
  }
}

void emit_declarations(Writer& out, const Document& document) {
  for (const DocumentStep& step : document.steps) {
    for (const bool up : {true, false}) {
      for (const EnumStep& inner : step.enums) emit_enum(out, inner, up, declared);
      for (const StructStep& inner : step.structs) emit_struct(out, inner, {&step, up}, declared);
    }
  }
  for_each_pair(document, [&](const DocumentVersion& from, const DocumentVersion& to) {
    emit_signature(out, local_storage_name(from), local_storage_name(to), declared);
  });
  out.line();
  out.doc(
      "The same between ABI structs. The result shares strings, bytes and lists with its source, "
      "and is valid as long as the source and the results of the call. On failure the call has the "
      "message.");
  for_each_pair(document, [&](const DocumentVersion& from, const DocumentVersion& to) {
    if (from.removed() || to.removed()) return;
    emit_abi_conversion(out, from, to, declared);
  });
}

void emit_hook(Writer& out, const DocumentStep& step) {
  const std::string from = local_storage_name(*step.from);
  const std::string to = local_storage_name(*step.to);
  out.line();
  out.doc(step.notes);
  out.doc(
      "Written by hand, in a source file that is linked with the generated one. It runs after the "
      "generated part; fields with a hook are absent then. Use tenon::push to store in `to.bag` "
      "what the target cannot represent, and tenon::pull to take it back. Returns false, with "
      "`conversion.fail`, if the document is invalid.");
  out.line("struct ", hook_class(step), " {");
  out.indented([&] {
    out.list("static bool up(", parameters(from, to), ");");
    out.list("static bool down(", parameters(to, from), ");");
  });
  out.line("};");
}

}  // namespace

std::string hook_class(const DocumentStep& step) {
  return camel_case(step.from->document->name) + "Step" + step.from->label + "To" + step.to->label;
}

std::vector<DirectedStep> steps_between(const Document& document, const DocumentVersion& from,
                                        const DocumentVersion& to) {
  const std::vector<const DocumentVersion*> path = document.path(from, to);
  std::vector<DirectedStep> ways;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const DocumentStep* step = document.step_to(*path[i + 1]);
    const bool up = step != nullptr && step->from == path[i];
    ways.push_back({up ? step : document.step_to(*path[i]), up});
  }
  return ways;
}

std::string emit_steps(const Document& document) {
  Writer out;
  out.line("// Generated by tenon-gen. Do not edit.");
  out.line("//");
  out.comment("Conversions of " + document.id + " between its versions.");
  out.line("#pragma once");
  out.line();
  out.line("#include <", storage_header(document), ">");
  out.line();
  out.line("#include <tenon/detail/steps.hpp>");
  out.line();
  out.line("namespace ", document.space, " {");
  if (document.versions.size() > 1) {
    out.line();
    out.doc(
        "Converts from one version to another without loss. The source is not changed, and the "
        "result shares data with it.");
    emit_declarations(out, document);
  }
  for (const DocumentStep& step : document.steps) {
    if (step.hook) emit_hook(out, step);
  }
  out.line();
  out.line("}  // namespace ", document.space);
  return out.text();
}

void emit_conversions(Writer& out, const Document& document) {
  for (const DocumentStep& step : document.steps) {
    emit_neighbours(out, {&step, true});
    emit_neighbours(out, {&step, false});
  }
  for_each_pair(document, [&](const DocumentVersion& from, const DocumentVersion& to) {
    const std::vector<const DocumentVersion*> path = document.path(from, to);
    if (path.size() > 2) emit_distant(out, from, *path[path.size() - 2], to);
    if (!from.removed() && !to.removed()) emit_abi_conversion(out, from, to, defined);
  });
}

}  // namespace tenon::gen
