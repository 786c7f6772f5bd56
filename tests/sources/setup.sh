#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# setup.sh SOURCE: runs tools/setup as on a system without apt, which asks the compiler and
# pkg-config. Prints TAP.
set -u
setup=$1/tools/setup
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT

# All commands of this system except those of apt.
echo "$PATH" | tr : '\n' | while read -r directory; do
  [ ! -d "$directory" ] || find "$directory" -maxdepth 1 ! -type d ! -name 'apt-*' ! -name 'dpkg*' |
    while read -r file; do [ -e "$world/${file##*/}" ] || ln -s "$file" "$world"; done
done
without_apt() {
  env PATH="$world" "$@" 2>"$world/said"
}

number=0
# expects STATUS TEXT WHAT COMMAND...: TEXT is a part of the messages, or - if there may be none
expects() {
  status=$1
  text=$2
  what=$3
  shift 3
  number=$((number + 1))
  found=0
  without_apt "$@" || found=$?
  if [ $found = "$status" ] &&
    { if [ "$text" = - ]; then [ ! -s "$world/said" ]; else grep -qF "$text" "$world/said"; fi; }; then
    echo "ok $number - $what"
  else
    echo "not ok $number - $what"
    echo "# exit status $found"
    sed 's/^/# /' "$world/said"
  fi
}

echo 1..5
expects 0 - 'goes on when all is there' "$setup" build
expects 3 'libsodium.pc: hashes of files (Debian libsodium-dev; untried: Fedora libsodium-devel, ' \
  'names a library that pkg-config does not find' env PKG_CONFIG_LIBDIR=/nonexistent "$setup" build
rm "$world/sqlite3"
expects 3 '  sqlite3: ' 'names a missing command' "$setup" demo
expects 0 - 'looks only for the sections that are asked for' "$setup" build
rm "$world/c++"
expects 3 '<boost/json.hpp>: ' 'names a header that the compiler does not find' "$setup" build
