// SPDX-License-Identifier: BSL-1.0
//
// Finds out which kinds and document types there are and in which versions, before the files are
// read any further: a type may name one that stands in another file.
#pragma once

#include "gen/model/model.hpp"
#include "gen/read/spec_files.hpp"

namespace tenon::gen {

/// A folder and what its files are versions of; one of `kind` and `document` is set.
struct DeclaredFamily {
  const SpecFolder* folder;
  Kind* kind = nullptr;
  Document* document = nullptr;

  const Family& family() const noexcept;
};

/// Adds a kind or document type with all its versions, empty but for number and names, for each
/// folder. Files that contradict their folder are findings and get no version.
std::vector<DeclaredFamily> declare_families(const SpecFiles& files, Model& model,
                                             Findings& findings);

}  // namespace tenon::gen
