#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# build.sh cmake|meson BUILD: installs tenon from BUILD into a temporary directory, builds the
# project photo from the installed files alone, and runs it. Prints TAP.
set -u
tenon=$(cd "$(dirname "$0")/../.." && pwd)
photo=$tenon/tests/foreign/photo
system=$1
build=$2

export RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" # steps change HOME
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
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

install_tenon() {
  DESTDIR=$world/tree meson install -C "$build" --no-rebuild
  prefix="$world/the prefix" # moved, so that nothing can rely on the configured prefix
  abi=$(find "$world/tree" -path '*/include/tenon/abi.h')
  mv "${abi%/include/tenon/abi.h}" "$prefix"
}

files_in() { (cd "$1" && find . ! -type d) | sort; }

# Each installed file has a tag, and is removed by uninstalling. Developing needs no other tag. Other
# tests install from the build meanwhile, so this uses a copy of the list of what was installed.
has_tags() {
  mkdir "$world/build" "$world/build/meson-logs" && ln -s "$build"/* "$world/build" 2>/dev/null
  rm "$world/build/meson-private" && cp -R "$build/meson-private" "$world/build" || return
  files_in "$prefix" >"$world/files"
  for tags in devel runtime,devel,doc,man; do
    DESTDIR=$world/$tags meson install -C "$world/build" --no-rebuild --tags $tags || return
  done
  root=$world/runtime,devel,doc,man
  abi=$(find "$root" -path '*/include/tenon/abi.h')
  files_in "${abi%/include/tenon/abi.h}" | diff "$world/files" - || return
  devel=$(find "$world/devel" -name tenon-gen)
  specs=${devel%/bin/tenon-gen}/share/tenon/abi
  "$devel" check "$specs/kinds" "$specs/types" || return
  ! [ -e "${devel%-gen}" ] || return
  (cd "$world/build" && meson --internal uninstall) >"$world/removed" || return
  grep -v '^Deleted:' "$world/removed"
  grep -x 'Failed: 0' "$world/removed" || return
  files_in "$root" | diff /dev/null -
}

# The plugins that the build has are where tenon's own hosts search.
plugins_are_installed() {
  for plugin in postgres s3; do
    ! [ -e "$build/plugins/$plugin/$plugin.so" ] ||
      "$prefix/bin/tenon" inspect "$prefix"/lib*/tenon/plugins/$plugin.so || return
  done
}

schemas_are_installed() {
  for schema in spec evolution output backup-output; do
    grep "\"https://tenon.dev/schemas/$schema.schema.json\"" \
      "$prefix/share/tenon/schemas/$schema.schema.json" || return
  done
  for schema in lock.schema.json lock/v1.schema.json manifest/v1.schema.json record.schema.json; do
    grep "\"https://tenon.dev/$schema\"" "$prefix/share/tenon/schemas/tenon.dev/$schema" || return
  done
}

# Every relative link in an installed page leads to an installed file.
links_lead_to_files() {
  cd "$prefix/share/doc/tenon" && find . -name '*.md' >"$world/pages" || return
  while read -r page; do
    grep -o '\](\([^)#: ]*\)[#)]' "$page" | sed 's/^](//; s/.$//' | while read -r link; do
      [ -z "$link" ] || [ -f "${page%/*}/$link" ] || echo "$page: $link"
    done
  done <"$world/pages" >"$world/broken"
  cat "$world/broken"
  [ -s "$world/pages" ] && ! [ -s "$world/broken" ]
}

# A component that does not exist is an error, and not ignored.
component_is_unknown() {
  mkdir "$world/component" && cat >"$world/component/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.21)
project(component LANGUAGES CXX)
find_package(tenon REQUIRED COMPONENTS sdk nonsense)
END
  ! cmake -S "$world/component" -B "$world/component/build" -DCMAKE_PREFIX_PATH="$prefix" \
    >"$world/errors" 2>&1 || return
  cat "$world/errors"
  grep "tenon has no component 'nonsense'" "$world/errors"
}

