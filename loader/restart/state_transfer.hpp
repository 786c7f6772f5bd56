// SPDX-License-Identifier: BSL-1.0
//
// Moves the states of instances from one generation to the next.
#pragma once

#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "code/generation.hpp"
#include "code/state_forms.hpp"
#include "manifest/manifest.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// An instance that takes part in a restart.
struct RestartMember {
  std::uint32_t index;
  std::uint64_t serial;
  bool session;
};

/// Belongs to the worker of one restart, which checks after each function whether the restart was
/// abandoned meanwhile.
class StateTransfer {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Saved {
    RestartMember member;
    std::optional<Bytes> state;  // absent if none was saved
  };

  /// `where`: the module, for messages. It must outlive this.
  explicit StateTransfer(const std::string& where) noexcept : where_(where) {}

  /// Chooses the form of the states. REQUIRED: called before `save`. Error: state-refused, if the
  /// builds have none in common.
  Result<void> begin(const Manifest& from, const Manifest& to);
  /// Saves the state of an instance if its plugin saves any. Errors: those of
  /// Generation::save_state.
  Result<void> save(Generation& from, const RestartMember& member, Time deadline);
  /// Adds the instances that were not added yet, without a state. Some plugins are restored without
  /// one; see Quirk.
  void add_unsaved(const std::vector<RestartMember>& members);

  /// Returns the states that were saved, and forgets them.
  std::vector<Saved> take() noexcept { return std::exchange(saved_, {}); }
  /// Restores the state of an instance that was created in the new generation. Errors:
  /// state-refused, if its plugin restores none; those of Generation::restore_state.
  Result<void> restore(Generation& to, const Saved& saved, Time deadline) const;

 private:
  void add(Saved saved);

  const std::string& where_;
  StateForms forms_;
  std::vector<Saved> saved_;
  std::vector<std::uint64_t> added_;  // serials of the instances added so far, by index
};

}}}  // namespace tenon::v0_1::detail
