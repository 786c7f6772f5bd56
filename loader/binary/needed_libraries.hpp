// SPDX-License-Identifier: BSL-1.0
//
// Finds the libraries that the files of a bundle need, without loading anything.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "binary/bundle.hpp"
#include "platform/library_search.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

struct NeededLibrary {
  std::string name;                 // eg: "libc.so.6"
  std::filesystem::path path{};     // empty if it is not found
  bool own = false;                 // belongs to the bundle
  bool default_directories = true;  // searched there as well
};

/// Returns the needed libraries, each once by name, in the order in which they are loaded. For a
/// file that does not search the default directories, libraries are found there only if this
/// process has loaded them. Any thread.
std::vector<NeededLibrary> needed_libraries(const Bundle& bundle,
                                            const platform::LibrarySearch& search);

}}}  // namespace tenon::v0_1::detail
