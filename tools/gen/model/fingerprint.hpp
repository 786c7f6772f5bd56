// SPDX-License-Identifier: BSL-1.0
//
// The fingerprint of a version: the same for two specs that agree in all that matters to who calls
// across the ABI, and another for specs that do not. Texts for people, the life cycle,
// properties and fields that joined later do not count.
#pragma once

#include "gen/model/model.hpp"

#include <string>

namespace tenon::gen {

/// What is hashed: one line a fact, readable. The documents that it names have their fingerprints.
std::string canonical_text(const KindVersion& version);
std::string canonical_text(const DocumentVersion& version);

/// Sets the fingerprint of every version of the model; `documents` are all versions of document
/// types, each behind those that it names.
void set_fingerprints(Model& model, const std::vector<DocumentVersion*>& documents);

}  // namespace tenon::gen
