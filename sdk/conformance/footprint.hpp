// SPDX-License-Identifier: BSL-1.0
//
// Detects threads, descriptors and mappings that a plugin leaks, and settings of the process that
// it changes.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "platform/float_modes.hpp"
#include "process_state.hpp"
#include "subject.hpp"

namespace tenon::sdk::conformance {

/// The resources that the process holds at the time of construction.
class Footprint {
 public:
  Footprint();

  /// Fails the case if the process now has threads, descriptors or mapped files that it did not
  /// have. Gives threads `patience` to end. Libraries may stay mapped.
  void require_nothing_more(std::chrono::milliseconds patience) const;

 private:
  /// Returns a description of what the process has now and did not have; empty if there is nothing.
  std::string added() const;

  std::set<std::string> threads_;
  std::set<std::string> descriptors_;
  std::set<std::string> mappings_;
};

/// The settings of the process and of this thread when the object is created.
class Settings {
 public:
  Settings();

  /// Fails the case if they have changed, see `process_settings`, or the floating-point modes.
  /// Restores the floating-point modes.
  void require_unchanged() const;

 private:
  const platform::FloatModes modes_;
  const std::vector<ProcessSetting> before_;
};

/// Runs `use` and destroys the host. Fails the case if the process then has threads, descriptors or
/// mapped files that it did not have before. Threads get `Subject::patience` to end.
void require_nothing_left(Subject& subject, void (*use)(Subject& subject));

/// Makes the library allocate its resources that exist until the process ends, so that they are not
/// attributed to the plugin.
void use_library();

}  // namespace tenon::sdk::conformance
