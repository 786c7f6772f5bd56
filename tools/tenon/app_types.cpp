// SPDX-License-Identifier: BSL-1.0
//
// What is handed around as a stored document is a TypedValue. The `spec` of a version is the type
// of its documents, that of a conversion a Way.
#include "app_types.hpp"

#include "gen/model/document_changes.hpp"

#include <map>
#include <utility>
#include <vector>

#include "interpreter.hpp"

namespace tenon::command {
namespace {

struct Way {
  std::vector<gen::StepWay> steps;
  const gen::Type* target;
};

const void* read_document(const DocumentVersion& version, Conversion& conversion,
                          const json::Reader& in) {
  const auto& type = *static_cast<const gen::Type*>(version.spec);
  void* value = make_value(conversion, type);
  if (!read_value(conversion, in, type, value)) return nullptr;
  return conversion.make(TypedValue{&type, value});
}

void write_document(json::Writer& out, const void* stored) {
  write_value(out, *static_cast<const TypedValue*>(stored));
}

const void* convert(const DocumentConversion& conversion_table, Conversion& conversion,
                    const void* stored) {
  const Way& way = *static_cast<const Way*>(conversion_table.spec);
  const auto& document = *static_cast<const TypedValue*>(stored);
  const Object* converted =
      convert_document(conversion, way.steps, *static_cast<const Object*>(document.value));
  if (converted == nullptr) return nullptr;
  return conversion.make(TypedValue{way.target, converted});
}

DocumentStep described_step(const gen::DocumentStep& step, Kept& kept) {
  std::vector<std::string_view> changes;
  for (std::string& change : gen::changes_of(step)) changes.push_back(kept.text(std::move(change)));
  return {step.from->label, step.to->label, step.notes, step.hook, kept.list(std::move(changes))};
}

DocumentConversion described_way(Way way, Kept& kept) {
  DocumentConversion described{way.steps.front().from().label, way.steps.back().to().label,
                               nullptr};
  if (const gen::DocumentStep* step = hand_written(way.steps)) {
    described.by_hand = kept.text(gen::hand_class(*step));
  } else {
    described.convert = convert;
    described.spec = &kept.keep(std::move(way));
  }
  return described;
}

}  // namespace

const DocumentType& described_type(const gen::Document& document, Kept& kept) {
  std::map<const gen::DocumentVersion*, const gen::Type*> types;
  std::vector<DocumentVersion> versions;
  for (const auto& version : document.versions) {
    const gen::Type& type =
        kept.keep(gen::Type{.shape = gen::Shape::document, .document = version.get()});
    types.emplace(version.get(), &type);
    versions.push_back({version->label, gen::word_of(version->life.stage), read_document,
                        write_document, 0, nullptr, nullptr, &type});
  }
  std::vector<DocumentStep> steps;
  for (const gen::DocumentStep& step : document.steps) steps.push_back(described_step(step, kept));
  std::vector<DocumentConversion> ways;
  for (const auto& from : document.versions) {
    for (const auto& to : document.versions) {
      if (from == to) continue;
      Way way{gen::steps_between(document, *from, *to), types.at(to.get())};
      ways.push_back(described_way(std::move(way), kept));
    }
  }
  return kept.keep(DocumentType{document.id, document.hub().label, kept.list(std::move(versions)),
                                kept.list(std::move(steps)), kept.list(std::move(ways))});
}

}  // namespace tenon::command
