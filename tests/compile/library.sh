#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# library.sh LIBRARY VERSION: checks that the shared library exports only symbols of tenon, that it
# brings no library of C++ that plugins may contain in another version, and that its soname and the
# inline namespace name the versions that are compatible with VERSION, so that a process may contain
# several versions.
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

space=tenon::v$(echo "$compatible" | tr . _)
symbols=$(nm -DC --defined-only "$library" | cut -d' ' -f2-) || exit
soname=$(readelf -dW "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
echo 1..5
check "exports $space::Host" "$(echo "$symbols" | grep -q "T $space::Host::Host(" || echo missing)"
check 'exports no other symbols' "$(echo "$symbols" |
  grep -Ev "^. ((typeinfo|typeinfo name|vtable) for )?$space::")"
# libsodium has no headers with its code. The runtimes of the compiler are those of every plugin.
runtimes='lib(c|dl|m|pthread|gcc_s|stdc\+\+|c\+\+|c\+\+abi|unwind|gcov|asan|lsan|tsan|ubsan)\.so.*'
check 'needs only libsodium and the runtimes' "$(readelf -dW "$library" |
  sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
  grep -Ev "^(libsodium\.so.*|ld-linux.*|ld-musl.*|$runtimes)\$")"
# A library with a unique symbol is never unloaded.
check 'has no unique symbol' "$(echo "$symbols" | grep '^u')"
check "has the soname libtenon.so.$compatible" \
  "$([ "$soname" = "libtenon.so.$compatible" ] || echo "found: $soname")"
