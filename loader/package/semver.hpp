// SPDX-License-Identifier: BSL-1.0
//
// Versions of packages: Semantic Versioning 2.0.0, exactly.
#pragma once

#include <tenon/result.hpp>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon {

/// One version, eg: 1.4.0-rc.2+build.7. Ordered by the precedence of the standard, in which the
/// build metadata does not count: versions that differ in nothing else are equal here.
struct Version {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::uint64_t patch = 0;
  std::string prerelease{};  // identifiers joined by dots, without the '-'; empty for a release
  std::string build{};       // the same behind the '+'

  /// Reads exactly the grammar of the standard: no "v", no white space, no leading zero, three
  /// numbers. Error: bad-version, also for major, minor and patch past 64 bits. Numbers in the
  /// prerelease may have any length.
  static Result<Version> parse(std::string_view text);

  /// The text that `parse` reads as this version.
  std::string to_string() const;

  friend std::weak_ordering operator<=>(const Version& a, const Version& b);
  friend bool operator==(const Version& a, const Version& b) { return (a <=> b) == 0; }
};

/// The order of the standard, and of versions that are equal there, the order of their build
/// metadata as text. Only what is the same to the letter is equal.
std::strong_ordering total_order(const Version& a, const Version& b);

}  // namespace tenon
