// SPDX-License-Identifier: BSL-1.0
//
// Declares all kinds and document types and their versions before the rest of the files is read,
// because types in one file may refer to another file.
#pragma once

#include "gen/model/model.hpp"
#include "gen/read/spec_files.hpp"

namespace tenon::gen {

/// A directory, and the kind or document type that its files define. One of the two is set.
struct DeclaredFamily {
  const SpecDirectory* directory;
  Kind* kind = nullptr;
  Document* document = nullptr;

  const Family& family() const noexcept;
};

/// Adds the kind or document type of each directory to the model. Its versions have only number and
/// names. Files that do not belong in their directory are reported and get no version.
std::vector<DeclaredFamily> declare_families(const SpecFiles& files, Model& model,
                                             Diagnostics& diagnostics);

}  // namespace tenon::gen
