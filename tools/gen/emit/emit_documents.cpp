// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/emit_documents.hpp"

#include <string>
#include <vector>

#include "gen/emit/cpp_names.hpp"
#include "gen/emit/storage_names.hpp"
#include "gen/model/document_changes.hpp"

namespace tenon::gen {
namespace {

std::vector<std::string> change_literals(const DocumentStep& step) {
  std::vector<std::string> changes = changes_of(step);
  for (std::string& change : changes) change = string_literal(change);
  return changes;
}

void emit_versions(Writer& out, const Document& document) {
  out.line("constexpr tenon::DocumentVersion ", document.name, "_versions[] = {");
  for (const auto& version : document.versions) {
    std::vector<std::string> members{
        string_literal(version->label), string_literal(word_of(version->life.stage)),
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
  for (std::size_t i = 0; i < document.steps.size(); ++i) {
    const std::vector<std::string> changes = change_literals(document.steps[i]);
    if (changes.empty()) continue;
    out.list(
        "constexpr std::string_view " + document.name + "_changes" + std::to_string(i) + "[] = {",
        changes, "};");
  }
  out.line("constexpr tenon::DocumentStep ", document.name, "_steps[] = {");
  for (std::size_t i = 0; i < document.steps.size(); ++i) {
    const DocumentStep& step = document.steps[i];
    const bool nothing = changes_of(step).empty();
    out.list("    {",
             {string_literal(step.from->label), string_literal(step.to->label),
              string_literal(step.notes), step.hook ? "true" : "false",
              nothing ? "{}" : document.name + "_changes" + std::to_string(i)},
             "},");
  }
  out.line("};");
  out.line("constexpr tenon::DocumentConversion ", document.name, "_conversions[] = {");
  for (const auto& from : document.versions) {
    for (const auto& to : document.versions) {
      if (from == to) continue;
      out.list("    {",
               {string_literal(from->label), string_literal(to->label),
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
           {string_literal(document.id), string_literal(document.hub().label),
            document.name + "_versions", steps ? document.name + "_steps" : "{}",
            steps ? document.name + "_conversions" : "{}"},
           "};");
  out.line("const tenon::DocumentTypeRegistration ", document.name, "_registration(", document.name,
           "_type);");
  out.line();
  out.line("}  // namespace");
  out.line("}  // namespace ", document.space);
  out.line();
}

}  // namespace tenon::gen
