// SPDX-License-Identifier: BSL-1.0
//
// Reads the spec file of one version of a kind or document type.
#pragma once

#include "gen/read/spec_files.hpp"
#include "gen/read/type_reader.hpp"

namespace tenon::gen {

/// Fills a version whose number and names are known already, as are those of all document types.
/// The first version of a kind that is read says how the kind restarts.
void read_kind_version(const JsonValue& spec, const Documents& documents, Kind& kind,
                       KindVersion& version, Findings& findings);
void read_document_version(const JsonValue& spec, const Documents& documents,
                           DocumentVersion& version, Findings& findings);

}  // namespace tenon::gen
