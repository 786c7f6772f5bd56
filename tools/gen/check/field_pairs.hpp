// SPDX-License-Identifier: BSL-1.0
//
// Pairs the fields of two versions of a message, document or struct.
#pragma once

#include <string>
#include <vector>

#include "gen/check/part_pairs.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// The fields of one version of a message, document or struct.
struct StepFields {
  std::string words;  // the owner, eg: "version 2", "'change' of version 2"
  const std::vector<Field>& fields;

  StepVersion names() const { return {words, "field", fields}; }
};

/// A field that two versions have, or only one of them.
struct FieldPair {
  const Field* older;  // nullptr: added
  const Field* newer;  // nullptr: removed
};

/// Returns each field of the newer version in its order, then the removed ones. Reports fields that
/// only one version has and no entry explains. Hooks explain every difference.
std::vector<FieldPair> pair_fields(const StepFields& older, const StepFields& newer,
                                   const PartPairs& pairs);

/// Reports a field whose types do not convert. `note` follows the types.
void add_retyped(const FieldPair& pair, const PartPairs& pairs, const std::string& note,
                 const std::string& fix, Diagnostics& diagnostics);

}  // namespace tenon::gen
