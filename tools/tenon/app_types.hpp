// SPDX-License-Identifier: BSL-1.0
//
// Document types as spec files describe them.
#pragma once

#include "gen/model/model.hpp"

#include <tenon/document.hpp>

#include "kept.hpp"

namespace tenon::command {

/// The type, whose documents are interpreted. Conversions that need a hand-written step are not
/// there; they say which it is. The model lives as long as what it is kept in.
const DocumentType& described_type(const gen::Document& document, Kept& kept);

}  // namespace tenon::command
