#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# generated.sh SOURCE GENERATOR: compiles generated code, also for domains that begin with the name
# of a namespace of tenon. A hand-written step must compile only with the types that it was written
# for. Prints TAP.
set -u
source=$1
generator=$(realpath "$2") # the build passes a path relative to its own directory
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT

include="-I$source/abi/include -I$source/sdk/include -I$source/loader/include"

# generate NAME: generates code from the directory NAME into NAME.out
generate() {
  "$generator" build --out "$1.out" --name kinds --standard-specs "$source/abi" "$1"
}

# compile NAME FILE: compiles FILE for hosts with the headers generated from NAME
compile() {
  # shellcheck disable=SC2086
  g++ -std=c++20 -fsyntax-only -Wall -Wextra -Wshadow -pedantic -Werror $include \
    "-I$1.out/include" -DGOLDENS='""' -DWORDS= "$2"
}

# compile_sdk NAME: compiles all generated headers that plugins include as one source
compile_sdk() {
  # shellcheck disable=SC2086
  printf '#include "%s"\n' "$1".out/include/*/sdk/*.hpp |
    g++ -std=c++17 -fsyntax-only -Wall -Wextra -pedantic -Werror $include "-I$1.out/include" -x c++ -
}

count=0
# point NAME COMMAND...: runs one point of the plan
point() {
  count=$((count + 1))
  name=$1
  shift
  if "$@" >log 2>&1; then
    echo "ok $count - $name"
  else
    sed 's/^/# /' log
    echo "not ok $count - $name"
  fi
}

# Compiles kinds and types of a domain that begins with the name of a namespace inside tenon.
domain() {
  mkdir "$1"
  cp -R "$source"/tests/documents/types "$source"/tests/specs/all_types \
    "$source"/tests/specs/carried "$source"/tests/specs/entry \
    "$source"/tests/specs/evolve_changed "$1"
  find "$1" -name '*.json' -exec sed -i "s/test\.example/$1.example/g" {} +
  generate "$1" && compile "$1" "$1.out/kinds.cpp" && compile "$1" "$1.out/kinds_test.cpp" &&
    compile "$1" "$1.out/kinds_missing_steps.cpp" && compile_sdk "$1"
}

# A kind whose fields have the names of local variables of generated functions.
named_like_variables() {
  mkdir "$1" && cat >"$1/v1.json" <<END
{ "kind": "test.example/k", "version": 1, "doc": "A kind.",
  "methods": [{ "name": "m", "doc": "A method.", "threading": "any", "blocks": "cancel",
    "request": { "blocking": "bool", "call": "bool", "guard": "bool", "in": "bool", "out": "bool",
                 "status": "bool" },
    "response": { "value": "bool" } }] }
END
  generate "$1" && compile "$1" "$1.out/kinds.cpp"
}

# Versions of a document type without fields.
empty_type() {
  mkdir "$1" && for version in 1 2; do
    cat >"$1/v$version.json" <<END
{ "type": "test.example/empty", "version": $version, "doc": "A type.", "fields": {},
  "life": { "released": { "version": "1.0.0", "date": "2026-11-21" } } }
END
  done
  echo '{ "type": "test.example/empty", "steps": [{ "from": 1, "to": 2 }] }' >"$1/evolution.json"
  generate "$1" && compile "$1" "$1.out/kinds.cpp" && compile "$1" "$1.out/kinds_test.cpp"
}

# Document types with the names of keywords and of parameters of generated functions.
named_like_parameters() {
  for type in template union writer value text; do
    mkdir -p "$1/$type" && cat >"$1/$type/v1.json" <<END
{ "type": "test.example/$type", "version": 1, "doc": "A type.", "fields": { "a": "bool" } }
END
  done
  generate "$1" && compile "$1" "$1.out/kinds.cpp" && compile "$1" "$1.out/kinds_test.cpp"
}

# A fixed value that contains a document without fields.
empty_value() {
  mkdir -p "$1/kind" "$1/type" && cat >"$1/type/v1.json" <<END &&
{ "type": "test.example/empty", "version": 1, "doc": "A type.", "fields": {} }
END
    cat >"$1/kind/v1.json" <<END && cat >"$1/kind/v2.json" <<END &&
{ "kind": "test.example/k", "version": 1, "doc": "A kind.",
  "life": { "released": { "version": "1.0.0", "date": "2026-11-21" } },
  "methods": [{ "name": "m", "doc": "A method.", "threading": "any" }] }
END
{ "kind": "test.example/k", "version": 2, "doc": "A kind.",
  "methods": [{ "name": "m", "doc": "A method.", "threading": "any" },
    { "name": "n", "doc": "A method.", "threading": "any", "response": { "e": "empty@1" } }] }
END
    cat >"$1/kind/evolution.json" <<END
{ "kind": "test.example/k", "steps": [{ "from": 1, "to": 2,
    "methods": { "n": { "added": { "value": { "e": {} } } } } }] }
END
  sed -i 's/"version": 1, "doc": "A type."/"version": 1, "doc": "A type.",\
  "life": { "released": { "version": "1.0.0", "date": "2026-11-21" } }/' "$1/type/v1.json"
  generate "$1" && compile "$1" "$1.out/kinds.cpp"
}

# A kind whose members have the names of members of its generated classes, and whose docs contain
# what ends or continues a comment. Both compilers must be silent.
named_like_members() {
  mkdir "$1" && cat >"$1/v1.json" <<'END'
{ "kind": "test.example/k", "version": 1, "doc": "Ends with ??/\n*/ a\rint b; /*\n\\\nint c;",
  "structs": { "colour": { "fields": { "r": "uint8", "g": "uint8", "b": "uint8", "a": "uint8" } } },
  "methods": [
    { "name": "configure", "role": "configure", "doc": "Configures.", "threading": "serial",
      "request": { "config": "map<string>" } },
    { "name": "base_of", "doc": "A method.\rint d;", "threading": "any", "required": true },
    { "name": "hides", "doc": "A method.", "threading": "any",
      "request": { "colour": { "type": "colour", "doc": "A field. ??/" } } },
    { "name": "overrides_either", "doc": "A method.", "threading": "any" },
    { "name": "vtable_entry", "doc": "A method.", "threading": "any" },
    { "name": "warn_of_unread", "doc": "A method.", "threading": "any",
      "request": { "call": "bool" }, "response": { "value": "bool" } }] }
END
  generate "$1" && compile "$1" "$1.out/kinds.cpp" && compile_sdk "$1" &&
    for compiler in g++ clang++; do
      # shellcheck disable=SC2086
      echo '#include <test/k_types.hpp>' |
        $compiler -std=c++17 -fsyntax-only -Wall -Wextra -Wshadow -Werror $include \
          "-I$1.out/include" -x c++ - || return
    done
}

# The headers of POSIX and C, and others that POSIX programs include.
usual_headers="aio alloca arpa/inet assert byteswap complex cpio ctype dirent dlfcn endian err errno
  error execinfo fcntl fenv float fmtmsg fnmatch ftw getopt glob grp iconv ifaddrs inttypes iso646
  langinfo libgen limits link locale malloc math monetary mqueue net/if netdb netinet/in netinet/ip
  netinet/tcp nl_types paths poll pthread pwd regex resolv sched search semaphore setjmp signal
  spawn stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings
  sys/epoll sys/eventfd sys/file sys/inotify sys/ioctl sys/ipc sys/mman sys/msg sys/param sys/prctl
  sys/resource sys/select sys/sem sys/shm sys/socket sys/stat sys/statvfs sys/sysmacros sys/time
  sys/times sys/types sys/uio sys/un sys/utsname sys/wait syslog tar termios threads time uchar
  ulimit unistd utime utmp utmpx wchar wctype wordexp"

# macros END COMPILER... FILE: prints the names in snake case of the macros of FILE that END follows
macros() {
  end=$1
  shift
  "$@" -dM -E | sed -n "s/^#define \\([a-z][a-z0-9]*\\(_[a-z0-9]\\{1,\\}\\)*\\)$end.*/\\1/p"
}

