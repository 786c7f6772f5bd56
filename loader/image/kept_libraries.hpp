// SPDX-License-Identifier: BSL-1.0
//
// Keeps the libraries that modules bring into the process, see platform/kept_libraries.hpp.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "binary/bundle.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The libraries that the files of a bundle need and that do not belong to it.
struct SystemLibraries {
  std::vector<std::filesystem::path> paths = {};
  /// A library that is loaded with the module, because it cannot be loaded alone.
  struct NotAlone {
    std::string name;
    std::filesystem::path needed_by;
  };
  std::optional<NotAlone> not_alone = std::nullopt;
};

/// Loads those libraries from where the dynamic loader finds them for the bundle, and keeps them
/// mapped. Does nothing about those that are loaded already. REQUIRED: no lock is held.
SystemLibraries keep_libraries(const Bundle& bundle);

/// Returns an error if the file of a kept library, which one of `libraries` is, was replaced.
/// `reason` is the error of the dynamic loader, for the module `file`.
std::optional<Error> replaced_library(const SystemLibraries& libraries,
                                      const std::filesystem::path& file, const std::string& reason);

}}}  // namespace tenon::v0_1::detail
