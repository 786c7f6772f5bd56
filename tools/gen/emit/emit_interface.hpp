// SPDX-License-Identifier: BSL-1.0
//
// Writes what hosts program against: the latest interface of a kind, and the classes that the
// hand-written steps of its adapters are derived from.
#pragma once

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

#include <string>

namespace tenon::gen {

/// The text of interface_header(kind).
std::string emit_interface(const Kind& kind);

/// The plain forms of its methods: each has a Call of its own, and owned results.
void emit_plain_forms(Writer& out, const Kind& kind);

/// The class of the hand-written part of a step, eg: "FilterStep1"
std::string step_class(const KindStep& step);
/// The function that makes one, eg: "make_filter_step1"
std::string step_factory(const KindStep& step);

}  // namespace tenon::gen
