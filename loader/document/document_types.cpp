// SPDX-License-Identifier: BSL-1.0
#include <tenon/document.hpp>

#include <algorithm>
#include <utility>

namespace tenon::inline v0_1 {
namespace {

/// Filled before main by registrations, in any order.
std::vector<const DocumentType*>& types() {
  static std::vector<const DocumentType*> all;
  return all;
}

bool is_before(const DocumentType* a, const DocumentType* b) noexcept {
  return a->id < b->id;
}

}  // namespace

const DocumentVersion* DocumentType::find(std::string_view label) const noexcept {
  const auto found =
      std::find_if(versions.begin(), versions.end(),
                   [label](const DocumentVersion& version) { return version.label == label; });
  return found != versions.end() ? &*found : nullptr;
}

DocumentTypeRegistration::DocumentTypeRegistration(const DocumentType& type) {
  if (find_document_type(type.id) != nullptr) return;
  types().insert(std::upper_bound(types().begin(), types().end(), &type, is_before), &type);
}

void use_document_types(std::vector<const DocumentType*> fresh) {
  std::sort(fresh.begin(), fresh.end(), is_before);
  types() = std::move(fresh);
}

std::vector<const DocumentType*> document_types() {
  return types();
}

const DocumentType* find_document_type(std::string_view id) {
  for (const DocumentType* type : types()) {
    if (type->id == id) return type;
  }
  return nullptr;
}

}  // namespace tenon::inline v0_1
