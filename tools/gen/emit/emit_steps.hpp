// SPDX-License-Identifier: BSL-1.0
//
// Generates the conversions of a document type between its versions.
#pragma once

#include <string>
#include <vector>

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// One direction of a step: up or down.
struct DirectedStep {
  const DocumentStep* step;
  bool up;

  const DocumentVersion& from() const { return up ? *step->from : *step->to; }
  const DocumentVersion& to() const { return up ? *step->to : *step->from; }
};

/// A field of a document or struct in one direction of a step.
struct DirectedField {
  const FieldStep& field;
  bool up;

  const Field* source() const { return up ? field.older : field.newer; }
  const Field* target() const { return up ? field.newer : field.older; }
  const Origins& source_origins() const { return up ? field.older_origins : field.newer_origins; }
  const Origins& target_origins() const { return up ? field.newer_origins : field.older_origins; }
};

/// Returns the class of the hand-written part of a step: "RecordStep1To2".
std::string hook_class(const DocumentStep& step);

/// Returns the steps that lead from one version to another, in order.
std::vector<DirectedStep> steps_between(const Document& document, const DocumentVersion& from,
                                        const DocumentVersion& to);

/// Returns the text of steps_header(document): all conversions, and the classes of hand-written
/// parts.
std::string emit_steps(const Document& document);

/// Writes the functions that the header declares, except the hand-written ones.
void emit_conversions(Writer& out, const Document& document);

}  // namespace tenon::gen
