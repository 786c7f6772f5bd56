// SPDX-License-Identifier: BSL-1.0
//
// Which types of two neighbouring versions of a document type convert without a hand-written step.
#pragma once

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Whether values of one type become values of the other without a word.
bool converts(const DocumentStep& step, const Type& from, const Type& to);

/// Whether they do where the step says so: the newer type has a value for each one of the older,
/// and more besides. An integer or float32 becomes a larger one, an enum a text, both also in lists
/// and maps; a value becomes a list with one element.
bool widens(const DocumentStep& step, const Type& from, const Type& to);

}  // namespace tenon::gen
