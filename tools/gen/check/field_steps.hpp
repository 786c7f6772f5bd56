// SPDX-License-Identifier: BSL-1.0
//
// Reads the changes of the fields of a document type, or of one of its structs, between two
// neighbouring versions.
#pragma once

#include <vector>

#include "gen/check/field_pairs.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// Two versions to compare, and their entries in evolution.json.
struct FieldComparison {
  StepFields older;
  StepFields newer;
  const JsonValue* entries;        // the object "fields"; nullptr: none
  const SourceLocation& location;  // of that object, or of the object that should contain it
  std::string place;               // for remedies, eg: "the \"fields\" of the step"
  const DocumentStep& whole;       // for its hook and its pairs of structs and enums
};

/// Returns each field of the newer version in its order, then the removed ones, all without
/// origins. Reports unexplained differences, and entries that explain nothing or are contradictory.
std::vector<FieldStep> read_field_steps(const FieldComparison& step, Diagnostics& diagnostics);

}  // namespace tenon::gen
