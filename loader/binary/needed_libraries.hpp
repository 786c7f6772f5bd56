// SPDX-License-Identifier: BSL-1.0
//
// Which libraries a module and those beside it need, and whether they would be found. Nothing is
// loaded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "binary/bundle.hpp"
#include "platform/library_search.hpp"

namespace tenon {

struct NeededLibrary {
  std::string name;              // eg: "libc.so.6"
  std::filesystem::path path{};  // empty where it is not found
};

/// Each once, in the order in which they are loaded. Any thread.
std::vector<NeededLibrary> needed_libraries(const Bundle& bundle,
                                            const platform::LibrarySearch& search);

}  // namespace tenon