# The generator must refuse the name of each macro that generated code sees as that of a member,
# alone or after the usual headers. A macro without arguments would replace the name; one with
# arguments would replace a declaration in C++.
refuses_macros() {
  mkdir "$1" "$1.macros" && cp -R "$source/tests/specs/echo" "$1" && generate "$1" || return
  for header in $usual_headers; do
    printf '#if __has_include(<%s.h>)\n#include <%s.h>\n#endif\n' "$header" "$header"
  done >"$1.usual"
  {
    # shellcheck disable=SC2086
    for code in "20 $1.out/kinds.cpp" "17 $1.out/include/test/sdk/echo.hpp"; do
      macros '[( ]' g++ "-std=gnu++${code%% *}" $include "-I$1.out/include" -x c++ "${code#* }"
    done
    macros '[( ]' g++ -std=gnu++17 -x c++ "$1.usual"
    macros ' ' gcc -std=gnu17 -x c "$1.usual"
  } | sort -u >"$1.names"
  for macro in assert major st_mtime timeradd; do
    grep -qx $macro "$1.names" || { echo "$macro is no macro" && return 1; }
  done
  while read -r macro; do
    cat >"$1.macros/v1.json" <<END
{ "kind": "test.example/k", "version": 1, "doc": "A kind.",
  "methods": [{ "name": "$macro", "doc": "A method.", "threading": "any" }] }
END
    "$generator" check --standard-specs "$source/abi" "$1.macros" >log.macros 2>&1
    grep -q 'error\[bad-name\]' log.macros || { echo "accepts $macro" && return 1; }
  done <"$1.names"
}

