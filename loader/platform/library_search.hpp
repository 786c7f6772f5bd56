// SPDX-License-Identifier: BSL-1.0
//
// Where the system's loader looks for the libraries that a file needs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tenon::platform {

/// The places of a library with this name, in the order in which the system's loader tries them:
/// the folders of the environment, what the system's index says, the usual folders. There may be
/// nothing there, or a library for another machine.
std::vector<std::filesystem::path> library_places(const std::string& name);

}  // namespace tenon::platform
