// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <unistd.h>

#include <string>
#include <vector>

namespace tenon::tests {

/// Returns the command run without the capabilities that override file permissions, in case the
/// tests run as root.
inline std::vector<std::string> unprivileged(std::vector<std::string> command) {
  if (geteuid() == 0) {
    command.insert(command.begin(), {"setpriv", "--bounding-set=-dac_override,-dac_read_search"});
  }
  return command;
}

}  // namespace tenon::tests
