// SPDX-License-Identifier: BSL-1.0
//
// Writes an SDK package: all that an author of plugins for one program needs, in one directory.
#pragma once

#include <filesystem>
#include <string>

#include "gen/emit/emit_sdk_package.hpp"
#include "gen/emit/output.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// The directories of an installation of tenon from which files are copied.
struct Installation {
  std::filesystem::path include;  // contains tenon/abi.h
  std::filesystem::path data;     // contains sdk/ and abi/
};

/// Writes the package for the kinds of `model`. Throws IoError.
void write_sdk_package(const Model& model, const SdkPackage& package, const Installation& installed,
                       const Output& output);

}  // namespace tenon::gen
