#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# chrpath 0.16 and patchelf 0.14.3 can rename an exported function when they change the run path.
#
# A run path looks like a string of its own, which a tool may overwrite. But GNU ld stores a string
# that ends another one only once, and names of symbols are in the same table. Below, the function
# `codec` is the last five bytes of the run path `/opt/acme/codec`. chrpath writes the new path over
# the old one and fills the rest with zeros. patchelf fills the old one with X, even if the new one
# is longer and is stored elsewhere. Both report success.
#
# Output seen:
#   linked: codec
#   chrpath -r /opt: an empty name
#   patchelf --set-rpath /opt: XXXXX
#   patchelf --set-rpath /opt/acme/plugins/codec: XXXXX
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root chrpath=0.16-2+b1 patchelf=0.14.3-1+b1
for package in *.deb; do dpkg -x "$package" .; done
PATH=$world/usr/bin:$PATH

echo 'int codec(void) { return 1; }' >module.c
cc -shared -fPIC -fuse-ld=bfd -Wl,-rpath,/opt/acme/codec -o linked.so module.c
# exported WHAT: prints the name of the function that module.so exports
exported() {
  name=$(nm -D --defined-only module.so | sed -n 's/.* T//p')
  [ -n "${name# }" ] || name=' an empty name'
  echo "$1:$name"
}
{
  cp linked.so module.so
  exported linked
  chrpath -r /opt module.so >messages
  exported 'chrpath -r /opt'
  for path in /opt /opt/acme/plugins/codec; do
    cp linked.so module.so
    patchelf --set-rpath $path module.so
    exported "patchelf --set-rpath $path"
  done
} >found
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
