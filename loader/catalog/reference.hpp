// SPDX-License-Identifier: BSL-1.0
//
// References: text by which people and programs name a plugin.
#pragma once

#include <tenon/result.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "package/requirement.hpp"
#include "package/semver.hpp"

namespace tenon::detail {

/// `[builtin:|standalone:]name[@version]`
struct Reference {
  enum class Origin { any, builtin, standalone };
  Origin origin = Origin::any;
  /// Always `domain/name`.
  std::string name;
  /// Of the package. A whole version, as stored objects name it, also takes the next best one where
  /// it is absent: see `step_down`. With an operator or only a part of a version it is a
  /// requirement. Nothing means the newest release.
  std::optional<Version> version{};
  std::optional<Requirement> requirement{};

  /// A name without `/` gets `domain`. The version follows the last `@`. A reference to a name
  /// with an `@` therefore needs a version, eg: `me.example/a@b@*`. Error: bad-reference.
  static Result<Reference> parse(std::string_view text, std::string_view domain);

  /// How far a version of the package is from what is asked for: 0 it is that, 1 another with the
  /// same major and minor number, 2 with the same major number; nothing: it will not do. What is no
  /// release will only do where it is asked for. Build metadata counts only where it is named.
  std::optional<int> step_down(const Version& candidate) const;
};

}  // namespace tenon::detail
