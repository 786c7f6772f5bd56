// SPDX-License-Identifier: BSL-1.0
//
// How long the libraries of modules stay mapped.
#pragma once

#include <filesystem>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns whether a library of the system is unloaded with the module that brought it. Such a
/// library has a registry that keeps pointers to the module, or that accepts each entry once. All
/// others stay mapped until the process exits.
bool goes_with_its_module(const std::filesystem::path& library);
/// The opposite, as a condition for platform::keep_library.
bool stays_mapped(const std::filesystem::path& library);

}}}  // namespace tenon::v0_1::detail
