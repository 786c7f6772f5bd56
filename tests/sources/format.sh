#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# Checks that the C and C++ files of the repository are formatted according to .clang-format, except
# the C headers that tenon-gen wrote.
set -eu
cd "$(dirname "$0")/../.."
git ls-files '*.c' '*.cpp' '*.h' '*.hpp' ':!abi/include/tenon/*/v*.h' |
  xargs clang-format --dry-run -Werror
