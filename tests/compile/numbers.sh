#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# numbers.sh SOURCE: parses numbers with the SDK and each standard library. libc++ 14 lacks
# std::from_chars for real numbers, so the SDK has a replacement. Prints TAP.
set -u
source=$1
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT

cat >"$world/expected" <<'END'
: - -
0: 0 0 ns
+2: 2 -
1.5e3: 1500 -
-2.5E-2: -0.025 -
.5: 0.5 -
5.: 5 -
-Inf: -inf -
NaN: nan -
nan(3): - -
e: - -
1e: - -
1.5x: - -
0x10: - -
1e999: - -
1e-999: - -
1e-310: 1e-310 -
1e-310x: - -
 1: - -
 inf: - -
1,5: - -
250ms: - 250000000 ns
1h30m: - 5400000000000 ns
-1.5s: - -1500000000 ns
1e3s: - -
infs: - -
END

echo 1..2
number=0
for compiler in 'g++' 'clang++ -stdlib=libc++'; do
  number=$((number + 1))
  # shellcheck disable=SC2086
  if $compiler -std=c++17 -I"$source/abi/include" -I"$source/sdk/include" \
    "$source/tests/compile/numbers.cpp" -o "$world/numbers" >"$world/log" 2>&1 &&
    "$world/numbers" 0 +2 1.5e3 -2.5E-2 .5 5. -Inf NaN 'nan(3)' e 1e 1.5x 0x10 1e999 1e-999 1e-310 1e-310x ' 1' ' inf' 1,5 \
      250ms 1h30m -1.5s 1e3s infs >"$world/printed" &&
    diff "$world/expected" "$world/printed" >"$world/log"; then
    echo "ok $number - $compiler"
  else
    sed 's/^/# /' "$world/log"
    echo "not ok $number - $compiler"
  fi
done
