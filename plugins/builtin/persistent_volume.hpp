// SPDX-License-Identifier: BSL-1.0
//
// Persistent volumes of a cluster that are directories of a machine. The path of the directory is
// spec.hostPath.path or spec.local.path of the resource.
#pragma once

#include <string>
#include <string_view>

namespace tenon::builtin {

/// Returns the path in a resource, or an empty text if it has none. Throws TENON_INVALID_ARGUMENT
/// if the resource is not JSON.
std::string path_in_volume(std::string_view resource);

/// Returns the resource with another path. Throws TENON_INVALID_ARGUMENT if it has no path.
std::string with_path(std::string_view resource, std::string_view path);

}  // namespace tenon::builtin
