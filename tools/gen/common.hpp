// SPDX-License-Identifier: BSL-1.0
//
// Makes the names of tools/common available in tenon::gen.
#pragma once

#include "common/diagnostics.hpp"
#include "common/json_reader.hpp"
#include "common/json_value.hpp"
#include "common/object_reader.hpp"

namespace tenon::gen {

using namespace tenon::tools;

}  // namespace tenon::gen
