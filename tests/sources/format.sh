#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# Whether the C and C++ files of the repository have the form that .clang-format says. The C headers
# that tenon-gen wrote have the generator's own.
set -eu
cd "$(dirname "$0")/../.."
git ls-files '*.c' '*.cpp' '*.h' '*.hpp' ':!abi/include/tenon/*/v*.h' |
  xargs clang-format --dry-run -Werror
