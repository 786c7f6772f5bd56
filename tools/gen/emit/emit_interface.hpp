// SPDX-License-Identifier: BSL-1.0
//
// Generates the latest interface of a kind, which hosts use, and the base classes of the
// hand-written steps of its adapters.
#pragma once

#include <string>

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns the text of interface_header(kind).
std::string emit_interface(const Kind& kind);

/// Writes the plain forms of its methods, which create a Call and return owned values.
void emit_plain_forms(Writer& out, const Kind& kind);

/// Returns the class of the hand-written part of a step, eg: "FilterStep1"
std::string step_class(const KindStep& step);
/// Returns the function that creates it, eg: "make_filter_step1"
std::string step_factory(const KindStep& step);

}  // namespace tenon::gen
