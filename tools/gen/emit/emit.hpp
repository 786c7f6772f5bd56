// SPDX-License-Identifier: BSL-1.0
//
// Writes what is generated from a Model.
#pragma once

#include "gen/model/model.hpp"
#include "gen/read/output.hpp"

#include <string>

namespace tenon::gen {

/// The C header of each version that was not installed with tenon, such as "photo/filter/v1.h".
void emit_c_headers(const Model& model, const Output& output);

/// Everything that a program and its plugins need of the kinds: headers below `include/`, and
/// `<name>.cpp`, which the program compiles once. A spec that disappears leaves its files behind.
void emit_all(const Model& model, const std::string& name, const Output& output);

}  // namespace tenon::gen
