// SPDX-License-Identifier: BSL-1.0
//
// Persistent volumes of a cluster that lie in a folder of a machine: the resource says which one in
// spec.hostPath.path or spec.local.path.
#pragma once

#include <string>
#include <string_view>

namespace tenon::builtin {

/// The path in a resource; empty where it has none. Throws TENON_INVALID_ARGUMENT for what is no
/// JSON.
std::string path_in_volume(std::string_view resource);

/// The resource with another path. Throws TENON_INVALID_ARGUMENT where it has none.
std::string with_path(std::string_view resource, std::string_view path);

}  // namespace tenon::builtin
