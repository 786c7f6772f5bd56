// SPDX-License-Identifier: BSL-1.0
//
// Reads the evolution of a document type, and checks that it explains every difference between
// versions.
#pragma once

#include "gen/model/model.hpp"
#include "gen/read/spec_files.hpp"

namespace tenon::gen {

/// Reads the steps of a document type whose versions are already read.
void read_document_steps(const SpecDirectory& directory, Document& document,
                         Diagnostics& diagnostics);

}  // namespace tenon::gen
