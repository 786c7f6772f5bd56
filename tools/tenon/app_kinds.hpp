// SPDX-License-Identifier: BSL-1.0
//
// Kinds that are read from specs, for hosts that inspect plugins but create none.
#pragma once

#include <tenon/detail/kind.hpp>

#include "constant_pool.hpp"
#include "gen/model/model.hpp"

namespace tenon::command {

/// Returns the kind without vtables. The model must outlive the pool.
const Kind& described_kind(const gen::Kind& kind, ConstantPool& pool);

}  // namespace tenon::command
