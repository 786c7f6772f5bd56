// SPDX-License-Identifier: BSL-1.0
//
// Writes the conversions of a document type between its versions.
#pragma once

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

#include <string>
#include <vector>

namespace tenon::gen {

/// One way of a step: up, or down again.
struct StepWay {
  const DocumentStep* step;
  bool up;

  const DocumentVersion& from() const { return up ? *step->from : *step->to; }
  const DocumentVersion& to() const { return up ? *step->to : *step->from; }
};

/// The fields of a document or struct, as one way of a step sees them.
struct FieldWay {
  const FieldStep& field;
  bool up;

  const Field* source() const { return up ? field.older : field.newer; }
  const Field* target() const { return up ? field.newer : field.older; }
  const Origins& source_origins() const { return up ? field.older_origins : field.newer_origins; }
  const Origins& target_origins() const { return up ? field.newer_origins : field.older_origins; }
};

/// The class of the hand-written ends of a step: "RecordStep1To2".
std::string hand_class(const DocumentStep& step);

/// The steps that lead from one version to another, in their order.
std::vector<StepWay> steps_between(const Document& document, const DocumentVersion& from,
                                   const DocumentVersion& to);

/// The text of steps_header(document): all conversions, and the hand-written ends of some.
std::string emit_steps(const Document& document);

/// The functions that it declares, but for those written by hand.
void emit_conversions(Writer& out, const Document& document);

}  // namespace tenon::gen
