// SPDX-License-Identifier: BSL-1.0
//
// Symbols that the system's loader would not find. Nothing is loaded.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "binary/bundle.hpp"
#include "platform/library_search.hpp"

namespace tenon {

/// The symbols that files of the bundle need and that neither the host nor any library that is
/// loaded with it or with them exports, by name and each once. The host is the executable
/// `program`, or where that is empty this process. Nothing where a needed library cannot be read:
/// it may have them. A symbol that is needed in a version is written `name@VERSION`; a version that
/// a library lacks and none of them has, `version VERSION of LIBRARY`. REQUIRED: the bundle has its
/// contents.
std::optional<std::vector<std::string>> undefined_symbols(
    const Bundle& bundle, const platform::LibrarySearch& search,
    const std::filesystem::path& program = {});

}  // namespace tenon
