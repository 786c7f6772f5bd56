// SPDX-License-Identifier: BSL-1.0
#include "package/intervals.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

using End = std::optional<Version>;

bool below(const Version& a, const Version& b) {
  return total_order(a, b) < 0;
}

// Compares upper ends. Nothing is the highest.
bool end_below(const End& a, const End& b) {
  return a && (!b || below(*a, *b));
}

bool is_empty(const Interval& interval) {
  return interval.high && !below(interval.low, *interval.high);
}

constexpr auto largest = std::numeric_limits<std::uint64_t>::max();

}  // namespace

bool operator==(const Interval& a, const Interval& b) {
  return total_order(a.low, b.low) == 0 && !end_below(a.high, b.high) && !end_below(b.high, a.high);
}

bool contains(const Intervals& intervals, const Version& version) {
  return std::any_of(intervals.begin(), intervals.end(), [&](const Interval& interval) {
    return !below(version, interval.low) && (!interval.high || below(version, *interval.high));
  });
}

Intervals intersection(const Intervals& a, const Intervals& b) {
  Intervals result;
  for (auto left = a.begin(), right = b.begin(); left != a.end() && right != b.end();) {
    Interval both = {.low = below(left->low, right->low) ? right->low : left->low,
                     .high = end_below(left->high, right->high) ? left->high : right->high};
    if (!is_empty(both)) result.push_back(std::move(both));
    end_below(left->high, right->high) ? ++left : ++right;
  }
  return result;
}

Intervals union_of(Intervals all) {
  std::sort(all.begin(), all.end(),
            [](const Interval& a, const Interval& b) { return below(a.low, b.low); });
  Intervals result;
  for (Interval& interval : all) {
    if (result.empty() || end_below(result.back().high, interval.low)) {
      result.push_back(std::move(interval));
    } else if (end_below(result.back().high, interval.high)) {
      result.back().high = std::move(interval.high);
    }
  }
  return result;
}

Intervals union_of(const Intervals& a, const Intervals& b) {
  Intervals all = a;
  all.insert(all.end(), b.begin(), b.end());
  return union_of(std::move(all));
}

Intervals complement(const Intervals& intervals) {
  Intervals result;
  Interval gap = {.low = lowest(), .high = {}};
  for (const Interval& interval : intervals) {
    gap.high = interval.low;
    if (!is_empty(gap)) result.push_back(gap);
    if (!interval.high) return result;
    gap = {.low = *interval.high, .high = {}};
  }
  result.push_back(std::move(gap));
  return result;
}

Version lowest() {
  return lowest_of({});
}

Version lowest_of(const Version& version) {
  return {
      .major = version.major, .minor = version.minor, .patch = version.patch, .prerelease = "0"};
}

std::optional<Version> next_patch(const Version& version) {
  if (version.patch == largest) return next_minor(version);
  return Version{.major = version.major, .minor = version.minor, .patch = version.patch + 1};
}

std::optional<Version> next_minor(const Version& version) {
  if (version.minor == largest) return next_major(version);
  return Version{.major = version.major, .minor = version.minor + 1};
}

std::optional<Version> next_major(const Version& version) {
  if (version.major == largest) return std::nullopt;
  return Version{.major = version.major + 1};
}

std::optional<Version> next_version(const Version& version) {
  if (version.prerelease.empty()) {
    auto next = next_patch(version);
    return next ? std::optional(lowest_of(*next)) : std::nullopt;
  }
  Version next = version;
  next.prerelease += ".0";
  next.build.clear();
  return next;
}

Version next_build(const Version& version) {
  Version next = version;
  next.build += "-";
  return next;
}

}}}  // namespace tenon::v0_1::detail
