// SPDX-License-Identifier: BSL-1.0
//
// Sets of versions as intervals. In `total_order` every version has a successor: 1.2.4-0 follows
// 1.2.3 with any build metadata, and 1.2.4-0.0 follows 1.2.4-0. Therefore half-open intervals are
// enough.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "package/semver.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The versions from `low` up to, but not including, `high`, or without an upper limit.
struct Interval {
  Version low;
  std::optional<Version> high;

  friend bool operator==(const Interval& a, const Interval& b);
};

/// Sorted, non-empty intervals with gaps between them. Two lists are equal if they hold the same
/// versions.
using Intervals = std::vector<Interval>;

bool contains(const Intervals& intervals, const Version& version);
Intervals intersection(const Intervals& a, const Intervals& b);
Intervals union_of(const Intervals& a, const Intervals& b);
/// Returns the union of non-empty intervals in any order.
Intervals union_of(Intervals all);

/// Returns the versions that are not in `intervals`.
Intervals complement(const Intervals& intervals);

/// Return the lowest version, and the lowest one of a major.minor.patch. Both are prereleases.
Version lowest();
Version lowest_of(const Version& version);

/// Return the lowest release after `version` with another patch, minor or major number, or nothing
/// if the numbers exceed 64 bits.
std::optional<Version> next_patch(const Version& version);
std::optional<Version> next_minor(const Version& version);
std::optional<Version> next_major(const Version& version);

/// Return the successor of a version with any build metadata, and the successor of the version with
/// exactly this build metadata.
std::optional<Version> next_version(const Version& version);
Version next_build(const Version& version);

}}}  // namespace tenon::v0_1::detail
