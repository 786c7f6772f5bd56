// SPDX-License-Identifier: BSL-1.0
//
// A converter with the document types of the tests, like one that an app installs.
#include <tenon/detail/converter.hpp>

#include <iostream>

int main() {
  tenon::answer_conversions(std::cin, std::cout);
}
