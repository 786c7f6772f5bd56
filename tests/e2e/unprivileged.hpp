// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <unistd.h>

#include <string>
#include <vector>

namespace tenon::tests {

/// The command as permissions of files stop it, also where the tests run as root: without the
/// capabilities to pass over them.
inline std::vector<std::string> unprivileged(std::vector<std::string> command) {
  if (geteuid() == 0) {
    command.insert(command.begin(), {"setpriv", "--bounding-set=-dac_override,-dac_read_search"});
  }
  return command;
}

}  // namespace tenon::tests
