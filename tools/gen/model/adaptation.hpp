// SPDX-License-Identifier: BSL-1.0
//
// How plugins of an older version of a kind are used as newer ones.
#pragma once

#include "gen/model/model.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tenon::gen {

/// A version of a kind, adapted to newer ones. Places are indices of kind.versions.
struct Adapted {
  const Kind& kind;
  std::size_t place;

  const KindVersion& version() const { return *kind.versions[place]; }
  /// The newest version that it can be adapted to; its own place where there is none.
  std::size_t newest() const;
  /// Why it cannot be adapted further than that. REQUIRED: there are newer versions.
  std::string refusal() const;

  /// The methods of the version at `to` that neither the plugin nor a hand-written step has.
  std::vector<std::string> missing_methods(std::size_t to) const;
  /// Those behind which the plugin has a method of its own, and the name of that.
  std::vector<std::pair<std::string, std::string>> own_methods(std::size_t to) const;
};

/// How the plugin, or the adapter of an older version, answers a method of the version at `place`.
const MethodStep& step_of(const Adapted& origin, std::size_t place, const Method& method);

}  // namespace tenon::gen
