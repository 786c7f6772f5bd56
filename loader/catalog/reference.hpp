// SPDX-License-Identifier: BSL-1.0
//
// References: texts that name a plugin.
#pragma once

#include <tenon/result.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "package/requirement.hpp"
#include "package/semver.hpp"

namespace tenon::inline v0_1::detail {

/// `[builtin:|standalone:]name[@version]`
struct Reference {
  enum class Origin { any, builtin, standalone };
  Origin origin = Origin::any;
  /// Always with a domain: `domain/name`.
  std::string name;
  /// The version of the package. A full version is for references that were stored. If it is
  /// absent, the best match replaces it: see `match_rank`. With an operator, or as a part of a
  /// version, it is a requirement. Without a version, the reference names the newest release.
  std::optional<Version> version{};
  std::optional<Requirement> requirement{};

  /// Parses a reference. A name without `/` gets `domain`. The version follows the last `@`, so a
  /// name with an `@` needs a version, eg: `me.example/a@b@*`. Error: bad-reference.
  static Result<Reference> parse(std::string_view text, std::string_view domain);

  /// Returns how well a version of the package matches: 0 exactly, 1 with the same major and minor
  /// number, 2 with the same major number, or nothing if it does not match. A prerelease matches
  /// only if the reference names it. Build metadata is ignored unless the reference names it.
  std::optional<int> match_rank(const Version& candidate) const;
};

}  // namespace tenon::inline v0_1::detail
