// SPDX-License-Identifier: BSL-1.0
#include "tally.hpp"

#include <algorithm>
#include <cstddef>

namespace backup {

std::string progress_line(const Tally& tally, std::chrono::duration<double> since) {
  const std::uint64_t done = tally.done;
  const std::uint64_t total = tally.total;
  const std::uint64_t all = tally.earlier + done;
  constexpr std::size_t width = 30;
  // The run may begin the next, smaller backup between the two reads.
  const std::size_t filled = total == 0 ? 0 : std::min(width, width * done / total);
  const auto rate = since.count() > 0 ? static_cast<double>(all) / since.count() : 0;
  return "[" + std::string(filled, '#') + std::string(width - filled, ' ') + "] " +
         std::to_string(done) + " of " + std::to_string(total) + " items (" +
         std::to_string(static_cast<std::uint64_t>(rate)) + "/s)";
}

}  // namespace backup
