// SPDX-License-Identifier: BSL-1.0
//
// What the host does otherwise for modules that ask for a newer ABI. A module gets what the
// ABI version in its manifest says, whatever the others that are loaded beside it ask for.
#pragma once

#include <array>

#include "manifest/manifest.hpp"

namespace tenon::detail {

enum class Behaviour {
  /// A read that answers no bytes only says that nothing was ready; the end has a status. Before,
  /// such a read is the end.
  empty_read_is_no_end,
  /// An instance that goes on after another is told so although nothing was saved for it. Before,
  /// it cannot tell this from a beginning.
  restored_without_state,
};

struct BehaviourChange {
  Behaviour behaviour;
  AbiVersion since;
};

/// All there are; abi/versions.md explains them to authors.
inline constexpr std::array behaviour_changes{
    BehaviourChange{Behaviour::empty_read_is_no_end, {1, 1}},
    BehaviourChange{Behaviour::restored_without_state, {1, 1}},
};

/// Whether a module that asks for `abi` gets it.
constexpr bool has(AbiVersion abi, Behaviour behaviour) noexcept {
  for (const BehaviourChange& change : behaviour_changes) {
    if (change.behaviour == behaviour) return abi >= change.since;
  }
  return false;
}

}  // namespace tenon::detail
