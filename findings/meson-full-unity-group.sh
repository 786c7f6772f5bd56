#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# Meson 1.0.1 cannot put a static library into another one if all its unity groups are full.
#
# For link_whole, Meson lists the objects of the inner library. It counts one group for each
# unity_size files and one for the rest, also if there is no rest. So the build breaks when a file is
# added or removed, depending on how many there are. Directories that were built before still work,
# because they have the object of the last group.
#
# Output seen:
#   3 files in groups of 2: built
#   4 files in groups of 2: meson-generated_parts-unity2.c.o missing and no known rule to make it
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root meson=1.0.1-5
dpkg -x ./*.deb .
export PYTHONPATH="$world/usr/lib/python3/dist-packages"

for count in 3 4; do
  mkdir $count
  files=
  for i in $(seq $count); do
    echo "int part$i(void) { return $i; }" >"$count/$i.c"
    files="$files '$i.c',"
  done
  echo 'int whole(void) { return 0; }' >$count/whole.c
  cat >$count/meson.build <<END
project('parts', 'c', default_options: ['unity=on', 'unity_size=2'])
parts = static_library('parts', $files)
static_library('whole', 'whole.c', link_whole: parts)
END
  /usr/bin/python3 usr/bin/meson setup $count/build $count >messages
  if ninja -C $count/build >messages 2>&1; then
    result=built
  else
    result=$(sed -n "s/.*\/\(.*\)', needed by 'libwhole.a', /\1 /p" messages)
  fi
  echo "$count files in groups of 2: $result"
done >found
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
