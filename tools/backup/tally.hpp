// SPDX-License-Identifier: BSL-1.0
//
// The number of processed items, for the progress line and `tenon status`.
#pragma once

#include <tenon/host.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace backup {

/// Written by the run. May be read from any thread.
struct Tally {
  Tally() = default;
  /// Reports the items to the host.
  explicit Tally(tenon::Host& host)
      : done_figure(host.figure({.name = "done", .unit = "items"})),
        found_figure(host.figure({.name = "read", .unit = "items"})) {}

  std::atomic<std::uint64_t> done{0};     // items of the current backup
  std::atomic<std::uint64_t> total{0};    // items of the current backup
  std::atomic<std::uint64_t> earlier{0};  // processed items of the backups before it

  /// Begins to count the items of a backup. A run may process several backups.
  void begin(std::uint64_t items) {
    earlier += done.exchange(0);
    total = items;
    found_figure.add(static_cast<double>(items));
  }
  /// Counts a processed item.
  void add_one() {
    ++done;
    done_figure.add(1);
  }

  tenon::Figure done_figure;
  tenon::Figure found_figure;
};

/// Returns a line such as "[###   ] 5 of 10 items (2/s)". `since` is the time since the run began.
std::string progress_line(const Tally& tally, std::chrono::duration<double> since);

}  // namespace backup
