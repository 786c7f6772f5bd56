#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# mold 1.10.1 gives a symbol another version than ld.bfd and ld.gold of binutils 2.40 do, with the
# same version script.
#
# A version script states the ABI of a library, so a good guess is that linkers agree about it.
# Below, the function read_v2 matches a pattern in each of two nodes. ld.bfd and ld.gold take the
# last node that matches, mold the first. The library that mold links lacks read_v2@@V2, which
# programs linked with the other one need. No linker warns.
#
# Output seen:
#   V1 has read*, V2 has *_v2: bfd read_v2@@V2, gold read_v2@@V2, mold read_v2@@V1
#   V1 has *_v2, V2 has read*: bfd read_v2@@V2, gold read_v2@@V2, mold read_v2@@V1
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root mold=1.10.1+dfsg-1 \
  binutils-x86-64-linux-gnu=2.40-2 libbinutils=2.40-2 libctf0=2.40-2
for package in *.deb; do dpkg -x "$package" .; done
export LD_LIBRARY_PATH=usr/lib/x86_64-linux-gnu
tool=usr/bin/x86_64-linux-gnu

echo 'int read_v1(void) { return 1; } int read_v2(void) { return 2; }' >library.c
cc -fPIC -c library.c
cp usr/bin/mold $tool-ld.mold
# link FIRST SECOND: prints the version of read_v2 with these patterns in the first and second node
link() {
  echo "V1 { global: $1; local: *; }; V2 { global: $2; } V1;" >script
  versions=
  for linker in bfd gold mold; do
    $tool-ld.$linker -shared --version-script=script -o library.so library.o
    versions="$versions, $linker $($tool-nm -D library.so | grep -o 'read_v2.*')"
  done
  echo "V1 has $1, V2 has $2:${versions#,}"
}
{
  link 'read*' '*_v2'
  link '*_v2' 'read*'
} >found
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
