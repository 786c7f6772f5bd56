// SPDX-License-Identifier: BSL-1.0
//
// References: text by which people and programs name a plugin.
#pragma once

#include <tenon/result.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "package/semver.hpp"

namespace tenon::detail {

/// `[builtin:|standalone:]name[@version]`
struct Reference {
  enum class Origin { any, builtin, standalone };
  Origin origin = Origin::any;
  /// Always `domain/name`.
  std::string name;
  /// Of the package; nothing means the newest release.
  std::optional<Version> version;

  /// A name without `/` gets `domain`. Error: wrong-reference.
  static Result<Reference> parse(std::string_view text, std::string_view domain);
};

}  // namespace tenon::detail
