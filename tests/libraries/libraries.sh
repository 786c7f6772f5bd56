#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# libraries.sh SOURCE GENERATED RESTARTER: builds plugins that use real libraries twice, and compares
# what the program RESTARTER prints about them. Prints TAP; a library that is not installed is
# skipped.
set -u
source=$1/tests
include="-I$1/abi/include -I$2"
map=$1/sdk/plugin.map
restarter=$(realpath "$3")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
export TMPDIR="$world"
cp "$source"/languages/module.c "$source"/libraries/* "$world"
cd "$world" || exit 1

# builds SOURCE DETAILS OPTION...: makes both builds, with these details in the manifest
builds() {
  file=$1
  details=$2
  shift 2
  case $file in
    *.cpp) compile='c++ -std=c++17' ;;
    *) compile='cc -std=gnu11' ;;
  esac
  for edition in 1 2; do
    # shellcheck disable=SC2086
    cc -std=c11 -D_XOPEN_SOURCE=700 -O1 -fPIC -fvisibility=hidden $include "-DEDITION=$edition" \
      "-DDETAILS={$details}" -c module.c &&
      $compile -O1 -fPIC "-DEDITION=$edition" -I. -shared module.o "$file" "$@" \
        "-Wl,--version-script=$map" -o "$edition.so" || return
  done
}

number=0
# library NAME HEADER EXPECTED SOURCE DETAILS OPTION...
library() {
  number=$((number + 1))
  name=$1
  header=$2
  expected=$3
  shift 3
  : >log
  # shellcheck disable=SC2046
  if ! echo "#include <$header>" | c++ -w -fPIC -E -x c++ $(options I "$@") - >/dev/null 2>&1; then
    echo "ok $number - $name # SKIP no $header"
  elif ! echo | c++ -shared -x c - $(options L "$@") $(options l "$@") -o none.so 2>/dev/null; then
    echo "ok $number - $name # SKIP no library for $header"
  elif output=$(builds "$@" 2>&1) && output=$("$restarter" 1.so 2.so again 2>log) &&
    [ "$output" = "$expected" ]; then
    echo "ok $number - $name: $expected"
  else
    echo "$output" | cat - log | sed 's/^/# /'
    echo "not ok $number - $name: expected $expected"
  fi
}

# options LETTER OPTION...: prints the options that begin with the letter
options() {
  letter=$1
  shift
  for option in "$@"; do
    case $option in "-$letter"*) echo "$option" ;; esac
  done
}

flags() {
  pkg-config --cflags --libs "$1" 2>/dev/null
}

once='again: works, next host: not-reloadable, mapped'
works='again: works, next host: works'
echo 1..32
java=$(dirname "$(dirname "$(realpath "$(command -v javac)" 2>/dev/null)")")
haskell=$(ghc --print-libdir 2>/dev/null)
# Prints the options that link the runtime of Haskell.
haskell_flags() {
  for library in "$haskell"/*/libHSrts-ghc*.so "$haskell"/*/libHSbase-*.so; do
    echo "-L$(dirname "$library") -Wl,-rpath,$(dirname "$library") -l:$(basename "$library")"
  done
}
# shellcheck disable=SC2046
{
  library HDF5 hdf5.h "safe, restarted, $works, unloaded" hdf5.c '' $(flags hdf5)
  library oneTBB oneapi/tbb/parallel_reduce.h "safe, restarted, $works, unloaded" \
    onetbb.cpp '' -ltbb
  # Tcl ignores SIGPIPE.
  library Tcl tcl.h "safe, restarted, signals changed, $works, unloaded" tcl.c '' $(flags tcl)
  library 'Tcl, finalised' tcl.h "unsafe, not-reloadable, signals changed, $once" tcl.c '' \
    -DFINALIZES $(flags tcl)
  library 'Tcl, handled' tcl.h "safe, restarted, signals changed, $works, unloaded" tcl.c \
    '"handled": ["Tcl"]' -DFINALIZES $(flags tcl)
  library 'GLib, texts' glib-object.h "unverified, restarted, $works, mapped" glib.c '' \
    $(flags gobject-2.0)
  library 'GLib, a type' glib-object.h "unsafe, not-reloadable, $once" glib.c '' -DTYPE \
    $(flags gobject-2.0)
  library gflags gflags/gflags.h "unsafe, not-reloadable, $works, unloaded" gflags.cpp '' -lgflags
  protoc --cpp_out=. item.proto 2>/dev/null
  library protobuf google/protobuf/message.h "unsafe, not-reloadable, $once" protobuf.cpp '' \
    item.pb.cc -lprotobuf
  library 'Abseil flags' absl/flags/flag.h "unsafe, not-reloadable, $once" abseil.cpp '' \
    $(flags absl_flags)
  library glog glog/logging.h "unsafe, not-reloadable, $works, unloaded" glog.cpp '' $(flags libglog)
  library spdlog spdlog/spdlog.h "unsafe, not-reloadable, $once" spdlog.cpp '' \
    $(flags spdlog)
  library Boost.Serialization boost/serialization/export.hpp \
    "unsafe, not-reloadable, $works, unloaded" serialization.cpp '' -lboost_serialization
  library Boost.Log boost/log/core.hpp "unverified, restarted, $works, mapped" boost_log.cpp '' \
    -DBOOST_LOG_DYN_LINK -lboost_log
  library Boost.Thread boost/thread.hpp "unverified, restarted, $works, mapped" thread.cpp '' \
    -lboost_thread
  library 'Boost.Thread, joined' boost/thread.hpp "safe, restarted, $works, unloaded" \
    thread.cpp '"threads": "joined"' -lboost_thread
  library Qt QMetaType "unverified, restarted, $works, mapped" qt.cpp '' $(flags Qt5Core)
  library 'a thread key' pthread.h "unverified, restarted, $works, mapped" key.c ''
  library 'a thread key, deleted' pthread.h "safe, restarted, $works, unloaded" key.c '' -DDELETES
  library on_exit stdlib.h "unverified, restarted, $works, mapped" exit.c ''
  library at_quick_exit stdlib.h "unverified, restarted, $works, mapped" exit.c '' -DQUICK
  # Ruby and Perl set signal handlers.
  library Ruby ruby.h "safe, restarted, signals changed, $works, unloaded" ruby.c '' \
    $(flags ruby-3.1)
  library 'Ruby, cleaned up' ruby.h "unsafe, not-reloadable, signals changed, $once" ruby.c '' \
    -DCLEANS_UP $(flags ruby-3.1)
  library Perl perl.h "unsafe, not-reloadable, signals changed, $once" perl.c '' \
    $(perl -MExtUtils::Embed -e ccopts -e ldopts 2>/dev/null)
  library MPI mpi.h "unsafe, not-reloadable, signals changed, $once" mpi.c '' $(flags ompi)
  library LLVM llvm/Support/CommandLine.h "unsafe, not-reloadable, $once" llvm.cpp '' \
    $(llvm-config-14 --cppflags --ldflags --libs 2>/dev/null)
  library R Rembedded.h "unsafe, not-reloadable, signals changed, $once" runtime.c '' \
    -DUSES_R "-DR_HOME=\"$(R RHOME 2>/dev/null)\"" $(flags libR)
  library Java jni.h "unsafe, not-reloadable, signals changed, $once" runtime.c '' -DUSES_JAVA \
    "-I$java/include" "-I$java/include/linux" "-L$java/lib/server" \
    "-Wl,-rpath,$java/lib/server" -ljvm
  library Haskell HsFFI.h "unsafe, not-reloadable, signals changed, $once" runtime.c '' \
    -DUSES_HASKELL "-I$haskell/include" $(haskell_flags)
  library ECL ecl/ecl.h "unsafe, not-reloadable, signals changed, $once" runtime.c '' -DUSES_ECL \
    -lecl
  library Chicken chicken/chicken.h "unsafe, not-reloadable, $once" runtime.c '' \
    -DUSES_CHICKEN -I/usr/include/chicken -lchicken
  library Mono mono/jit/jit.h "unsafe, not-reloadable, signals changed, $once" runtime.c '' \
    -DUSES_MONO $(flags mono-2)
}
