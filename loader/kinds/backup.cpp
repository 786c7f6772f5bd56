// SPDX-License-Identifier: BSL-1.0
//
// Converts backups between version 1 and 2. Fields of version 1 became the selector of version 2;
// `status` became `phase`, which is stored as its word. The bag holds the rest of a selector that
// version 1 cannot express, or that is empty.
#include <tenon/backup_steps.hpp>

#include <string_view>

namespace tenon {
namespace {

constexpr BagField selector_2{"selector", "2", "tenon.dev/selector@1"};
constexpr std::string_view version_2[] = {"2"};

/// Copies the fields that version 1 has in the backup, and version 2 in the selector.
template <class From, class To>
void copy_selection(const From& from, To& to) {
  to.included_namespaces = from.included_namespaces;
  to.excluded_namespaces = from.excluded_namespaces;
  to.included_resources = from.included_resources;
  to.excluded_resources = from.excluded_resources;
  to.label_selector = from.label_selector;
}

}  // namespace

bool BackupStep1To2::up(Conversion& conversion, const BackupV1Storage& from, BackupV2Storage& to) {
  if (from.status != nullptr) {
    to.phase = conversion.make<BackupV2PhaseStorage>({.literal = *from.status});
  }
  if (!pull(conversion, to.bag, selector_2.name, selector_2.type, version_2, to.selector)) {
    return false;
  }
  SelectorV1Storage selector = to.selector != nullptr ? *to.selector : SelectorV1Storage{};
  copy_selection(from, selector);
  if (!is_empty(selector)) to.selector = conversion.make(selector);
  return true;
}

bool BackupStep1To2::down(Conversion& conversion, const BackupV2Storage& from,
                          BackupV1Storage& to) {
  if (from.phase != nullptr) to.status = &from.phase->literal;
  SelectorV1Storage rest = from.selector != nullptr ? *from.selector : SelectorV1Storage{};
  copy_selection(rest, to);
  copy_selection(BackupV1Storage{}, rest);
  const bool fits = from.selector == nullptr || (!is_empty(*from.selector) && is_empty(rest));
  push(conversion, to.bag, selector_2, version_2, fits ? nullptr : &rest);
  return true;
}

}  // namespace tenon
