#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# Lua 5.1.5, 5.2.4 and 5.4.4 and LuaJIT 2.1: `require "net-v2"` calls different functions of the
# same C module.
#
# A hyphen in the name of a C module separates its name from a version, so that several releases can
# be installed. Lua 5.1 and LuaJIT derive the entry point from the text after the hyphen, so a good
# guess is that all do. Lua 5.2 and newer first try the text before it. A module that exports both
# functions is opened through the other one after a change of interpreter.
#
# Output seen:
#   lua5.1: v2-net calls luaopen_net, net-v2 calls luaopen_v2
#   lua5.2: v2-net calls luaopen_v2, net-v2 calls luaopen_net
#   lua5.4: v2-net calls luaopen_v2, net-v2 calls luaopen_net
#   luajit: v2-net calls luaopen_net, net-v2 calls luaopen_v2
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root lua5.1=5.1.5-9 lua5.2=5.2.4-3 \
  lua5.4=5.4.4-3+deb12u1 luajit=2.1.0~beta3+git20220320+dfsg-4.1+deb12u1 \
  libluajit-5.1-2=2.1.0~beta3+git20220320+dfsg-4.1+deb12u1
for package in *.deb; do dpkg -x "$package" .; done
export LD_LIBRARY_PATH=usr/lib/x86_64-linux-gnu

cat >module.c <<'END'
void lua_pushstring(void *lua, const char *text);
int luaopen_net(void *lua) { lua_pushstring(lua, "luaopen_net"); return 1; }
int luaopen_v2(void *lua) { lua_pushstring(lua, "luaopen_v2"); return 1; }
END
cc -shared -fPIC -o net-v2.so module.c
cp net-v2.so v2-net.so
for lua in lua5.1 lua5.2 lua5.4 luajit; do
  usr/bin/$lua -e "
    package.cpath = './?.so'
    local prefixed, suffixed = require 'v2-net', require 'net-v2'
    print('$lua: v2-net calls ' .. prefixed .. ', net-v2 calls ' .. suffixed)"
done >found
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
