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

namespace tenon { inline namespace v0_1 { namespace detail {

/// How near a version is to the one that a reference names; the best first. The last two have the
/// same major and minor number, and the same major number.
enum class Match { exact, same_minor, same_major };

/// `[builtin:|standalone:]name[@version]`
struct Reference {
  enum class Origin { any, builtin, standalone };
  Origin origin = Origin::any;
  /// `domain/name`, or only the name if it was parsed without a domain.
  std::string name;
  /// The version of the package. A full version is for references that were stored. If it is
  /// absent, the best match replaces it: see `match`. With an operator, or as a part of a
  /// version, it is a requirement. Without a version, the reference names the newest release.
  std::optional<Version> version{};
  std::optional<Requirement> requirement{};

  /// Parses a reference. A name without `/` gets the domain, if there is one. The version follows
  /// the last `@`, so a name with an `@` needs a version, eg: `me.example/a@b@*`.
  /// Error: bad-reference.
  static Result<Reference> parse(std::string_view text, std::optional<std::string_view> domain);

  /// Returns how well a version of the package matches; absent if it does not. A prerelease matches
  /// only if the reference names it. Build metadata is ignored unless the reference names it.
  std::optional<Match> match(const Version& candidate) const;
  /// Returns whether the name has a domain.
  bool has_domain() const noexcept { return name.find('/') != std::string::npos; }
};

}}}  // namespace tenon::v0_1::detail
