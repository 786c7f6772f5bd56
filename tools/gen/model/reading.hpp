// SPDX-License-Identifier: BSL-1.0
//
// What the generator uses to read its files.
#pragma once

#include "common/findings.hpp"
#include "common/json_source.hpp"
#include "common/json_value.hpp"
#include "common/object_reader.hpp"

namespace tenon::gen {

using namespace tenon::reading;

}  // namespace tenon::gen
