#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# Boost.Stacktrace 1.81 with libbacktrace prints functions of an unloaded plugin in the trace of the
# plugin that replaced it, and the right ones in another thread.
#
# A stack trace holds addresses of loaded modules, so a good guess is that their names are looked up
# in the modules that are loaded now. But each thread lists the modules at its first trace and never
# again. A plugin that takes the addresses of an unloaded one is printed with its names, files and
# lines, although dladdr() knows the new name. At other addresses, a plugin that is loaded later has
# no names.
#
# Output seen:
#   release 1: parse at release1.c:1
#   release 2, same thread: parse at release1.c:1
#   release 2, new thread: decode at release2.c:3
#   release 2, dladdr(): decode
#   release 1 beside it, same thread: ADDRESS in ./release1.so
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root libboost-stacktrace1.81-dev=1.81.0-5+deb12u1 \
  libboost-stacktrace1.81.0=1.81.0-5+deb12u1 libboost1.81-dev=1.81.0-5+deb12u1
for package in *.deb; do dpkg -x "$package" .; done
libraries=$PWD/usr/lib/x86_64-linux-gnu

echo 'void parse(void (*trace)(void)) { trace(); }' >release1.c
printf '\n\nvoid decode(void (*trace)(void)) { trace(); }\n' >release2.c
for release in 1 2; do
  cc -g -shared -fPIC -o release$release.so release$release.c
done
cat >host.cpp <<'END'
#define BOOST_STACKTRACE_DYN_LINK
#include <boost/stacktrace.hpp>
#include <cstdio>
#include <dlfcn.h>
#include <thread>
using Function = void (*)(void (*)());
void print_caller() { std::puts(to_string(boost::stacktrace::stacktrace(1, 1)[0]).c_str()); }
void call(const char *title, Function function) {
  std::printf("%s: ", title);
  function(print_caller);
}
int main() {
  void *module = dlopen("./release1.so", RTLD_NOW);
  call("release 1", Function(dlsym(module, "parse")));
  dlclose(module);
  module = dlopen("./release2.so", RTLD_NOW);
  const auto decode = Function(dlsym(module, "decode"));
  call("release 2, same thread", decode);
  std::thread(call, "release 2, new thread", decode).join();
  Dl_info info;
  dladdr(reinterpret_cast<void *>(decode), &info);
  std::printf("release 2, dladdr(): %s\n", info.dli_sname);
  module = dlopen("./release1.so", RTLD_NOW);
  call("release 1 beside it, same thread", Function(dlsym(module, "parse")));
}
END
c++ -std=c++17 -isystem usr/include -o host host.cpp -L"$libraries" \
  -lboost_stacktrace_backtrace -ldl
LD_LIBRARY_PATH=$libraries ./host | sed "s|$world/||; s|0x[0-9A-F]*|ADDRESS|" >found
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
