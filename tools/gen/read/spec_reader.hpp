// SPDX-License-Identifier: BSL-1.0
//
// Reads the spec file of one version of a kind or document type.
#pragma once

#include "gen/read/spec_files.hpp"
#include "gen/read/type_reader.hpp"

namespace tenon::gen {

/// Reads the rest of a version that declare_families has declared, as it has all document types.
/// The first version of a kind determines how the kind restarts.
void read_kind_version(const JsonValue& spec, const Documents& documents, Kind& kind,
                       KindVersion& version, Diagnostics& diagnostics);
void read_document_version(const JsonValue& spec, const Documents& documents,
                           DocumentVersion& version, Diagnostics& diagnostics);

}  // namespace tenon::gen
