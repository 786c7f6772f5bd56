#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# library.sh LIBRARY VERSION: whether the shared library exports tenon's own symbols only, and is named
# after the versions of tenon that are compatible with it.
set -u
library=$1
major=${2%%.*}
minor=${2#*.}
compatible=$major
[ "$major" != 0 ] || compatible=$major.${minor%%.*}

number=0
# check NAME OUTPUT: passes if the output is empty
check() {
  number=$((number + 1))
  if [ -z "$2" ]; then
    echo "ok $number - $1"
  else
    echo "$2" | sed 's/^/# /'
    echo "not ok $number - $1"
  fi
}

symbols=$(nm -DC --defined-only "$library" | cut -d' ' -f2-) || exit
echo 1..3
check 'exports symbols of tenon only' "$(echo "$symbols" |
  grep -Ev '^. ((typeinfo|typeinfo name|vtable) for )?tenon::')"
# A library with a unique symbol is never unloaded.
check 'has no unique symbol' "$(echo "$symbols" | grep '^u')"
check 'is named after the compatible versions' "$(readelf -dW "$library" | grep SONAME |
  grep -vF "[libtenon.so.$compatible]")"
