#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# tidy.sh BUILD: checks with clang-tidy all sources that BUILD compiles. It also reports what clang
# warns of, with the warnings that BUILD enables and those about mutexes.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "$1/tidy"
directory=$(cd "$1/tidy" && pwd)
c++ -std=c++17 -O1 -fPIC -fno-rtti -shared -isystem "$(clang-14 -print-resource-dir)/../../../include" \
  -o "$directory/own-declarations.so" tests/sources/own_declarations.cpp

# Parsing the headers of libraries again for each source takes most of the time. If modules are
# enabled, clang-tidy also preprocesses each source twice.
for standard in 17 20; do
  clang++-14 -std=c++$standard -Xclang -fno-cxx-modules -D_FILE_OFFSET_BITS=64 -DGTEST_HAS_PTHREAD=1 \
    -fpch-instantiate-templates -x c++-header tests/sources/tidy.hpp -o "$directory/c++$standard.pch"
done
# Removes flags that clang does not support, the precompiled headers of the compiler, and flags that
# clang requires to be the same in a precompiled header but that only change the generated code.
tests/sources/commands.py "$1" | sed "
  s/ -fno-gnu-unique//
  s/ -Wno-\(subobject-linkage\|maybe-uninitialized\|restrict\|stringop-[a-z]*\)//g
  s/ -fpch-preprocess -include [a-z]*\.hpp//
  s/ -O[0-3]//
  s/ -fPIC//
  s/ -pthread//
  s/ -fvisibility=hidden//
  s/ -fvisibility-inlines-hidden//
  / -fno-rtti/! s| -std=c++\([0-9]*\)|& -Xclang -fno-cxx-modules -include-pch $directory/c++\1.pch -Wthread-safety|
" >"$directory/compile_commands.json"

git ls-files '*.c' '*.cpp' |
  while read -r file; do
    if grep -qF "\"file\": \"../$file\"" "$directory/compile_commands.json"; then echo "$file"; fi
  done |
  xargs -n 1 -P "$(nproc)" sh -c '
    output=$(clang-tidy-14 --load="$0/own-declarations.so" --quiet -p "$0" "$@" 2>/dev/null) ||
      { echo "$output"; exit 1; }' "$directory"
