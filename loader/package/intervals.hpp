// SPDX-License-Identifier: BSL-1.0
//
// Sets of versions as intervals. In `total_order` every version has a next one (of 1.2.3 with
// whatever build metadata 1.2.4-0, of 1.2.4-0 that is 1.2.4-0.0), so that one form of interval is
// enough: with its lower end and without its upper end, and that lower end is always in it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "package/semver.hpp"

namespace tenon {

/// All versions from `low` on, below `high` if there is one.
struct Interval {
  Version low;
  std::optional<Version> high;

  friend bool operator==(const Interval& a, const Interval& b);
};

/// Sorted, none of them empty, with a gap behind each. Equal when they hold the same versions.
using Intervals = std::vector<Interval>;

bool contains(const Intervals& intervals, const Version& version);
Intervals intersection(const Intervals& a, const Intervals& b);
Intervals union_of(const Intervals& a, const Intervals& b);
/// Of intervals in any order, none of them empty.
Intervals union_of(Intervals all);

/// What is not in `intervals`.
Intervals complement(const Intervals& intervals);

/// The lowest version of all, and the lowest of one major.minor.patch: prereleases.
Version lowest();
Version lowest_of(const Version& version);

/// The lowest release behind `version` with another patch, minor or major number; nothing behind
/// the largest of 64 bits.
std::optional<Version> next_patch(const Version& version);
std::optional<Version> next_minor(const Version& version);
std::optional<Version> next_major(const Version& version);

/// The next behind this version, whatever its build metadata; and the next behind this one with
/// just this build metadata.
std::optional<Version> next_version(const Version& version);
Version next_build(const Version& version);

}  // namespace tenon