# Generates the types of test.example/album after an edit of the specs.
album() {
  cp -R "$source/tests/documents/types" "$1"
  sed -i "$2" "$1"/album/*.json
  generate "$1"
}
fits() {
  album "$1" "" && compile "$1" "$source/tests/documents/album.cpp"
}
# does_not_fit NAME EDIT WORD: the hand-written step fails to compile with an error that has WORD
does_not_fit() {
  album "$1" "$2" && ! compile "$1" "$source/tests/documents/album.cpp" 2>errors &&
    { cat errors && grep "error: .*$3" errors; }
}

# A plugin whose class has the member $2 compiles, or fails with an error that matches $3.
plugin() {
  mkdir "$1" && cp -R "$source/tests/foreign/photo/kinds/filter" "$1" && generate "$1" &&
    cat >"$1.cpp" <<END
#include <photo/sdk/filter.hpp>
struct Blur : photo::sdk::FilterV1 {
  $2
};
TENON_PLUGIN(Blur, "me.example/blur", "1.0.0");
END
  # shellcheck disable=SC2086
  g++ -std=c++17 -fsyntax-only -Wall -Wextra -Werror $include "-I$1.out/include" "$1.cpp" \
    2>errors || { cat errors && [ -n "${3-}" ] && grep "error: .*$3" errors; }
}

cd "$world" || exit
for word in bench conformance detail gen json sdk tests; do
  point "the domain $word.example compiles" domain $word
done
point "fields compile with the names of local variables" named_like_variables variables
point "a document type without fields compiles" empty_type empty_type
point "document types compile with the names of keywords and parameters" \
  named_like_parameters parameters
point "a fixed value compiles with a document without fields" empty_value empty_value
point "members and docs compile with the names of generated members" named_like_members members
point "names of macros are refused" refuses_macros macros
point "a step compiles with its types" fits same
point "a step does not compile with a field that has another name" \
  does_not_fit renamed 's/"amount"/"sum"/' amount
point "a step does not compile with a field that has another type" \
  does_not_fit retyped 's/"count": "int32"/"count": "int64"/' 'int64_t\|long int'
point "a step that is not called does not compile" does_not_fit uncalled \
  '/"hook": true,/d; /"count"/,/}/s/"hook"/"removed"/; /"amount"/,/}/s/"hook"/"added"/' \
  AlbumStep1To2
point "a plugin compiles" plugin overrides \
  'void apply(tenon::sdk::Buffer, std::int32_t, std::int32_t, float) noexcept override {}'
point "a plugin whose method hides that of its kind does not compile" plugin hides_method \
  'void apply(tenon::sdk::Buffer, int, int) {}' \
  'apply of the plugin has a different signature than FilterV1::apply'
point "a plugin whose raw method hides that of its kind does not compile" plugin hides_raw \
  'tenon_status raw_apply(tenon_call*) { return TENON_OK; }' \
  'raw_apply of the plugin has a different signature'
point "a plugin whose state hides that of plugins does not compile" plugin hides_state \
  'void suspend(int) {}' 'suspend or resume of the plugin has another signature'
echo "1..$count"
