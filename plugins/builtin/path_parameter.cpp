// SPDX-License-Identifier: BSL-1.0
#include "path_parameter.hpp"

namespace tenon::builtin {

std::string path_parameter(const sdk::Config& config, std::string_view name) {
  std::string path = config.get<std::string>(name);
  if (path.find('\0') != std::string::npos) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"", name, "\" has a NUL character");
  }
  return path;
}

}  // namespace tenon::builtin
