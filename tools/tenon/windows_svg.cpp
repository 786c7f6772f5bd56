// SPDX-License-Identifier: BSL-1.0
#include <iostream>

#include "svg.hpp"

namespace tenon::command {

Exit print_svg(const std::string&) {
  std::cerr << "tenon graph: on Windows, tenon does not run Graphviz\n"
            << "   fix     pass the output of --format dot to dot -Tsvg, or use --format mermaid\n";
  return io_error;
}

}  // namespace tenon::command