# In a project that has tenon as a subproject, its dependencies and programs are those of an installed
# one.
is_a_subproject() {
  mkdir -p "$world/whole/subprojects" && cp -R "$photo"/. "$world/whole" &&
    ln -s "$tenon" "$world/whole/subprojects/tenon" || return
  echo "find_program('tenon')" >>"$world/whole/meson.build"
  meson setup "$world/whole/build" "$world/whole" -Dtenon:tests=false --force-fallback-for=tenon || return
  # The generator finds the standard specs from where it will be built.
  cp "$build/tools/gen/tenon-gen" "$world/whole/build/subprojects/tenon/tools/gen" &&
    "$world/whole/build/subprojects/tenon/tools/gen/tenon-gen" build --out "$world/whole/generated" \
      --standard source@2 "$photo/kinds"
}

configure_cmake() {
  cmake -S "$photo" -B "$world/photo" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_FLAGS='-Wall -Wextra -pedantic -Werror' \
    -DCMAKE_CXX_FLAGS='-Wall -Wextra -pedantic -Werror'
}

configure_meson() {
  PKG_CONFIG_PATH=$(find "$prefix" -type d -name pkgconfig) meson setup "$world/photo" "$photo"
}

# build_SYSTEM [TARGET]
build_cmake() { cmake --build "$world/photo" ${1:+--target "$1"}; }
build_meson() { meson compile -C "$world/photo" "$@"; }

runs() {
  mkdir "$world/plugins"
  cp "$world"/photo/libinvert.so "$world"/photo/libfade.so "$world/plugins"
  photo_runs
}

photo_runs() {
  PHOTO_PLUGIN_PATH=$world/plugins "${1:-$world/photo/photo}" >"$world/out" || return
  diff - "$world/out" <<'END'
Blacken... version 2
Fade... version 2
Invert... version 1
me.example/fade (fades to black): 0 2 5 63
me.example/invert (no description): 255 245 235 0
0 sources
Dusk takes 0.75
{"type":"photo.example/look","version":2,"writer":"me.example/photo 2.0.0","value":{"name":"Dusk!","filter":"me.example/fade","strength":0.75,"bag":{"grain@3":{"type":"int32","value":4}}}}
END
}

# `tenon -a photo` knows the kinds, types and builtins of the program once it is installed.
described() {
  export HOME="$world/home"
  if [ "$system" = cmake ]; then
    cmake --install "$world/photo" --prefix "$HOME/.local"
  else
    DESTDIR=$world/installed meson install -C "$world/photo" --no-rebuild &&
      mkdir -p "$HOME" && mv "$world"/installed/usr/local "$HOME/.local"
  fi || return
  PHOTO_PLUGIN_PATH=$world/plugins "$prefix/bin/tenon" list -a photo >"$world/list"
  cat "$world/list"
  awk '{ print $1, $2, $3, $4 }' "$world/list" | diff - /dev/fd/3 3<<'END' || return
PLUGIN KIND VERSION FITS
me.example/blacken photo.example/filter 2 latest
me.example/fade photo.example/filter 2 latest
me.example/invert photo.example/filter 1 adapted
END
  photo_runs "$HOME/.local/bin/photo" || return # which finds the library by its run path
  "$prefix/bin/tenon" resolve -a photo me.example/blacken &&
    "$prefix/bin/tenon" types -a photo | grep 'photo.example/look  versions 1, 2; stored as 2'
}

# A look of version 1 needs a step that photo has written by hand.
converts() {
  echo '{"type":"photo.example/look","version":1,"value":{"title":"Dusk","strength":75}}' >"$world/look"
  LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name libtenon.so)") \
    "$prefix/bin/tenon" convert -a photo "$world/look" | diff - /dev/fd/3 3<<'END'
{"type":"photo.example/look","version":2,"value":{"name":"Dusk","strength":0.75}}
END
}

# Plugins built with the flags of the SDK can be unloaded.
reloads() {
  for plugin in invert fade; do
    "$prefix/bin/tenon" inspect "$world/photo/lib$plugin.so" >"$world/page"
    cat "$world/page"
    grep -x 'reload      safe' "$world/page" || return
  done
}

