// SPDX-License-Identifier: BSL-1.0
//
// How specs write which version of a kind or document type they mean: 3, or "3preview1", the first
// preview of what is to become 3.
#pragma once

#include "gen/model/reading.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tenon::gen {

struct VersionName {
  int number = 0;
  int preview = 0;  // 0: none

  /// As names and documents write it, eg: "3", "3preview1"
  std::string label() const;
  /// As specs write it, eg: 3, "3preview1" with its quotes.
  std::string json() const;

  /// Previews stand before the release of their number.
  friend bool operator<(const VersionName& a, const VersionName& b) noexcept {
    return std::tuple(a.number, a.preview == 0, a.preview) <
           std::tuple(b.number, b.preview == 0, b.preview);
  }
  friend bool operator==(const VersionName& a, const VersionName& b) noexcept {
    return a.number == b.number && a.preview == b.preview;
  }
  friend bool operator!=(const VersionName& a, const VersionName& b) noexcept { return !(a == b); }
};

/// Of a label; nothing where the text is none. Numbers begin with 1 and have at most six digits.
std::optional<VersionName> parse_version(std::string_view label) noexcept;

/// Of a value in a spec; nothing where it is no version, which is a finding. `what` names it there.
std::optional<VersionName> read_version(const JsonValue& value, const std::string& what,
                                        Findings& findings);

/// Which of `versions`, ascending, `version` came from: for a preview the one before it of the same
/// number, else the newest release before it, or where there is none simply the one before it.
/// Nothing for the first.
std::optional<VersionName> neighbour_of(const VersionName& version,
                                        const std::vector<VersionName>& versions) noexcept;

}  // namespace tenon::gen
