// SPDX-License-Identifier: BSL-1.0
//
// What the generator uses to read its files.
#pragma once

#include "reading/findings.hpp"
#include "reading/json_source.hpp"
#include "reading/json_value.hpp"
#include "reading/object_reader.hpp"

namespace tenon::gen {

using namespace tenon::reading;

}  // namespace tenon::gen
