// SPDX-License-Identifier: BSL-1.0
//
// The name of a version of a kind or document type: 3, or "3preview1" for the first preview of 3.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "gen/common.hpp"

namespace tenon::gen {

struct VersionName {
  int number = 0;
  int preview = 0;  // 0: none

  /// Returns the form in names and documents, eg: 3, 3preview1
  std::string label() const;
  /// Returns the form in specs, eg: 3, "3preview1" (with quotes)
  std::string json() const;

  /// Previews come before the release of their number.
  friend bool operator<(const VersionName& a, const VersionName& b) noexcept {
    return std::tuple(a.number, a.preview == 0, a.preview) <
           std::tuple(b.number, b.preview == 0, b.preview);
  }
  friend bool operator==(const VersionName& a, const VersionName& b) noexcept {
    return a.number == b.number && a.preview == b.preview;
  }
  friend bool operator!=(const VersionName& a, const VersionName& b) noexcept { return !(a == b); }
};

/// Parses a label. Returns nothing if it is invalid. Numbers start at 1 and have at most six
/// digits.
std::optional<VersionName> parse_version(std::string_view label) noexcept;

/// Reads a version in a spec. Returns nothing, and adds a diagnostic, if it is invalid. `subject`
/// names the value.
std::optional<VersionName> read_version(const JsonValue& value, const std::string& subject,
                                        Diagnostics& diagnostics);

/// Returns the version among `versions` (ascending) from which `version` was derived: for a preview
/// the previous preview of the same number; otherwise the newest earlier release, or if there is
/// none the previous version. Returns nothing for the first version.
std::optional<VersionName> neighbour_of(const VersionName& version,
                                        const std::vector<VersionName>& versions) noexcept;

}  // namespace tenon::gen
