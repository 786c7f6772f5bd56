// SPDX-License-Identifier: BSL-1.0
//
// Document types that are read from specs.
#pragma once

#include <tenon/document.hpp>

#include "constant_pool.hpp"
#include "gen/model/model.hpp"

namespace tenon::command {

/// Returns the type, whose documents are read, written and converted by an interpreter. Conversions
/// that need a hand-written step only have its name. The model must outlive the pool.
const DocumentType& described_type(const gen::Document& document, ConstantPool& pool);

}  // namespace tenon::command