# Runs the conformance test of the plugin and the tests of the document types. The tests of the
# plugins know the kinds of photo.
verify_tests() {
  if [ "$system" = cmake ]; then
    ctest --test-dir "$world/photo" --verbose --no-tests=error >"$world/page"
    failed=$?
    cat "$world/page"
    [ $failed = 0 ] && grep 'Passed' "$world/page" | grep -c '\.inspect ' | grep -x 3 &&
      ! grep unknown-kind "$world/page"
  else
    meson test -C "$world/photo" --print-errorlogs
  fi
}

# block LANGUAGE [N]: prints the first or Nth block of this language in the README of the SDK.
block() {
  awk -v fence="\`\`\`$1" -v n="${2:-1}" \
    '$0 == fence { found = --n == 0; next } /^```/ { if (found) exit } found' \
    "$sdk/share/doc/photo-sdk/README.md"
}

# The commands and files in the README of the SDK build its example, without tenon.
sdk_builds() {
  sdk="$world/photo sdk"
  if [ "$system" = cmake ]; then
    cmake --install "$world/photo" --prefix "$sdk" --component sdk || return
  else
    cp -R "$world/photo/kinds/photo-sdk" "$sdk" || return
  fi
  for header in tenon/host.hpp tenon/sdk/conformance.hpp tenon/sdk/destination.hpp; do
    ! [ -e "$sdk/include/$header" ] || return
  done
  mkdir "$world/example" && cd "$world/example" || return
  block cpp >example.cpp
  block cmake >CMakeLists.txt
  block meson >meson.build
  block sh >cmake.sh
  grep -q 'cmake --build' cmake.sh || return
  SDK=$sdk sh -eu cmake.sh || return
  mv build cmake
  PKG_CONFIG_PATH=$sdk/share/pkgconfig meson setup build && meson compile -C build || return
  c++ -std=c++17 -shared -fPIC -fvisibility=hidden -I"$sdk/include" example.cpp \
    -Wl,--version-script="$sdk/share/cmake/photo-sdk/plugin.map" -o libexample.so || return
  for module in cmake/libexample.so build/libexample.so libexample.so; do
    "$prefix/bin/tenon" inspect -a photo "$module" >page || return
    cat page
    grep 'photo.example/filter' page || return
  done
}

# A plugin in Rust is built by the commands and files of the SDK.
sdk_builds_rust() {
  mkdir "$world/rust" && cd "$world/rust" || return
  cat >example.rs <<'END'
use photo_kinds::photo::FilterV2;
use tenon::{Call, Plugin, Result};

struct Example;

tenon::implement! {
    impl Plugin for Example {
        fn create(_call: &Call<'_>, _name: &str) -> Result<Self> {
            Ok(Example)
        }
    }
}

tenon::implement! {
    impl FilterV2 for Example {
        fn describe(&self, _call: &Call<'_>) -> Result<String> {
            Ok("an example".into())
        }
    }
}

tenon::module! {
    name: "me.example/example",
    version: "1.0.0",
    plugins: ["me.example/example" => Example as FilterV2],
}
END
  awk '/^## Rust/ { rust = 1 } /^```/ { block = rust && /^```sh/; if (!block) next } block && !/^```/' \
    "$sdk/share/doc/photo-sdk/README.md" >commands
  cat commands
  grep -q rustc commands && SDK=$sdk sh -eu commands || return
  "$prefix/bin/tenon" call -a photo libexample.so describe '{}' | grep 'an example'
}

# The plugins of photo, built with the SDK alone, run in photo.
sdk_runs() {
  mkdir "$world/fade" && cd "$world/fade" || return
  cp "$photo/fade.cpp" "$photo/invert.c" "$photo/shots.cpp" .
  cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.21)
project(fade LANGUAGES C CXX)
find_package(photo-sdk REQUIRED)
tenon_add_plugin(fade fade.cpp KINDS photo_kinds)
tenon_add_plugin(invert invert.c KINDS photo_kinds)
tenon_add_plugin(shots shots.cpp)
END
  cmake -S . -B build -DCMAKE_PREFIX_PATH="$sdk" && cmake --build build || return
  cp build/libfade.so build/libinvert.so "$world/plugins"
  photo_runs
}

