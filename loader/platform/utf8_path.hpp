// SPDX-License-Identifier: BSL-1.0
//
// Paths from texts in UTF-8. On Windows, std::filesystem::path reads a std::string in the code page
// of the system, while its function `string` returns UTF-8 with MinGW.
#pragma once

#include <filesystem>
#include <string_view>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Returns the path that a text names: on POSIX its bytes. On Windows, what is not valid UTF-8 is
/// replaced by U+FFFD.
std::filesystem::path path_from(std::string_view text);

}}}  // namespace tenon::v0_1::platform
