// SPDX-License-Identifier: BSL-1.0
//
// Runs during the build. Prints the part of the description for `tenon -a photo` that is not in the
// specs.
#include <tenon/inspect.hpp>

#include <iostream>

#include "builtins.hpp"

int main() {
  std::cout << tenon::manifests_of(photo::builtins());
}
