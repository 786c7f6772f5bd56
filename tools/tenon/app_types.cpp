// SPDX-License-Identifier: BSL-1.0
//
// A stored document is a TypedValue. The `spec` of a version is the gen::Type of its documents, the
// `spec` of a conversion is a ConversionPath.
#include "app_types.hpp"

#include <map>
#include <utility>
#include <vector>

#include "gen/model/document_changes.hpp"
#include "interpreter.hpp"

namespace tenon::command {
namespace {

struct ConversionPath {
  std::vector<gen::DirectedStep> steps;
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
  const auto& path = *static_cast<const ConversionPath*>(conversion_table.spec);
  const auto& document = *static_cast<const TypedValue*>(stored);
  const Object* converted =
      convert_document(conversion, path.steps, *static_cast<const Object*>(document.value));
  if (converted == nullptr) return nullptr;
  return conversion.make(TypedValue{path.target, converted});
}

DocumentStep described_step(const gen::DocumentStep& step, ConstantPool& pool) {
  std::vector<std::string_view> changes;
  for (std::string& change : gen::changes_of(step)) changes.push_back(pool.text(std::move(change)));
  return {step.from->label, step.to->label, step.notes, step.hook, pool.list(std::move(changes))};
}

DocumentConversion described_conversion(ConversionPath path, ConstantPool& pool) {
  DocumentConversion described{path.steps.front().from().label, path.steps.back().to().label,
                               nullptr};
  if (const gen::DocumentStep* step = hand_written(path.steps)) {
    described.by_hand = pool.text(gen::hook_class(*step));
  } else {
    described.convert = convert;
    described.spec = &pool.add(std::move(path));
  }
  return described;
}

}  // namespace

const DocumentType& described_type(const gen::Document& document, ConstantPool& pool) {
  std::map<const gen::DocumentVersion*, const gen::Type*> types;
  std::vector<DocumentVersion> versions;
  for (const auto& version : document.versions) {
    const gen::Type& type =
        pool.add(gen::Type{.shape = gen::Shape::document, .document = version.get()});
    types.emplace(version.get(), &type);
    versions.push_back({version->label, gen::word_of(version->life.stage), read_document,
                        write_document, 0, nullptr, nullptr, &type});
  }
  std::vector<DocumentStep> steps;
  for (const gen::DocumentStep& step : document.steps) steps.push_back(described_step(step, pool));
  std::vector<DocumentConversion> conversions;
  for (const auto& from : document.versions) {
    for (const auto& to : document.versions) {
      if (from == to) continue;
      ConversionPath path{gen::steps_between(document, *from, *to), types.at(to.get())};
      conversions.push_back(described_conversion(std::move(path), pool));
    }
  }
  return pool.add(DocumentType{document.id, document.hub().label, pool.list(std::move(versions)),
                               pool.list(std::move(steps)), pool.list(std::move(conversions))});
}

}  // namespace tenon::command
