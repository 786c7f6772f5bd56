#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# packages.sh BUILD: makes Debian packages from BUILD, checks them, unpacks them into a root, and
# builds the program and the plugin of the README against that root. Prints TAP.
set -u
tenon=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
command -v dpkg-deb >/dev/null || {
  echo '1..0 # SKIP no dpkg-deb'
  exit
}
export SOURCE_DATE_EPOCH=1790000000 # sources without git have no last commit

world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
root=$world/root
lib=usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
count=0

# step NAME COMMAND...: runs one point of the plan; stops after a failure
step() {
  count=$((count + 1))
  name=$1
  shift
  if "$@" >"$world/log" 2>&1; then
    echo "ok $count - $name"
  else
    echo "not ok $count - $name"
    sed 's/^/# /' "$world/log"
    echo "1..$count"
    exit 1
  fi
}

# refused TEXT [BUILD]: the script fails with an error that contains the text, and writes nothing
refused() {
  text=$1
  shift
  ! "$tenon/tools/package" deb "$@" >"$world/out" 2>"$world/errors" || return
  cat "$world/errors"
  grep -F "$text" "$world/errors" && ! [ -s "$world/out" ] && ! [ -e "$1/packages" ]
}

usage_is_shown() {
  for arguments in '' rpm 'deb one two'; do
    # shellcheck disable=SC2086 # lists of words
    "$tenon/tools/package" $arguments 2>"$world/errors"
    [ $? = 2 ] && grep 'usage: tools/package deb \[BUILD\]' "$world/errors" || return
  done
}

wrong_builds_are_refused() {
  mkdir -p "$world/empty" "$world/other" || return
  refused 'nowhere is not a directory' "$world/nowhere" || return
  refused 'is not a build directory of Meson' "$world/empty" || return
  echo "project('other', version: '1')" >"$world/other/meson.build"
  meson setup "$world/other/build" "$world/other" || return
  refused 'found: other' "$world/other/build" || return
  meson setup "$world/unbuilt" "$tenon" -Dtests=false || return
  refused 'fix: run meson compile -C ' "$world/unbuilt" || return
  meson configure "$world/unbuilt" -Dlibdir=lib64 || return
  refused 'libdir=lib64' "$world/unbuilt"
}

time_is_asked_for() {
  mkdir -p "$world/plain/tools" && cp "$tenon/tools/package" "$world/plain/tools" || return
  ! (unset SOURCE_DATE_EPOCH && "$world/plain/tools/package" deb "$build") 2>"$world/errors" || return
  grep 'fix: set SOURCE_DATE_EPOCH' "$world/errors"
}

missing_command_is_named() (
  mkdir "$world/bin" || return
  for command in chrpath dirname dpkg-architecture; do
    ln -s "$(command -v $command)" "$world/bin" || return
  done
  PATH=$world/bin
  export PATH
  refused_text=$("$tenon/tools/package" deb "$build" 2>&1) && return 1
  case $refused_text in *'dpkg-deb is not installed'*) ;; *) return 1 ;; esac
)

