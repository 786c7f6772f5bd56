// SPDX-License-Identifier: BSL-1.0
//
// How plugins of an older version of a kind are used as newer versions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// A version of a kind that is adapted to newer ones.
struct Adapted {
  const Kind& kind;
  std::size_t index;  // in kind.versions, like all indices here

  const KindVersion& version() const { return *kind.versions[index]; }
  /// Returns the index of the newest version that it can be adapted to; its own index if there is
  /// none.
  std::size_t newest() const;
  /// Returns why it cannot be adapted beyond newest(). Precondition: newer versions exist.
  std::string incompatibility() const;

  /// Returns the methods of the version at `to` that neither the plugin nor a hand-written step
  /// implements.
  std::vector<std::string> missing_methods(std::size_t to) const;
  /// Returns the methods of the version at `to` that the plugin implements itself, each with its
  /// name in the plugin.
  std::vector<std::pair<std::string, std::string>> own_methods(std::size_t to) const;
};

/// Returns how a method of the version at `index` is implemented on an older version.
const MethodStep& step_of(const Adapted& origin, std::size_t index, const Method& method);

}  // namespace tenon::gen
