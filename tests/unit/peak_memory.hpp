// SPDX-License-Identifier: BSL-1.0
//
// How much memory the process of a test needs at most.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>

namespace backup {

/// Measures from its construction on.
class PeakMemory {
 public:
  PeakMemory() {
    std::ofstream("/proc/self/clear_refs") << "5";
    before_ = kilobytes();
  }
  /// How much more there was at one time than at the beginning, in bytes.
  std::size_t growth() const { return (kilobytes() - before_) * 1024; }

 private:
  static std::size_t kilobytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      if (word != "VmHWM:") continue;
      std::size_t number = 0;
      status >> number;
      return number;
    }
    return 0;
  }

  std::size_t before_ = 0;
};

}  // namespace backup
