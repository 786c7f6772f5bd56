// SPDX-License-Identifier: BSL-1.0
//
// Finds symbols that the dynamic loader would not resolve, without loading anything.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "binary/bundle.hpp"
#include "platform/library_search.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the symbols that files of the bundle need and that neither the host nor a library that
/// is loaded with the host or the bundle exports: sorted, each once. The host is the executable
/// `program`, or this process if that is empty. Returns nothing if a needed library cannot be read,
/// because it may export them. A symbol that is needed in a version is written `name@VERSION`; a
/// version that a library lacks is written `version VERSION of LIBRARY` if none of the symbols
/// needs it. REQUIRED: the bundle has its contents.
std::optional<std::vector<std::string>> undefined_symbols(
    const Bundle& bundle, const platform::LibrarySearch& search,
    const std::filesystem::path& program = {});

}}}  // namespace tenon::v0_1::detail
