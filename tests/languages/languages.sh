#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# languages.sh SOURCE GENERATED RESTARTER: builds a plugin in each language twice, and compares what
# the program RESTARTER prints about them. Prints TAP; a language without a compiler is skipped.
set -u
source=$1/tests/languages
include="-I$1/abi/include -I$2"
map=$1/sdk/plugin.map
restarter=$(realpath "$3")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
export TMPDIR="$world"
cp "$source"/* "$world"
cd "$world" || exit 1

# The runtimes of some languages can start threads, which the plugin does not do.
joined='-DDETAILS={"threads": "joined"}'

# c OPTION...: compiles the part in C for the build $edition
c() {
  # shellcheck disable=SC2086
  cc -std=c11 -D_XOPEN_SOURCE=700 -O1 -fPIC -fvisibility=hidden $include "-DEDITION=$edition" \
    "$@" -c module.c
}

# links FILE...: makes the module of the build $edition
links() {
  cc -shared module.o "$@" "-Wl,--version-script=$map" -o "$edition.so"
}

fortran() {
  c && gfortran -fPIC -c sums.f90 && links sums.o -lgfortran
}

ada() {
  c -DSTARTS=adainit && gnatgcc -fPIC -c sums.adb && gnatbind -n sums.ali &&
    gnatgcc -fPIC -c b~sums.adb &&
    links sums.o b~sums.o "$(dirname "$(gnatgcc -print-libgcc-file-name)")/adalib/libgnat_pic.a"
}

pascal() {
  c -DLOCKED && fpc -v0 -Cg -O1 "-Fl$(dirname "$(cc -print-file-name=libc.so)")" "-o$edition.so" \
    sums.pas
}

d_gdc() {
  c "$joined" && gdc -fPIC -c sums.d && links sums.o -l:libgphobos.a -lz
}

d_ldc() {
  c && ldc2 -relocation-model=pic -c sums.d && links sums.o -l:libdruntime-ldc.a
}

rust() {
  c "$joined" && rustc --crate-type staticlib -C panic=abort -O sums.rs &&
    links libsums.a
}

ocaml() {
  c -DLOCKED -DSTARTS=tests_start_ocaml && ocamlopt -output-complete-obj -runtime-variant _pic sums.ml \
    -o sums_ml.o && cc -fPIC "-I$(ocamlopt -where)" -c ocaml.c && links ocaml.o sums_ml.o -lm -ldl
}

nim_arc() {
  c -DSTARTS=NimMain && nim compile --hints:off --app:staticlib --noMain --gc:arc --threads:on \
    -d:noSignalHandler --passC:-fPIC --nimcache:nim -o:libsums.a sums.nim && links libsums.a
}

vala() {
  # shellcheck disable=SC2046
  c && valac -C sums.vala && cc -fPIC -w -c sums.c $(pkg-config --cflags glib-2.0) &&
    links sums.o -lglib-2.0
}

rust_without_details() {
  c && rustc --crate-type staticlib -C panic=abort -O sums.rs && links libsums.a
}

builds() {
  for edition in 1 2; do "$1" || return; done
}

number=0
# language NAME COMMAND BUILD EXPECTED
language() {
  number=$((number + 1))
  : >log
  if ! command -v "$2" >/dev/null; then
    echo "ok $number - $1 # SKIP no $2"
  elif output=$(builds "$3" 2>&1) && output=$("$restarter" 1.so 2.so 2>log) && [ "$output" = "$4" ]; then
    echo "ok $number - $1: $4"
  else
    echo "$output" | cat - log | sed 's/^/# /'
    echo "not ok $number - $1: expected $4"
  fi
}

echo 1..10
language 'Fortran' gfortran fortran 'safe, restarted, unloaded'
language 'Ada' gnatbind ada 'safe, restarted, unloaded'
language 'Free Pascal' fpc pascal 'safe, restarted, unloaded'
language 'D (gdc)' gdc d_gdc 'safe, restarted, unloaded'
language 'D (ldc2)' ldc2 d_ldc 'safe, restarted, unloaded'
language 'Rust' rustc rust 'unverified, restarted, unloaded'
language 'Rust, threads not stated' rustc rust_without_details 'unverified, restarted, mapped'
language 'OCaml' ocamlopt ocaml 'safe, restarted, unloaded'
language 'Nim' nim nim_arc 'safe, restarted, unloaded'
language 'Vala' valac vala 'safe, restarted, unloaded'
