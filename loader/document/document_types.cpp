// SPDX-License-Identifier: BSL-1.0
#include <tenon/detail/other_program.hpp>
#include <tenon/document.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/fork.hpp"
#include "base/lock_order.hpp"
#include "base/own_library.hpp"

namespace tenon { inline namespace v0_1 {
namespace {

// Types are registered before main, and when a library with types is loaded later, until it is
// unloaded.
detail::LeafMutex mutex;
const platform::UnlockedInChildren<mutex> unlocked;
/// In the order of their ids. Those with one id are in the order of their registration.
std::vector<const DocumentType*>& types() TENON_REQUIRES(mutex) {
  static platform::LibraryStatic<std::vector<const DocumentType*>> all;
  return *all;
}

bool comes_before(const DocumentType* a, const DocumentType* b) noexcept {
  return a->id < b->id;
}

}  // namespace

const DocumentVersion* DocumentType::find(std::string_view label) const noexcept {
  const auto found =
      std::find_if(versions.begin(), versions.end(),
                   [label](const DocumentVersion& version) { return version.label == label; });
  return found != versions.end() ? &*found : nullptr;
}

DocumentTypeRegistration::DocumentTypeRegistration(const DocumentType& type) : type_(&type) {
  sync::Lock lock(mutex);
  types().insert(std::upper_bound(types().begin(), types().end(), type_, comes_before), type_);
}

DocumentTypeRegistration::~DocumentTypeRegistration() {
  sync::Lock lock(mutex);
  // Libraries may share the object, and each registers it.
  const auto found = std::find(types().begin(), types().end(), type_);
  if (found != types().end()) types().erase(found);
}

void detail::use_document_types(std::vector<const DocumentType*> fresh) {
  std::stable_sort(fresh.begin(), fresh.end(), comes_before);
  sync::Lock lock(mutex);
  types() = std::move(fresh);
}

std::vector<const DocumentType*> document_types() {
  sync::Lock lock(mutex);
  std::vector<const DocumentType*> first;
  std::unique_copy(types().begin(), types().end(), std::back_inserter(first),
                   [](const auto* a, const auto* b) { return a->id == b->id; });
  return first;
}

const DocumentType* find_document_type(std::string_view id) {
  sync::Lock lock(mutex);
  const auto found = std::find_if(types().begin(), types().end(),
                                  [id](const DocumentType* type) { return type->id == id; });
  return found != types().end() ? *found : nullptr;
}

}}  // namespace tenon::v0_1
