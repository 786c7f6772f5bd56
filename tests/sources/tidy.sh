#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# tidy.sh BUILD: checks with clang-tidy all sources that BUILD compiles.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "$1/tidy"
# clang does not support this argument.
sed 's/ -fno-gnu-unique//' "$1/compile_commands.json" >"$1/tidy/compile_commands.json"
git ls-files '*.c' '*.cpp' |
  while read -r file; do
    if grep -qF "\"file\": \"../$file\"" "$1/compile_commands.json"; then echo "$file"; fi
  done |
  xargs -n 1 -P "$(nproc)" sh -c '
    output=$(clang-tidy --quiet -p "$0" "$@" 2>/dev/null) || { echo "$output"; exit 1; }' "$1/tidy"
