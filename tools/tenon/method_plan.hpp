// SPDX-License-Identifier: BSL-1.0
//
// The methods that a host has to call before another one may be called.
#pragma once

#include <optional>
#include <vector>

#include "gen/model/model.hpp"

namespace tenon::command {

/// Returns the methods that lead a new instance to a state in which `target` may be called, in
/// their order: first the one with the role `configure`, unless `target` may only be called before
/// it. Methods with required streams are not used. Returns nothing if no sequence leads there.
std::optional<std::vector<const gen::Method*>> methods_before(const gen::KindVersion& kind,
                                                              const gen::Method& target);

}  // namespace tenon::command
