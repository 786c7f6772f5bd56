// SPDX-License-Identifier: BSL-1.0
#include "gen/emit_documents.hpp"

#include "gen/cpp_names.hpp"
#include "gen/storage_names.hpp"

#include <string>
#include <vector>

namespace tenon::gen {
namespace {

std::string_view stage_word(Life::Stage stage) {
  switch (stage) {
    case Life::Stage::draft:
      return "draft";
    case Life::Stage::released:
      return "released";
    case Life::Stage::deprecated:
      return "deprecated";
    default:
      return "removed";
  }
}

/// What a step does to the fields of a document, or of a struct, whose name is `prefix` then.
void add_changes(const std::vector<FieldStep>& fields, const std::string& prefix,
                 std::vector<std::string>& changes) {
  for (const FieldStep& field : fields) {
    const Field& shown = field.newer != nullptr ? *field.newer : *field.older;
    const std::string name = prefix + shown.name;
    if (field.hook) {
      changes.push_back(quoted(name + " by hand"));
    } else if (field.older == nullptr) {
      changes.push_back(quoted("adds " + name));
    } else if (field.newer == nullptr) {
      changes.push_back(quoted("removes " + name));
    } else if (field.older->name != field.newer->name) {
      changes.push_back(quoted("renames " + prefix + field.older->name + " to " + name));
    } else if (to_text(field.older->type) != to_text(field.newer->type)) {
      changes.push_back(quoted("changes " + name + " from " + to_text(field.older->type) + " to " +
                               to_text(field.newer->type)));
    }
  }
}

std::vector<std::string> changes_of(const DocumentStep& step) {
  std::vector<std::string> changes;
  add_changes(step.fields, "", changes);
  for (const StructStep& inner : step.structs) {
    if (inner.older->name != inner.newer->name) {
      changes.push_back(quoted("renames " + inner.older->name + " to " + inner.newer->name));
    }
    add_changes(inner.fields, inner.newer->name + ".", changes);
  }
  for (const EnumStep& inner : step.enums) {
    if (inner.older->name != inner.newer->name) {
      changes.push_back(quoted("renames " + inner.older->name + " to " + inner.newer->name));
    }
    for (const RenamedValue& value : inner.renamed) {
      changes.push_back(
          quoted("renames " + value.older + " of " + inner.newer->name + " to " + value.newer));
    }
    if (inner.renamed.empty() && inner.older->values != inner.newer->values) {
      changes.push_back(quoted("changes the values of " + inner.newer->name));
    }
  }
  return changes;
}

void emit_versions(Writer& out, const Document& document) {
  out.line("constexpr tenon::DocumentVersion ", document.name, "_versions[] = {");
  for (const auto& version : document.versions) {
    std::vector<std::string> members{
        quoted(version->label), quoted(stage_word(version->life.stage)),
        "tenon::detail::read_erased<" + local_storage_name(*version) + ">",
        "tenon::detail::write_erased<" + local_storage_name(*version) + ">"};
    if (version->removed()) {
      members.insert(members.end(), {"0", "nullptr", "nullptr"});
    } else {
      members.insert(members.end(),
                     {"sizeof(" + version->c_name + ")",
                      "tenon::detail::load_erased<" + local_storage_name(*version) + ">",
                      "tenon::detail::save_erased<" + local_storage_name(*version) + ">"});
    }
    out.list("    {", members, "},");
  }
  out.line("};");
}

void emit_steps_table(Writer& out, const Document& document) {
  for (std::size_t i = 0; i < document.steps.size(); i++) {
    const std::vector<std::string> changes = changes_of(document.steps[i]);
    if (changes.empty()) continue;
    out.list(
        "constexpr std::string_view " + document.name + "_changes" + std::to_string(i) + "[] = {",
        changes, "};");
  }
  out.line("constexpr tenon::DocumentStep ", document.name, "_steps[] = {");
  for (std::size_t i = 0; i < document.steps.size(); i++) {
    const DocumentStep& step = document.steps[i];
    const bool nothing = changes_of(step).empty();
    out.list("    {",
             {quoted(step.from->label), quoted(step.to->label), quoted(step.notes),
              step.hook ? "true" : "false",
              nothing ? "{}" : document.name + "_changes" + std::to_string(i)},
             "},");
  }
  out.line("};");
  out.line("constexpr tenon::DocumentConversion ", document.name, "_conversions[] = {");
  for (const auto& from : document.versions) {
    for (const auto& to : document.versions) {
      if (from == to) continue;
      out.list("    {",
               {quoted(from->label), quoted(to->label),
                "tenon::detail::convert_erased<" + local_storage_name(*from) + ", " +
                    local_storage_name(*to) + ">"},
               "},");
    }
  }
  out.line("};");
}

}  // namespace

void emit_document_type(Writer& out, const Document& document) {
  const bool steps = !document.steps.empty();
  out.line("namespace ", document.space, " {");
  out.line("namespace {");
  out.line();
  emit_versions(out, document);
  if (steps) emit_steps_table(out, document);
  out.list("constexpr tenon::DocumentType " + document.name + "_type{",
           {quoted(document.id), quoted(document.hub().label), document.name + "_versions",
            steps ? document.name + "_steps" : "{}", steps ? document.name + "_conversions" : "{}"},
           "};");
  out.line("const tenon::DocumentTypeRegistration ", document.name, "_registration(", document.name,
           "_type);");
  out.line();
  out.line("}  // namespace");
  out.line("}  // namespace ", document.space);
  out.line();
}

}  // namespace tenon::gen