# With tenon, the SDK also builds tests: the one of its README, and that of a plugin with GoogleTest.
# Steps that photo has written by hand are not in the SDK, and tests are built without them.
sdk_tests_cmake() {
  mkdir "$world/tested" && cd "$world/tested" || return
  cp "$world/example/example.cpp" "$photo/fade.cpp" "$photo/fade_test.cpp" .
  block cpp 2 >example_test.cpp
  block cmake 2 >CMakeLists.txt
  ! cmake -S . -B build -DCMAKE_PREFIX_PATH="$sdk" >"$world/errors" 2>&1 || return
  cat "$world/errors"
  tr -s '\n ' ' ' <"$world/errors" | grep 'testing needs tenon, which was not found' || return
  cat >>CMakeLists.txt <<'END'
find_package(tenon REQUIRED COMPONENTS testing) # again, which changes nothing
find_package(GTest REQUIRED)
tenon_add_plugin(fade fade.cpp KINDS photo_kinds)
tenon_add_plugin_test(fade_test fade_test.cpp PLUGIN fade KINDS photo_kinds)
target_link_libraries(fade_test PRIVATE GTest::gtest_main)
END
  rm -r build
  cmake -S . -B build -DCMAKE_PREFIX_PATH="$sdk;$prefix" && cmake --build build || return
  ctest --test-dir build --output-on-failure >"$world/page"
  cat "$world/page"
  grep '100% tests passed, 0 tests failed out of 4' "$world/page" || return
  # A test fails if its plugin does.
  sed -i 's/strength . radius/strength/' fade.cpp && cmake --build build || return
  ! ctest --test-dir build >"$world/page" || return
  cat "$world/page"
  grep '1 tests failed out of 4' "$world/page"
}

# The same test of a plugin, by the packages for pkg-config.
sdk_tests_meson() {
  mkdir "$world/tested" && cd "$world/tested" || return
  cp "$photo/fade.cpp" "$photo/fade_test.cpp" .
  cat >meson.build <<'END'
project('fade', 'cpp', default_options: 'cpp_std=c++20')
sdk = dependency('photo-sdk')
kinds = custom_target('kinds',
  output: ['kinds.cpp', 'kinds_missing_steps.cpp'],
  command: [find_program('tenon-gen'), 'build', '--out', '@OUTDIR@', '--name', 'kinds',
            sdk.get_variable('specs').replace('\\ ', ' ')])
headers = custom_target('headers',
  input: kinds[0], output: 'kinds.stamp.hpp', command: ['touch', '@OUTPUT@'])
fade = shared_module('fade', 'fade.cpp', dependencies: sdk, gnu_symbol_visibility: 'hidden')
test('fade', executable('fade_test', 'fade_test.cpp', kinds, headers,
    cpp_args: ['-I' + meson.current_build_dir() / 'include',
               '-DPLUGIN="' + fade.full_path() + '"'],
    dependencies: [dependency('tenon-testing'), dependency('gtest', main: true)]),
  depends: fade, protocol: 'gtest')
END
  PATH=$prefix/bin:$PATH \
    PKG_CONFIG_PATH=$sdk/share/pkgconfig:$(find "$prefix" -type d -name pkgconfig) meson setup build &&
    meson test -C build --print-errorlogs
}

# A plugin can be built with clang and a sanitizer.
sanitized() {
  cmake -S "$photo" -B "$world/sanitized" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
    -DCMAKE_C_FLAGS=-fsanitize=undefined -DCMAKE_CXX_FLAGS=-fsanitize=undefined &&
    cmake --build "$world/sanitized" --target fade --target invert
}

# The SDK of an app that has no kind of photo needs none of its headers. It contains the spec,
# although that is a link. Tests of its plugins have the steps of the types of tenon that it uses.
sdk_of_another_app() {
  kind=$world/other/tone
  mkdir -p "$kind" && ln -s ../../tone.json "$kind/v1.json" && cat >"$world/tone.json" <<'END'
{ "kind": "other.example/tone", "version": 1, "doc": "Plays a tone.",
  "methods": [{ "name": "play", "doc": "Plays it.", "threading": "any",
    "request": { "of": "tenon.dev/record@2" } }] }
END
  "$prefix/bin/tenon-gen" sdk --app other --out "$world/tone-sdk" "$world/other" || return
  echo '#include <other/sdk/tone.hpp>' |
    c++ -std=c++17 -fsyntax-only -I"$world/tone-sdk/include" -x c++ - || return
  ! [ -e "$world/tone-sdk/include/photo" ] || return
  (cd "$world/tone-sdk/share" && find . -name '*.json') | diff - /dev/fd/3 3<<'END'
./other/tenon/specs/tone/v1.json
END
  new plugin me.example/whistle --sdk "$world/tone-sdk" --language c
}

