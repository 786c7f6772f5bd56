// SPDX-License-Identifier: BSL-1.0
//
// The messages of one pipeline.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "common/console.hpp"

namespace pipeline {

using tenon::tools::Console;

/// Thread-safe.
class Messages {
 public:
  /// The console must outlive the object. `pipeline` is the prefix of each message; empty for none.
  explicit Messages(Console& console, const std::string& pipeline = {})
      : console_(console), prefix_(pipeline.empty() ? "" : pipeline + ": ") {}

  /// Prints a message.
  void say(std::string_view message) const { console_.say(prefix_ + std::string(message)); }

 private:
  Console& console_;
  const std::string prefix_;
};

}  // namespace pipeline
