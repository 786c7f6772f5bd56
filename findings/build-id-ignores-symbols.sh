#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# ld.bfd of binutils 2.40 gives two different modules the same build ID.
#
# Debuggers and symbol servers look files up by build ID, and the manual of ld says that it is
# unique among all output files that differ. But the hash of ld.bfd leaves out the names in the
# static symbol table. If a local function gets another name of the same length, in a build without
# -g, the ID stays the same, and a symbolizer that finds the old file by ID prints the old name.
# ld.gold of the same package gives another ID.
#
# Output seen:
#   ld.bfd: alpha and bravo, files differ, same build ID
#   ld.gold: alpha and bravo, files differ, other build ID
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root binutils-x86-64-linux-gnu=2.40-2 \
  libbinutils=2.40-2 libctf0=2.40-2
for package in *.deb; do dpkg -x "$package" .; done
export LD_LIBRARY_PATH="$world/usr/lib/x86_64-linux-gnu"
tool=usr/bin/x86_64-linux-gnu

for name in alpha bravo; do
  mkdir $name
  echo "static __attribute__((noinline)) int $name(int n) { return n * 3; }
        int run(int n) { return $name(n) + 1; }" >$name/module.c
  (cd $name && cc -O1 -fPIC -c module.c)
done
for linker in bfd gold; do
  for name in alpha bravo; do
    $tool-ld.$linker -shared --build-id=sha1 -o $name.so $name/module.o
    $tool-readelf -n $name.so | grep 'Build ID' >$name.id
    $tool-nm $name.so | sed -n "s/.* t \(alpha\|bravo\)/\1/p" >$name.local
  done
  cmp -s alpha.so bravo.so && files=same || files=differ
  cmp -s alpha.id bravo.id && id=same || id=other
  echo "ld.$linker: $(cat alpha.local) and $(cat bravo.local), files $files, $id build ID"
done >found
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
