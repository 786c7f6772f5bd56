// SPDX-License-Identifier: BSL-1.0
//
// Versions of packages: Semantic Versioning 2.0.0.
#pragma once

#include <tenon/result.hpp>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon { inline namespace v0_1 { namespace detail {

/// A version, eg: 1.4.0-rc.2+build.7. Comparisons use the precedence of the standard, which ignores
/// build metadata.
struct Version {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::uint64_t patch = 0;
  std::string prerelease{};  // identifiers joined by dots, without the '-'; empty for a release
  std::string build{};       // the same, without the '+'

  /// Parses a version by the grammar of the standard: three numbers, no "v", no white space, no
  /// leading zeros. Error: bad-version, also if major, minor or patch exceed 64 bits. Numbers in
  /// the prerelease may have any length.
  static Result<Version> parse(std::string_view text);

  /// Returns the text that `parse` reads as this version.
  std::string to_string() const;

  friend std::weak_ordering operator<=>(const Version& a, const Version& b);
  friend bool operator==(const Version& a, const Version& b) { return (a <=> b) == 0; }
};

/// Compares by the precedence of the standard, then by build metadata as text. Only identical
/// versions are equal.
std::strong_ordering total_order(const Version& a, const Version& b);

}}}  // namespace tenon::v0_1::detail