# A program that links the archive, as it is installed with -Ddefault_library=static, runs alone.
archive_runs() (
  meson setup "$world/static" "$tenon" -Ddefault_library=static -Dtests=false || return
  cp -R "$prefix" "$world/archive" && prefix=$world/archive || return
  lib=$(dirname "$(find "$prefix" -name libtenon.so)")
  # The archive of the build only refers to its objects.
  (cd "$build" && ar t loader/libtenon.a | xargs ar rcs "$lib/libtenon.a") || return
  rm "$lib"/libtenon.so* || return
  cp "$world/static/meson-private/tenon.pc" "$lib/pkgconfig" || return
  cp "$world/static/sdk/tenonConfig.cmake" "$lib/cmake/tenon" || return
  mv "$world/photo" "$world/linked" # with the shared library
  configure_"$system" && build_"$system" photo || return
  ! ldd "$world/photo/photo" | grep libtenon || return
  photo_runs
)

# A change of a spec reaches host and plugins in one build, and an error is shown with its location.
spec_changes() {
  specs=$world/copy/kinds/filter
  cp -R "$photo" "$world/copy"
  photo=$world/copy
  rm -rf "$world/photo"
  configure_"$system" && build_"$system" || return
  sed -i 's/"strength": "float32"/"strength": "float64"/' "$specs"/v*.json
  ! build_"$system" >"$world/errors" 2>&1 || return # sources beside the specs take a float
  cat "$world/errors"
  grep -E '(fade|builtins)\.cpp:[0-9]+:[0-9]+:' "$world/errors" || return
  sed -i 's/float strength/double strength/; s/static_cast<float>(pixel)/pixel/' "$photo/fade.cpp"
  sed -i 's/std::int32_t, float,/std::int32_t, double,/' "$photo/builtins.cpp"
  build_"$system" || return
  sed -i 's/"strength": "float64"/"strength": "flaot64"/' "$specs/v2.json"
  ! build_"$system" >"$world/errors" 2>&1 || return
  cat "$world/errors"
  grep 'v2.json:[0-9]*:[0-9]*: ' "$world/errors"
}

. "$tenon/tests/foreign/new.sh"

step "install" install_tenon
if [ "$system" = meson ]; then step "tags" has_tags; fi
step "plugins" plugins_are_installed
step "schemas" schemas_are_installed
step "links" links_lead_to_files
step "configure" configure_"$system"
step "build" build_"$system"
step "run" runs
step "description" described
step "convert" converts
step "reload" reloads
step "tests" verify_tests
step "sdk builds" sdk_builds
step "sdk runs" sdk_runs
step "sdk tests" sdk_tests_"$system"
if command -v rustc >/dev/null; then step "sdk builds rust" sdk_builds_rust; fi
if [ "$system" = cmake ]; then
  step "sanitizer" sanitized
  step "unknown component" component_is_unknown
else
  step "subproject" is_a_subproject
fi
step "sdk of another app" sdk_of_another_app
for language in c c++; do
  step "new plugin in $language with an sdk" new_with_sdk $language
done
step "new plugin with an sdk alone" new_with_sdk_alone
if command -v rustc >/dev/null; then step "new plugin in rust with an sdk" new_with_sdk rust; fi
for language in c c++; do
  step "new source in $language" new_source $language
  step "new processor in $language" new_processor $language
  step "new kind in $language" new_kind $language
done
if command -v rustc >/dev/null; then
  step "new source in rust" new_source rust
  step "new processor in rust" new_processor rust
  step "new kind in rust" new_kind rust
fi
step "new host" new_host
step "archive runs" archive_runs
step "spec changes" spec_changes
echo "1..$count"
