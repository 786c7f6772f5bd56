// SPDX-License-Identifier: BSL-1.0
//
// Converts looks for `tenon convert -a photo`, with the step in look.cpp. With CMake,
// tenon_install_sdk builds this program.
#include <tenon/detail/converter.hpp>

#include <iostream>

int main() {
  tenon::answer_conversions(std::cin, std::cout);
}
