// SPDX-License-Identifier: BSL-1.0
//
// What becomes of the fields of a document type, or of a struct of it, between two neighbouring
// versions.
#pragma once

#include "gen/check/evolution_steps.hpp"
#include "gen/model/model.hpp"

#include <vector>

namespace tenon::gen {

/// The fields of one side: of a version of a document type, or of a struct there.
struct StepFields {
  std::string words;  // what has them, eg: "version 2", "'change' of version 2"
  const std::vector<Field>& fields;
};

/// Two sides that are compared, and what evolution.json says of them.
struct FieldsStep {
  StepFields older;
  StepFields newer;
  const JsonValue* changes;   // the object under "fields"; nullptr where there is none
  const Place& place;         // of that object, or of what should hold it
  std::string entries;        // for remedies: where entries go, eg: "the \"fields\" of the step"
  const DocumentStep& whole;  // its hook, and its pairs of structs and enums
};

/// Each field of the newer side in its order, then those that were removed; without origins.
/// Findings: differences that nothing explains, entries that explain nothing or contradict
/// themselves.
std::vector<FieldStep> read_field_steps(const FieldsStep& step, Findings& findings);

}  // namespace tenon::gen
