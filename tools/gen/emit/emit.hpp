// SPDX-License-Identifier: BSL-1.0
//
// Generates all files of a Model.
#pragma once

#include <string>
#include <vector>

#include "gen/emit/emit_host.hpp"
#include "gen/emit/output.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// Writes the C headers of all versions, except the standard ones: "photo/filter/v1.h".
void emit_c_headers(const Model& model, const Output& output);

/// Writes the schemas of all document types, except the standard ones: of stored documents
/// "photo.example/look.schema.json", of bare ones "photo.example/look/v1.schema.json".
void emit_schemas(const Model& model, const Output& output);

/// Writes all generated files: headers below `include/`, schemas below `schemas/`, `<name>.cpp`,
/// which the program compiles, `<name>_test.cpp`, and `<name>_missing_steps.cpp`. Files of specs
/// that no longer exist are not removed.
void emit_all(const Model& model, const std::string& name, const Output& output);

/// Returns the generated headers that plugins include, except the standard C headers.
std::vector<GeneratedHeader> emit_sdk_headers(const Model& model);

/// Returns the paths of the standard C headers that these headers include.
std::vector<std::string> standard_c_headers(const Model& model);

}  // namespace tenon::gen
