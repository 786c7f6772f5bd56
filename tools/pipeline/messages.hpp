// SPDX-License-Identifier: BSL-1.0
//
// The messages of one pipeline.
#pragma once

#include "common/console.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace pipeline {

using tenon::tools::Console;

/// Thread-safe.
class Messages {
 public:
  /// The console lives longer. `pipeline` begins each message, unless it is empty.
  explicit Messages(Console& console, const std::string& pipeline = {})
      : console_(console), prefix_(pipeline.empty() ? "" : pipeline + ": ") {}

  void say(std::string_view message) const { console_.say(prefix_ + std::string(message)); }

 private:
  Console& console_;
  const std::string prefix_;
};

}  // namespace pipeline
