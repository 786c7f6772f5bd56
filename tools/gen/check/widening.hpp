// SPDX-License-Identifier: BSL-1.0
//
// Determines which types of two neighbouring versions convert without a hand-written step.
#pragma once

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Whether values of one type convert to the other without metadata.
bool converts(const DocumentStep& step, const Type& from, const Type& to);

/// Whether they convert with "widened": the newer type has a value for each value of the older
/// type, and further ones. An integer or float32 becomes a larger type, an enum becomes a string,
/// both also in lists and maps; a value becomes a list with one element.
bool widens(const DocumentStep& step, const Type& from, const Type& to);

}  // namespace tenon::gen
