# SPDX-License-Identifier: BSL-1.0
#
# Steps of build.sh: the projects of `tenon new` build, pass their tests and run by the commands that
# it prints.

# new WHAT NAME OPTION...: makes a project, and runs the commands that come next. The output of the
# last one is in $world/ran.
new() {
  mkdir -p "$world/projects" && cd "$world/projects" && rm -rf "${2#*/}" || return
  "$prefix/bin/tenon" new "$@" --build "$system" >"$world/next" || return
  cat "$world/next"
  sed -n 's/^  //p' "$world/next" >"$world/commands"
  last=$(tail -n 1 "$world/commands")
  sed -i '$d' "$world/commands"
  {
    echo 'export CFLAGS="-Wall -Wextra -pedantic -Werror" CXXFLAGS="-Wall -Wextra -pedantic -Werror"'
    cat "$world/commands"
    echo "$last >'$world/ran' 2>&1 || { cat '$world/ran'; exit 1; }"
  } >"$world/script"
  PATH="$prefix/bin:$PATH" CMAKE_PREFIX_PATH=$prefix PKG_CONFIG_PATH='' sh -eu "$world/script" || return
  cat "$world/ran"
}

# verifies NAME: the cases of the conformance kit pass. A processor without numbers among its
# parameters has one case that is not run.
verifies() {
  project=$world/projects/$1
  "$prefix/bin/tenon" verify "$project/build/lib$1.so" --config "$project/verify.json" >"$world/page"
  cat "$world/page"
  tail -n 1 "$world/page" | grep -q ', 0 failed, '
}

new_source() {
  new plugin me.example/numbers --language "$1" && verifies numbers &&
    [ "$(grep -c 'payload\|create' "$world/ran")" = 5 ]
}

new_processor() {
  new plugin me.example/find-text --kind processor --language "$1" && verifies find-text &&
    [ "$(grep -c fill "$world/ran")" = 5 ]
}

# The host finds the source that was made before.
new_host() {
  new host number-reader || return
  printf '1\n2\n3\n4\n5\n' | diff - "$world/ran" || return
  export NUMBER_READER_PLUGIN_PATH="$world/projects/numbers/build"
  program=$world/projects/number-reader/build/number-reader
  "$program" >"$world/list" && printf 'me.example/numbers\n' | diff - "$world/list" || return
  "$program" standalone:me.example/numbers last=2 >"$world/ran" && printf '1\n2\n' | diff - "$world/ran"
}

new_kind() {
  new kind far-away.example/text_filter --language "$1" && echo HELLO | diff - "$world/ran"
}

# A plugin for the SDK of photo, whose kind it names or not, is used by photo.
new_with_sdk() {
  kind=
  [ "$1" = c++ ] || kind="--kind filter"
  # shellcheck disable=SC2086
  new plugin me.example/from-sdk --sdk "$sdk" $kind --language "$1" || return
  project=$world/projects/from-sdk
  "$prefix/bin/tenon" verify "$project/build/libfrom-sdk.so" \
    --specs "$sdk/share/photo/tenon/specs" >"$world/page" || return
  cat "$world/page"
  grep 'apply handles valid requests *passed' "$world/page" || return
  PHOTO_PLUGIN_PATH=$project/build:$world/plugins "$world/photo/photo" >"$world/ran" || return
  cat "$world/ran"
  grep -Fx '... version 1' "$world/ran"
}

# Without tenon, the SDK alone builds the plugin.
new_with_sdk_alone() {
  cd "$world/projects/from-sdk" && rm -r build || return
  if [ "$system" = cmake ]; then
    cmake -S . -B build -DCMAKE_PREFIX_PATH="$sdk" && cmake --build build && ctest --test-dir build
  else
    PKG_CONFIG_PATH=$sdk/share/pkgconfig meson setup build && meson compile -C build && meson test -C build
  fi >"$world/page" 2>&1
  result=$?
  cat "$world/page"
  [ $result = 0 ] && [ -e build/libfrom-sdk.so ] && grep -i 'no tests' "$world/page"
}
