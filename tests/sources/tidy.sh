#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# tidy.sh BUILD: checks with clang-tidy all sources that BUILD compiles.
set -eu
cd "$(dirname "$0")/../.."
folder=$1/tidy
mkdir -p "$folder"
# clang does not support the first argument. Without the second, sources need their own includes.
sed 's/ -fno-gnu-unique//; s/ -fpch-preprocess -include [a-z]*\.hpp//' "$1/compile_commands.json" >"$folder/compile_commands.json"
c++ -std=c++17 -O1 -fPIC -fno-rtti -shared -isystem "$(clang -print-resource-dir)/../../../include" \
  -o "$folder/own-declarations.so" tests/sources/own_declarations.cpp
git ls-files '*.c' '*.cpp' |
  while read -r file; do
    if grep -qF "\"file\": \"../$file\"" "$1/compile_commands.json"; then echo "$file"; fi
  done |
  xargs -n 1 -P "$(nproc)" sh -c '
    output=$(clang-tidy --load="$0/own-declarations.so" --quiet -p "$0" "$@" 2>/dev/null) ||
      { echo "$output"; exit 1; }' "$folder"
