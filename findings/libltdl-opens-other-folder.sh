#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# libltdl 2.4.7: lt_dlopenext("next/codec") loads live/codec.so although next/codec.so exists.
#
# To try a new release of a plugin, copy the folder of plugins, replace a file and give its path to
# the loader. A path with a folder should decide which file is loaded. But libltdl first reads the
# .la file that libtool installed beside the module. That file names the folder of the installation,
# and a module found there is loaded, even if the .la file and a newer module are in another folder.
#
# Output seen:
#   next/codec: release 1 from live
#   next/codec.so: release 2 from next
#   next/codec without next/codec.la: release 2 from next
#   next/codec after live is removed: release 2 from next
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root libtool-bin=2.4.7-7~deb12u1 \
  libltdl7=2.4.7-7~deb12u1 libltdl-dev=2.4.7-7~deb12u1
for package in *.deb; do dpkg -x "$package" .; done

mkdir live
echo 'const char *release(void) { return "release 1 from live"; }' >codec.c
libtool() {
  usr/bin/libtool --quiet --tag=CC "$@" >messages 2>&1
}
libtool --mode=compile cc -c codec.c
libtool --mode=link cc -module -avoid-version -rpath "$world/live" -o codec.la codec.lo
libtool --mode=install cp codec.la "$world/live"
cp -R live next
echo 'const char *release(void) { return "release 2 from next"; }' >codec.c
cc -shared -fPIC -o next/codec.so codec.c

cat >host.c <<'END'
#include <ltdl.h>
#include <stdio.h>
int main(int count, char **path) {
  lt_dlhandle module = lt_dlinit() || count < 2 ? 0 : lt_dlopenext(path[1]);
  const char *(*release)(void) = module ? (const char *(*)(void))lt_dlsym(module, "release") : 0;
  puts(release ? release() : lt_dlerror());
}
END
cc -Iusr/include -o host host.c usr/lib/x86_64-linux-gnu/libltdl.so.7
export LD_LIBRARY_PATH=usr/lib/x86_64-linux-gnu
{
  echo "next/codec: $(./host next/codec)"
  echo "next/codec.so: $(./host next/codec.so)"
  mv next/codec.la kept.la
  echo "next/codec without next/codec.la: $(./host next/codec)"
  mv kept.la next/codec.la
  rm -r live
  echo "next/codec after live is removed: $(./host next/codec)"
} >found
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
