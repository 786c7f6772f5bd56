// SPDX-License-Identifier: BSL-1.0
//
// Behaviour that changed between ABI versions. Each module gets the behaviour of the version that
// its manifest requires, independent of other modules. abi/versions.md explains the changes to
// authors.
#pragma once

#include <array>

#include "manifest/manifest.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

enum class Quirk {
  /// A read that returns no bytes means that nothing is ready yet, and the end has a status.
  /// Before, such a read was the end.
  empty_read_is_no_end,
  /// An instance that replaces another is restored although no state was saved. Before, it could
  /// not tell this from a first start.
  restored_without_state,
};

struct QuirkVersion {
  Quirk quirk;
  AbiVersion since;
};

inline constexpr std::array quirk_versions{
    QuirkVersion{Quirk::empty_read_is_no_end, {1, 1}},
    QuirkVersion{Quirk::restored_without_state, {1, 1}},
};

/// Returns whether a quirk applies to a module that requires `abi`.
constexpr bool has(AbiVersion abi, Quirk quirk) noexcept {
  for (const QuirkVersion& one : quirk_versions) {
    if (one.quirk == quirk) return abi >= one.since;
  }
  return false;
}

}}}  // namespace tenon::v0_1::detail
