// SPDX-License-Identifier: BSL-1.0
//
// What the manifest of a module states about unloading its code.
#pragma once

#include <string>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace detail {

struct UnloadStatement {
  bool joins_threads = false;          // no thread of the module outlives its `stop`
  std::vector<std::string> handled{};  // libraries whose rules do not apply to it

  friend bool operator==(const UnloadStatement&, const UnloadStatement&) = default;
};

}}}  // namespace tenon::v0_1::detail
