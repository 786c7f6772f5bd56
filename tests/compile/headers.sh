#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# headers.sh SOURCE GENERATED: compiles each public header alone. Says in TAP which did. The C headers
# are for C11 and C++17, those of the SDK and of values for C++17, those of the loader for C++20;
# what the generator wrote for hosts and plugins as well.
set -u
source=$1
generated=$2
count=0

# compiles HEADER COMPILER LANGUAGE STANDARD INCLUDE...
compiles() {
  header=$1 compiler=$2 language=$3 standard=$4
  shift 4
  count=$((count + 1))
  # Included twice, so that a missing guard shows; from a file of its own, so that clang does not
  # complain of #pragma once in a main file.
  if output=$(printf '#include "%s"\n#include "%s"\ntypedef int not_empty;\n' "$header" "$header" |
    "$compiler" -fsyntax-only -Wall -Wextra -pedantic -Werror -std="$standard" -x "$language" \
      "$@" - 2>&1); then
    echo "ok $count - $compiler $standard ${header#"$source"/}"
  else
    echo "not ok $count - $compiler $standard ${header#"$source"/}"
    echo "$output" | sed 's/^/# /'
  fi
}

# headers FOLDER PATTERN...: the files below a folder, if it is there
headers() {
  [ -d "$1" ] && find "$@" | sort
}

abi=-I$source/abi/include
sdk=-I$source/sdk/include
loader=-I$source/loader/include

for compiler in gcc clang; do
  for header in $(headers "$source/abi/include" -name '*.h'); do
    compiles "$header" $compiler c c11 "$abi"
  done
done
for compiler in g++ clang++; do
  for header in $(headers "$source/abi/include" -name '*.h'); do
    compiles "$header" $compiler c++ c++17 "$abi"
  done
  for header in $(headers "$source/abi/include" -name '*.hpp') \
    $(headers "$source/sdk/include" -name '*.hpp') \
    $(headers "$generated" -path '*/sdk/*.hpp'); do
    compiles "$header" $compiler c++ c++17 "$abi" "$sdk" "-I$generated"
  done
  for header in $(headers "$source/loader/include" -name '*.hpp') \
    $(headers "$generated" -name '*.hpp' ! -path '*/sdk/*'); do
    compiles "$header" $compiler c++ c++20 "$abi" "$loader" "-I$generated"
  done
done
echo "1..$count"
