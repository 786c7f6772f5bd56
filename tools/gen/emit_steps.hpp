// SPDX-License-Identifier: BSL-1.0
//
// Writes the conversions of a document type between its versions.
#pragma once

#include "gen/model.hpp"
#include "gen/writer.hpp"

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

/// The steps that lead from one version to another, in their order.
std::vector<StepWay> steps_between(const Document& document, const DocumentVersion& from,
                                   const DocumentVersion& to);

/// The text of steps_header(document): all conversions, and the hand-written ends of some.
std::string emit_steps(const Document& document);

/// The functions that it declares, but for those written by hand.
void emit_conversions(Writer& out, const Document& document);

}  // namespace tenon::gen
