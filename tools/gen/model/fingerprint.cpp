// SPDX-License-Identifier: BSL-1.0
#include "gen/model/fingerprint.hpp"

#include <map>
#include <set>
#include <utility>

#include "gen/model/naming.hpp"

namespace tenon::gen {
namespace {

/// FNV-1a, 64 bit.
std::uint64_t hash(std::string_view text) noexcept {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const unsigned char c : text) value = (value ^ c) * 0x100000001b3;
  return value;
}

std::string words(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& word : list) text += " " + word;
  return text;
}

std::string threading_word(Threading threading) {
  constexpr const char* names[] = {"any", "serial", "main"};
  return names[static_cast<int>(threading)];
}

/// Writes fields, and collects the types that they use.
class Canonical {
 public:
  explicit Canonical(bool with_added) : with_added_(with_added) {}

  void line(const std::string& text) { text_ += text + "\n"; }

  void fields(const std::string& of, const std::vector<Field>& fields) {
    for (const Field& field : fields) {
      if (!field.added.empty() && !with_added_) continue;
      line(of + " " + field.name + " " + to_text(field.type));
      note(field.type);
    }
  }

  /// Appends the used types, sorted by name, and returns the text. Structs may use further types.
  std::string finish() {
    while (!unwritten_.empty()) {
      const auto round = std::exchange(unwritten_, {});
      for (const auto& [name, structure] : round) {
        fields("struct " + name, structure->fields);
        if (structure->bag) line("struct " + name + " with a bag");
      }
    }
    for (const auto& [name, enumeration] : enums_) {
      line("enum " + name + words(enumeration->values));
    }
    for (const auto& [name, document] : documents_) {
      line("document " + name + " " + hex(document->fingerprint));
    }
    return std::move(text_);
  }

 private:
  void note(const Type& type) {
    if (type.element) note(*type.element);
    if (type.enumeration != nullptr) enums_.emplace(to_text(type), type.enumeration);
    if (type.structure != nullptr && structs_.insert(type.structure).second) {
      unwritten_.emplace(to_text(type), type.structure);
    }
    if (type.document != nullptr) documents_.emplace(to_text(type), type.document);
  }

  bool with_added_;
  std::string text_{};
  std::map<std::string, const Enum*> enums_{};
  std::set<const Struct*> structs_{};
  std::map<std::string, const Struct*> unwritten_{};
  std::map<std::string, const DocumentVersion*> documents_{};
};

std::string text_of(const KindVersion& version, bool with_added) {
  Canonical text(with_added);
  text.line("kind " + version.kind->id + " " + version.label +
            (version.kind->session ? " session" : " overlap"));
  for (const Method& method : version.methods) {
    text.line("method " + method.name + (method.configures ? " configure " : " ") +
              threading_word(method.threading));
    if (method.from) text.line("from" + words(*method.from));
    if (!method.to.empty()) text.line("to " + method.to);
    text.fields("request", method.request);
    text.fields("response", method.response);
  }
  return text.finish();
}

std::string text_of(const DocumentVersion& version, bool with_added) {
  Canonical text(with_added);
  text.line("type " + version.document->id + " " + version.label);
  text.fields("field", version.fields);
  return text.finish();
}

}  // namespace

std::string canonical_text(const KindVersion& version) {
  return text_of(version, false);
}

std::string canonical_text(const DocumentVersion& version) {
  return text_of(version, false);
}

std::string canonical_text_with_added(const KindVersion& version) {
  return text_of(version, true);
}

std::string canonical_text_with_added(const DocumentVersion& version) {
  return text_of(version, true);
}

void set_fingerprints(Model& model, const std::vector<DocumentVersion*>& documents) {
  for (DocumentVersion* version : documents) version->fingerprint = hash(canonical_text(*version));
  for (const auto& kind : model.kinds) {
    for (const auto& version : kind->versions) {
      version->fingerprint = hash(canonical_text(*version));
    }
  }
}

}  // namespace tenon::gen
