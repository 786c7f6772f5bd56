// SPDX-License-Identifier: BSL-1.0
//
// The fingerprint of a version: equal for two specs if and only if callers across the ABI cannot
// distinguish them. Docs, the life cycle, properties and fields that were added after a release are
// not part of it.
#pragma once

#include <string>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns the text that is hashed, one fact a line. Precondition: the fingerprints of the document
/// types that the version uses are set.
std::string canonical_text(const KindVersion& version);
std::string canonical_text(const DocumentVersion& version);

/// Returns the same with the fields that were added after the release, and the types that they use.
std::string canonical_text_with_added(const KindVersion& version);
std::string canonical_text_with_added(const DocumentVersion& version);

/// Sets the fingerprints of all versions in the model. `documents` are all versions of document
/// types, each after those that it uses.
void set_fingerprints(Model& model, const std::vector<DocumentVersion*>& documents);

}  // namespace tenon::gen
