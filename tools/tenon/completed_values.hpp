// SPDX-License-Identifier: BSL-1.0
//
// The values that shells complete in the command line of `tenon`.
#pragma once

#include "common/completions.hpp"

namespace tenon::command {

/// Returns error codes, and the kinds and references of the plugins that the host of this command
/// would find.
tools::CompletedValues completed_values();

}  // namespace tenon::command
