#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# headers.sh SOURCE GENERATED: compiles each public and generated header alone. Prints TAP. C
# headers are compiled as C11 and C++17, headers of the SDK and of values as C++17, headers of the
# loader as C++20. The build uses g++, so most are compiled with clang here.
#
# Then compiles all headers of hosts and all of plugins as one source: with many warnings in each
# standard, without exceptions and type information, and with libc++.
set -u
source=$1
generated=$2
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT

# compile COMPILER STANDARD INCLUDE... : adds a line to the plan for each header on the input
compile() {
  while read -r header; do echo "$header $*"; done >>"$world/plan"
}

# headers DIRECTORY PATTERN...: lists the files below a directory
headers() {
  find "$@" | sort
}

abi=-I$source/abi/include
sdk=-I$source/sdk/include
loader=-I$source/loader/include

for compiler in gcc clang; do echo "$source/abi/include/tenon/abi.h" | compile $compiler c11 "$abi"; done
for compiler in g++ clang++; do
  echo "$source/abi/include/tenon/abi.h" | compile $compiler c++17 "$abi"
done
headers "$source/abi/include" -name 'v*.h' | compile gcc c11 "$abi"
headers "$source/abi/include" -name 'v*.h' | compile clang++ c++17 "$abi"
{
  headers "$source/abi/include" -name '*.hpp'
  headers "$source/sdk/include" -name '*.hpp' ! -name testing.hpp
  headers "$generated" -path '*/sdk/*.hpp'
} | compile clang++ c++17 "$abi" "$sdk" "-I$generated"
{
  headers "$source/loader/include" -name '*.hpp'
  headers "$generated" -name '*.hpp' ! -path '*/sdk/*'
} | compile clang++ c++20 "$abi" "$loader" "-I$generated"
# The header of the SDK for hosts.
echo "$source/sdk/include/tenon/sdk/testing.hpp" | compile clang++ c++20 "$abi" "$sdk" "$loader"

# The generated headers of the standard kinds are included like those of the system, because g++
# takes an enumerator `Duration` for a declaration that hides tenon::Duration.
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast -Werror'
all_host=$world/host.hpp
all_sdk=$world/sdk.hpp
core_sdk=$world/core_sdk.hpp
{
  headers "$source/loader/include" -name '*.hpp' ! -path '*/testing/*'
  headers "$generated" -name '*.hpp' ! -path '*/sdk/*'
} | sed 's/.*/#include "&"/' >"$all_host"
{
  headers "$source/sdk/include" -name '*.hpp' ! -name '*gtest*' ! -name testing.hpp
  headers "$generated" -path '*/sdk/*.hpp'
} | sed 's/.*/#include "&"/' >"$all_sdk"
# The base classes for pipelines use exceptions.
while read -r line; do
  header=${line#*\"}
  header=${header%\"*}
  grep -Eq 'needs exceptions|async_destination|holding_destination|batcher' "$header" ||
    echo "$line"
done <"$all_sdk" >"$core_sdk"
host_flags="$abi $loader -isystem $generated"
sdk_flags="$abi $sdk -isystem $generated"
for standard in c++20 c++2b; do
  echo "$all_host" | compile g++ $standard $warnings -Wuseless-cast $host_flags
done
echo "$all_host" | compile clang++ c++2b $warnings $host_flags
echo "$all_sdk" | compile g++ c++17 $warnings -Wuseless-cast $sdk_flags
echo "$all_sdk" | compile clang++ c++2b $warnings $sdk_flags
echo "$all_host" | compile g++ c++20 -fno-exceptions -fno-rtti $host_flags
echo "$core_sdk" | compile clang++ c++17 -fno-exceptions -fno-rtti $sdk_flags
echo "$all_host" | compile clang++ c++20 -stdlib=libc++ $host_flags
echo "$all_sdk" | compile clang++ c++17 -stdlib=libc++ $sdk_flags

# Includes each header twice, to detect a missing guard, and from another file, because clang warns
# about #pragma once in a main file.
echo "1..$(wc -l <"$world/plan")"
xargs -L 1 -P "$(nproc)" sh -c '
  header=$0 compiler=$1 standard=$2
  shift 2
  point="$compiler $standard $header"
  output=$(printf "#include \"%s\"\n#include \"%s\"\ntypedef int not_empty;\n" "$header" "$header" |
    "$compiler" -fsyntax-only -Wall -Wextra -pedantic -Werror -x "${standard%%[0-9]*}" \
      "-std=$standard" "$@" - 2>&1) && echo "ok $point" || {
    echo "$output" | sed "s/^/# /"
    echo "not ok $point"
  }' <"$world/plan"
