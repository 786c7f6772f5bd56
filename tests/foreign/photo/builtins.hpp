// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tenon/abi.h>

#include <vector>

namespace photo {

/// The filters that are linked into the program.
std::vector<const tenon_module*> builtins();

}  // namespace photo