packages_are_made() {
  "$tenon/tools/package" deb "$build" >"$world/made" || return
  cp -R "$build/packages" "$world/packages"
  cat "$world/made"
  while read -r file; do
    file=${file##*/}
    echo "${file%%_*}"
  done <"$world/made" | diff - /dev/fd/3 3<<END
libtenon-dev
$(basename "$(readlink -f "$build/loader/libtenon.so")" | sed 's/.*so\.\([0-9]*\.[0-9]*\).*/libtenon\1/')
tenon-doc
tenon
END
}

are_reproducible() {
  (umask 077 && TZ=Asia/Tokyo "$tenon/tools/package" deb "$build") || return
  diff -r "$world/packages" "$build/packages"
}

lintian_reports_no_error() {
  lintian --allow-root --fail-on error "$world"/packages/*.deb
}

# depends PACKAGE PATTERN...: the package depends on others that have these names and versions
depends() {
  dpkg-deb -f "$world/packages/$1"_*.deb Depends | sed 's/, /\n/g' >"$world/depends"
  cat "$world/depends"
  shift
  for pattern; do
    grep -x "$pattern" "$world/depends" || return
  done
}

dependencies_are_listed() {
  library=$(basename "$world"/packages/libtenon[0-9]*_*.deb) || return
  version=${library#*_}
  version=${version%_*}
  library=${library%%_*}
  depends "$library" 'libc6 (>= .*' 'libsodium23.*' && ! grep tenon "$world/depends" || return
  depends libtenon-dev "$library (= $version)" "tenon (= $version)" || return
  depends tenon "$library (>= ${version%-*})" 'libsqlite3-0.*' || return
  ! [ -e "$build/plugins/postgres/postgres.so" ] || grep '^libpq5' "$world/depends" || return
  ! dpkg-deb -f "$world"/packages/tenon-doc_*.deb | grep Depends
}

unpack() {
  mkdir "$root" || return
  for package in "$world"/packages/*.deb; do
    dpkg-deb -x "$package" "$root" && dpkg-deb -e "$package" "$world/control" || return
    (cd "$root" && md5sum --quiet -c "$world/control/md5sums") || return
    dpkg-deb -c "$package" | awk '!/^d/ { print $6 }' >>"$world/contents"
  done
  ln -s usr/lib "$root/lib" # as in a system
}

# The packages have each installed file once.
contents_are_complete() {
  DESTDIR=$world/tree meson install -C "$build" --no-rebuild || return
  abi=$(find "$world/tree" -path '*/include/tenon/abi.h')
  (cd "${abi%/include/tenon/abi.h}" && find . ! -type d) |
    sed -e "s|^\.|./usr|" -e "s|^\./usr/lib/|./$lib/|" -e "s|^\./$lib/tenon/plugins|./usr/lib/tenon/plugins|" \
      -e 's|/man1/.*|&.gz|' | sort >"$world/installed"
  grep -v '/usr/share/doc/[^/]*/\(copyright\|changelog\.Debian\.gz\)$' "$world/contents" | sort |
    diff "$world/installed" - || return
  sort "$world/contents" | uniq -d | diff - /dev/null
}

binaries_are_stripped() {
  for file in "$root"/usr/bin/* "$root/$lib"/libtenon.so.*.*.* "$root"/usr/lib/tenon/plugins/*; do
    ! [ -e "$file" ] || readelf -dSW "$file" >"$world/sections" || return
    ! grep -E '\.symtab|\.debug|RPATH|RUNPATH' "$world/sections" || return
  done
}

# The plugins are listed from where hosts search, with their manifests.
plugins_are_listed() {
  export LD_LIBRARY_PATH="$root/$lib"
  TENON_PLUGIN_PATH=$root/usr/lib/tenon/plugins "$root/usr/bin/tenon" list >"$world/list" || return
  cat "$world/list"
  grep tenon.dev/sqlite "$world/list" || return
  for plugin in postgres s3; do
    ! [ -e "$build/plugins/$plugin/$plugin.so" ] || grep "tenon.dev/$plugin" "$world/list" || return
  done
}

manuals_are_compressed() {
  for command in "$root"/usr/bin/*; do
    command=${command##*/}
    gzip -dc "$root/usr/share/man/man1/$command.1.gz" | grep "^\.TH" || return
    [ -s "$root/usr/share/bash-completion/completions/$command.bash" ] || return
  done
}

# block LANGUAGE: prints the first block of this language in the installed README.
block() {
  awk -v fence="\`\`\`$1" '$0 == fence { found = 1; next } /^```/ { if (found) exit } found' \
    "$root/usr/share/doc/tenon/README.md"
}

# photo_runs DIRECTORY: the program and the plugin of the README are in this directory
photo_runs() {
  PHOTO_PLUGIN_PATH=$1 "$1/photo" | diff - /dev/fd/3 3<<'END'
Invert: me.example/invert
255 245 235 0 
END
}

builds_with_pkg_config() {
  export PKG_CONFIG_PATH="$root/$lib/pkgconfig"
  mkdir -p "$world/photo/kinds/filter" "$world/photo/flags" && cd "$world/photo" || return
  block json >kinds/filter/v1.json
  block cpp >main.cpp
  block c >invert.c
  block cmake >CMakeLists.txt
  "$(pkg-config --variable=bindir tenon)/tenon-gen" build --out generated --name photo_kinds kinds || return
  # shellcheck disable=SC2046 # lists of words
  c++ -std=c++20 -Igenerated/include main.cpp generated/photo_kinds.cpp \
    $(pkg-config --cflags --libs tenon) -o flags/photo || return
  # shellcheck disable=SC2046
  cc -shared -fPIC -fvisibility=hidden -Igenerated/include $(pkg-config --cflags tenon-sdk) \
    -Wl,--version-script="$(pkg-config --variable=plugin_map tenon-sdk)" invert.c \
    -o flags/invert.so || return
  photo_runs flags
}

# In a merged root CMake may find the package through the link from lib to usr/lib.
builds_with_cmake() {
  cmake -S "$world/photo" -B "$world/photo/build" -DCMAKE_PREFIX_PATH="$root" || return
  grep "^tenon_DIR:PATH=$root/lib/" "$world/photo/build/CMakeCache.txt" || return
  cmake --build "$world/photo/build" && photo_runs "$world/photo/build"
}

step "usage" usage_is_shown
step "wrong builds" wrong_builds_are_refused
step "no commit" time_is_asked_for
step "missing command" missing_command_is_named
step "make" packages_are_made
step "reproducible" are_reproducible
if command -v lintian >/dev/null; then
  step "lintian" lintian_reports_no_error
else
  count=$((count + 1))
  echo "ok $count - lintian # SKIP no lintian"
fi
step "dependencies" dependencies_are_listed
step "unpack" unpack
step "contents" contents_are_complete
step "stripped" binaries_are_stripped
step "list" plugins_are_listed
step "manuals" manuals_are_compressed
step "pkg-config" builds_with_pkg_config
step "cmake" builds_with_cmake
echo "1..$count"
