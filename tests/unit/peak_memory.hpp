// SPDX-License-Identifier: BSL-1.0
//
// Measures the peak memory of a test process.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>

namespace backup {

/// Measures from its construction.
class PeakMemory {
 public:
  PeakMemory() {
    std::ofstream("/proc/self/clear_refs") << "5";
    before_ = kilobytes();
  }
  /// Returns the growth of the peak since construction, in bytes.
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
