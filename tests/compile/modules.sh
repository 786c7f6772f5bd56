#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# modules.sh SOURCE GENERATED TENON: builds the example plugin in C and C++ with each compiler and
# linker, with options that drop unused sections, and checks with the command `tenon` that the file
# still has the note with the manifest. Prints TAP.
set -u
source=$1
generated=$2
tenon=$3
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT

dpkg=$source/plugins/examples/dpkg
include="-I$source/abi/include -I$source/sdk/include -I$generated"
common='-O2 -fPIC -shared -fvisibility=hidden -ffunction-sections -fdata-sections -Wl,--gc-sections'

# plan LINKER C_COMPILER CPP_COMPILER WAY
plan() {
  echo "$2 -std=c11 $dpkg/dpkg.c -fuse-ld=$1 $4"
  echo "$3 -std=c++17 $dpkg/dpkg.cpp -fuse-ld=$1 $4"
}

# For -flto, bfd and gold work with gcc, and lld with clang.
for linker in bfd gold lld; do
  plan $linker gcc g++ -s
  plan $linker clang clang++ -s
  if [ $linker = lld ]; then plan $linker clang clang++ -flto; else plan $linker gcc g++ -flto; fi
done >"$world/plan"

echo "1..$(wc -l <"$world/plan")"
number=0
while read -r compiler standard file how; do
  number=$((number + 1))
  module=$world/$number.so
  # shellcheck disable=SC2086
  if output=$("$compiler" "$standard" $common $include "$file" $how -o "$module" 2>&1) &&
    output=$("$tenon" inspect "$module" 2>&1) && echo "$output" | grep -q '^example.io/dpkg '; then
    echo "ok $number - $compiler $standard $how ${file##*/}"
  else
    echo "$output" | sed 's/^/# /'
    echo "not ok $number - $compiler $standard $how ${file##*/}"
  fi
done <"$world/plan"
