// SPDX-License-Identifier: BSL-1.0
//
// For commands whose sources are compiled with the points of base/test_point.hpp: runs a command of
// the shell, TENON_ACTOR, when the command comes to the point TENON_POINT for the first time.
#include <cstdlib>
#include <string_view>

#include "base/test_point.hpp"

namespace tenon::tests {

void reach(std::string_view point) noexcept {
  const char* wanted = std::getenv("TENON_POINT");
  const char* actor = std::getenv("TENON_ACTOR");
  if (wanted == nullptr || actor == nullptr || point != wanted) return;
  ::unsetenv("TENON_POINT");  // the actor may be a command with points, too
  if (std::system(actor) != 0) std::abort();
}

}  // namespace tenon::tests
