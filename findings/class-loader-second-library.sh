#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# class_loader 2.4.0, the plugin loader of ROS: a ClassLoader for one library creates objects of
# another library.
#
# Each ClassLoader is made for one file, so a good guess is that two of them can hold two releases
# of a plugin. But libraries are opened with RTLD_GLOBAL, and the second one binds its class and its
# factory to the symbols of the first. Factories are in one map by class name, so the class also
# disappears from the first loader. A warning on standard error blames a library that is linked into
# the executable; there is none.
#
# Output seen:
#   first loader alone: release 1
#   first loader: Could not create instance of type plugin::Codec
#   second loader: release 1
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root libclass-loader-dev=2.4.0-2 \
  libclass-loader3d=2.4.0-2 librcpputils-dev=2.6.0-2 librcpputils1d=2.6.0-2 \
  librcutils-dev=6.0.1-1 librcutils1d=6.0.1-1 \
  libconsole-bridge-dev=1.0.1+dfsg2-3+b1 libconsole-bridge1.0=1.0.1+dfsg2-3+b1
for package in *.deb; do dpkg -x "$package" .; done
export LD_LIBRARY_PATH=usr/lib/x86_64-linux-gnu

cat >plugin.hpp <<'END'
#include <class_loader/class_loader.hpp>
struct Plugin {
  virtual ~Plugin() {}
  virtual const char *release() = 0;
};
END
cat >codec.cpp <<'END'
#include "plugin.hpp"
namespace plugin {
struct Codec : Plugin {
  const char *release() override { return RELEASE; }
};
}
CLASS_LOADER_REGISTER_CLASS(plugin::Codec, Plugin)
END
cat >host.cpp <<'END'
#include "plugin.hpp"
#include <cstdio>
void create(class_loader::ClassLoader &loader) {
  try {
    std::puts(loader.createUniqueInstance<Plugin>("plugin::Codec")->release());
  } catch (const class_loader::CreateClassException &error) {
    std::puts(error.what());
  }
}
int main() {
  class_loader::ClassLoader first("./release1.so");
  std::printf("first loader alone: ");
  std::puts(first.createUniqueInstance<Plugin>("plugin::Codec")->release());
  class_loader::ClassLoader second("./release2.so");
  std::printf("first loader: ");
  create(first);
  std::printf("second loader: ");
  create(second);
}
END
compile() {
  c++ -std=c++17 -fPIC -Iusr/include/class_loader -Iusr/include/rcpputils -Iusr/include/rcutils \
    -Iusr/include "$@" -Lusr/lib/x86_64-linux-gnu -lclass_loader -lrcpputils -lconsole_bridge
}
compile -shared '-DRELEASE="release 1"' -o release1.so codec.cpp
compile -shared '-DRELEASE="release 2"' -o release2.so codec.cpp
compile -o host host.cpp
./host >found 2>warnings
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
