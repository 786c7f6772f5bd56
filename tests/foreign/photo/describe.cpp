// SPDX-License-Identifier: BSL-1.0
//
// Runs in the build: prints the part of the description for `tenon -a photo` that the specs do not
// hold.
#include <tenon/inspect.hpp>

#include <iostream>

#include "builtins.hpp"

int main() {
  std::cout << tenon::manifests_of(photo::builtins());
}
