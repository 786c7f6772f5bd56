// SPDX-License-Identifier: BSL-1.0
//
// The plugins that change trees of directories need functions of POSIX.
#include "system_plugins.hpp"

namespace tenon::builtin {

const char* const system_properties = "";

sdk::Builtin with_system_plugins(sdk::Builtin package) {
  return package;
}

}  // namespace tenon::builtin
