#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# The host library of the Vamp SDK 2.10 hides one of two releases of a plugin if the names of their
# files differ after a dot.
#
# A host lists plugins and loads them by key, which consists of the name of the file and an
# identifier. Files of two releases have different names, so a good guess is that both can be
# loaded. But a key contains the name only up to the first dot, not without its extension: the keys
# of tempo-1.2.so and tempo-1.3.so are the same. Both files are opened, one key is listed, and it
# loads the file that was found first. No error or warning is printed.
#
# Output seen:
#   1.2 before 1.3: tempo-1:beat loads release 12
#   1.3 before 1.2: tempo-1:beat loads release 13
#   1-2 before 1-3: tempo-1-2:beat loads release 12, tempo-1-3:beat loads release 13
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root vamp-plugin-sdk=2.10.0-3 \
  libvamp-hostsdk3v5=2.10.0-3
for package in *.deb; do dpkg -x "$package" .; done
libraries=usr/lib/x86_64-linux-gnu

cat >plugin.c <<'END'
#include <vamp/vamp.h>
static VampPluginHandle create(const VampPluginDescriptor *plugin, float rate) {
  return rate > 0 ? (VampPluginHandle)plugin : 0;
}
static void destroy(VampPluginHandle plugin) { (void)plugin; }
static const VampPluginDescriptor beat = {
    .vampApiVersion = 2, .identifier = "beat", .name = "Beat", .description = "Finds beats.",
    .maker = "Example", .pluginVersion = RELEASE, .copyright = "None",
    .inputDomain = vampTimeDomain, .instantiate = create, .cleanup = destroy};
const VampPluginDescriptor *vampGetPluginDescriptor(unsigned version, unsigned index) {
  return version && !index ? &beat : 0;
}
END
cat >host.cpp <<'END'
#include <cstdio>
#include <memory>
#include <vamp-hostsdk/PluginLoader.h>
int main() {
  auto *loader = Vamp::HostExt::PluginLoader::getInstance();
  const char *separator = "";
  for (const std::string &key : loader->listPlugins()) {
    const std::unique_ptr<Vamp::Plugin> plugin(loader->loadPlugin(key, 44100));
    std::printf("%s%s loads release %d", separator, key.c_str(), plugin->getPluginVersion());
    separator = ", ";
  }
  std::puts("");
}
END
mkdir old new
cc -Iusr/include -DRELEASE=12 -shared -fPIC -o old/tempo-1.2.so plugin.c
cc -Iusr/include -DRELEASE=13 -shared -fPIC -o new/tempo-1.3.so plugin.c
c++ -std=c++17 -Iusr/include -o host host.cpp $libraries/libvamp-hostsdk.so.3
export LD_LIBRARY_PATH=$libraries
{
  echo "1.2 before 1.3: $(VAMP_PATH=old:new ./host)"
  echo "1.3 before 1.2: $(VAMP_PATH=new:old ./host)"
  mv old/tempo-1.2.so old/tempo-1-2.so
  mv new/tempo-1.3.so new/tempo-1-3.so
  echo "1-2 before 1-3: $(VAMP_PATH=old:new ./host)"
} >found
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
