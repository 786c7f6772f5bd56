// SPDX-License-Identifier: BSL-1.0
//
// Reads how the versions of a document type became one another, and checks that it explains every
// difference.
#pragma once

#include "gen/model/model.hpp"
#include "gen/read/spec_files.hpp"

namespace tenon::gen {

/// Sets the steps of a document type whose versions have been read.
void read_document_steps(const SpecFolder& folder, Document& document, Findings& findings);

}  // namespace tenon::gen
