// SPDX-License-Identifier: BSL-1.0
#include "binary/library_lifetime.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// The beginning of the file names. abi/manifest.md lists the libraries for authors.
constexpr std::string_view going[] = {
    "libgflags",               // a second definition of a flag ends the process
    "libglog",                 // may be initialised once
    "libboost_log",            // calls sinks of the module
    "libboost_serialization",  // keeps the exported classes of the module
    "libboost_wserialization",
    "libQt5",  // calls constructors of meta types of the module
    "libQt6",
};

}  // namespace

bool goes_with_its_module(const std::filesystem::path& library) {
  const std::string name = library.filename().string();
  return std::any_of(std::begin(going), std::end(going),
                     [&](std::string_view begin) { return name.starts_with(begin); });
}

bool stays_mapped(const std::filesystem::path& library) {
  return !goes_with_its_module(library);
}

}}}  // namespace tenon::v0_1::detail
