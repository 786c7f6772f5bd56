// SPDX-License-Identifier: BSL-1.0
//
// Kinds as spec files describe them, for hosts that look at plugins and create none.
#pragma once

#include "gen/model/model.hpp"

#include <tenon/gen/kind.hpp>

#include "kept.hpp"

namespace tenon::command {

/// The kind without its tables. The model lives as long as what it is kept in.
const Kind& described_kind(const gen::Kind& kind, Kept& kept);

}  // namespace tenon::command
