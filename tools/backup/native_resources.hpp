// SPDX-License-Identifier: BSL-1.0
//
// The builtin resources of Kubernetes 1.31, including its alpha and beta versions.
#pragma once

#include <string_view>
#include <vector>

namespace backup {

struct NativeResource {
  std::string_view group;  // empty: the core group
  std::string_view kind;
  std::string_view plural;
  std::string_view short_names;  // separated by spaces
};

/// Returns the resources of the core group, then those of the other groups in the order in which an
/// API server lists them.
const std::vector<NativeResource>& native_resources();

}  // namespace backup
