#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# Checks the C and C++ files: their form is that of .clang-format; comments, which clang-format does
# not wrap, are at most 100 columns wide; loops in C++ count with `++i`. The generator has its own
# form for C headers.
set -eu
cd "$(dirname "$0")/../.."
sources() {
  git ls-files '*.c' '*.cpp' '*.h' '*.hpp' ':!abi/include/tenon/*/v*.h'
}
# Few processes for all files: starting one takes longer than formatting a file.
sources | xargs clang-format-14 --dry-run --Werror
sources | xargs awk '
  length > 100 && /^ *(\/\/|\*)/ { print FILENAME ":" FNR ": the comment is wider than 100 columns"; wide = 1 }
  END { exit wide }'
sources | grep 'pp$' | xargs awk '
  /for \(.*; [a-z_]+(\+\+|--)[,)]/ { print FILENAME ":" FNR ": write ++i rather than i++"; after = 1 }
  END { exit after }'
