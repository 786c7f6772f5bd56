// SPDX-License-Identifier: BSL-1.0
//
// What a restart does at the moment.
#pragma once

#include <chrono>
#include <string>

namespace tenon { inline namespace v0_1 { namespace detail {

/// The step that a restart of a module is in.
struct RestartStep {
  /// A function of a plugin, such as "create"; "read" and "load" of the file; "wait for calls",
  /// until calls have left the previous generation; empty between steps.
  std::string step = {};
  /// The plugin of the function, or the package; empty between steps.
  std::string plugin = {};
  /// Since the restart began.
  std::chrono::steady_clock::duration time{};
};

}}}  // namespace tenon::v0_1::detail
