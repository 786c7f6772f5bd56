#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# tidy.sh BUILD: whether clang-tidy finds nothing in the sources that BUILD compiles.
set -eu
cd "$(dirname "$0")/../.."
# What g++ was told and clang does not know.
database=$(mktemp -d)
trap 'rm -rf "$database"' EXIT
sed 's/ -fno-gnu-unique//' "$1/compile_commands.json" >"$database/compile_commands.json"
git ls-files '*.c' '*.cpp' |
  while read -r file; do
    if grep -qF "\"file\": \"../$file\"" "$1/compile_commands.json"; then echo "$file"; fi
  done |
  xargs -n 2 -P "$(nproc)" sh -c '
    output=$(clang-tidy --quiet -p "$0" "$@" 2>/dev/null) || { echo "$output"; exit 1; }' "$database"
