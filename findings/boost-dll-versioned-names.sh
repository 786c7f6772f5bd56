#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# Boost.DLL 1.81 lists names of exported functions by which it does not find them, until the file is
# stripped.
#
# library_info lists what a library exports, and shared_library looks it up, so a good guess is that
# a program can list the functions of a plugin and then import one. But library_info prefers the
# table of symbols for debuggers, where GNU ld 2.40 writes the names of functions with the version
# of the symbol. In a stripped file, and in one that lld 14 links, names have no versions: they are
# found, and each is listed as often as there are versions of it.
#
# Output seen:
#   GNU ld: run@V1 not found, run@@V2 not found
#   GNU ld, stripped: run found, run found
#   lld: run found, run found
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root libboost1.81-dev=1.81.0-5+deb12u1 \
  binutils-x86-64-linux-gnu=2.40-2 libbinutils=2.40-2 libctf0=2.40-2 lld-14=1:14.0.6-12 \
  libllvm14=1:14.0.6-12
for package in *.deb; do dpkg -x "$package" .; done
libraries=$PWD/usr/lib/x86_64-linux-gnu
mkdir linkers
ln -s "$PWD/usr/lib/llvm-14/bin/lld" linkers/ld.lld
ln -s "$PWD/usr/bin/x86_64-linux-gnu-ld.bfd" linkers/ld.bfd

cat >plugin.c <<'END'
int run_1(void) { return 1; }
int run_2(void) { return 2; }
__asm__(".symver run_1, run@V1");
__asm__(".symver run_2, run@@V2");
END
cat >plugin.map <<'END'
V1 { global: run; local: *; };
V2 { global: run; } V1;
END
cat >host.cpp <<'END'
#include <boost/dll/library_info.hpp>
#include <boost/dll/shared_library.hpp>
#include <cstdio>
int main(int, char **arguments) {
  boost::dll::shared_library library(arguments[1]);
  const char *separator = "";
  for (const std::string &name : boost::dll::library_info(arguments[1]).symbols()) {
    std::printf("%s%s %s", separator, name.c_str(), library.has(name) ? "found" : "not found");
    separator = ", ";
  }
  std::puts("");
}
END
link() {
  LD_LIBRARY_PATH=$libraries cc -B"$PWD/linkers" -shared -fPIC -Wl,--version-script=plugin.map \
    "$@" plugin.c
}
link -fuse-ld=bfd -o bfd.so
link -fuse-ld=lld -o lld.so
LD_LIBRARY_PATH=$libraries usr/bin/x86_64-linux-gnu-strip -o stripped.so bfd.so
c++ -std=c++17 -DBOOST_DLL_USE_STD_FS -isystem usr/include -o host host.cpp -ldl
{
  echo "GNU ld: $(./host ./bfd.so)"
  echo "GNU ld, stripped: $(./host ./stripped.so)"
  echo "lld: $(./host ./lld.so)"
} >found
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
