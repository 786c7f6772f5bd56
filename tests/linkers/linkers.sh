#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# linkers.sh SOURCE GENERATED JUDGE: builds a module with each linker and many of its options, and
# changes modules with tools that strip and patch files. Compares what the program JUDGE prints
# about each file: the system's loader, `tenon inspect` and a host must agree. Prints TAP; a tool
# that is not installed is skipped.
set -u
source=$1/tests
include="-I$1/abi/include -I$source -I$2"
judge=$(realpath "$3")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
export TMPDIR="$world"
cd "$world" || exit 1

compile="cc -std=c11 -O1 -g -fPIC -fvisibility=hidden $include"
$compile -c "$source/faults/module.c" || exit
# A need for a processor of the future.
cat >future.s <<'END'
.section .note.gnu.property, "a", @note
.balign 8
.long 4, 16, 5
.asciz "GNU"
.long 0xc0008002, 4, 0x80, 0
.section .note.GNU-stack, "", @progbits
END
# A script without a segment of notes.
cat >no-notes.ld <<'END'
PHDRS
{
  text PT_LOAD FILEHDR PHDRS FLAGS(5);
  data PT_LOAD FLAGS(6);
  dynamic PT_DYNAMIC FLAGS(6);
  stack PT_GNU_STACK FLAGS(6);
}
SECTIONS
{
  . = SIZEOF_HEADERS;
  .note.tenon : { *(.note.tenon) } :text
  .text : { *(.text*) *(.rodata*) } :text
  . = ALIGN(CONSTANT(MAXPAGESIZE));
  .data.rel.ro : { *(.data.rel.ro*) } :data
  .dynamic : { *(.dynamic) } :data :dynamic
  .data : { *(.data*) *(.bss*) } :data
}
END

number=0
emulator= # of another processor
# judge NAME EXPECTED COMMAND: runs a command that makes module.so. EXPECTED is a pattern.
judge() {
  number=$((number + 1))
  rm -f module.so
  judged='no file'
  : >log
  if output=$(eval "$3" 2>&1) && [ -e module.so ]; then
    # shellcheck disable=SC2086 # a command with options
    judged=$($emulator "$judge" module.so 2>log)
  fi
  # shellcheck disable=SC2254 # a pattern
  case $judged in
    $2) echo "ok $number - $1: $judged" ;;
    *)
      printf '%s\n' "$output" "$(cat log)" | sed 's/^/# /'
      echo "not ok $number - $1: expected $2, found $judged"
      ;;
  esac
}

# skip NAME REASON
skip() {
  number=$((number + 1))
  echo "ok $number - $1 # SKIP $2"
}

has() {
  command -v "$1" >/dev/null
}

all='bfd gold lld mold'
# link 'LINKER...' EXPECTED OPTION...
link() {
  linkers=$1
  expected=$2
  shift 2
  for linker in $linkers; do
    name="ld.$linker $(echo "$*" | cut -c1-70)"
    if has "ld.$linker"; then
      judge "$name" "$expected" "$compile -shared -fuse-ld=$linker -o module.so module.o $*"
    else
      skip "$name" "no ld.$linker"
    fi
  done
}

# change EXPECTED TOOL OPTION...: changes the output of each linker
change() {
  expected=$1
  shift
  for linker in $all; do
    name="$(echo "$*" | cut -c1-70) of ld.$linker"
    if ! has "$1"; then
      skip "$name" "no $1"
    elif ! has "ld.$linker"; then
      skip "$name" "no ld.$linker"
    else
      judge "$name" "$expected" "cp $linker.so module.so && $*"
    fi
  done
}

agree='[lr]*' # "loads" or "refused"
lost='*manifest-removed'
case $(getconf GNU_LIBC_VERSION) in
  'glibc 2.'[0-3]?* | 'glibc 2.40'*) stack='loads, executable-stack' ;;
  *) stack='refused, executable-stack, load-failed' ;;
esac
directories=/nowhere$(printf ':/nowhere/%04d' $(seq 500))
zlib=$(dirname "$(realpath "$(cc -print-file-name=libz.so)")")
large='-z common-page-size=0x10000 -z max-page-size=0x10000'

for linker in $all; do
  has "ld.$linker" || continue
  $compile -shared -fuse-ld="$linker" -Wl,--enable-new-dtags -o "$linker.so" module.o \
    "-Wl,-rpath,\$ORIGIN/lib" || exit
done

link "$all" loads
link "$all" loads -s
link "$all" loads "$large"
link "$all" loads "$large" -z now
link "$all" 'refused, broken-file' -z max-page-size=512
link 'bfd lld mold' loads -Wl,-N,-Bdynamic
link bfd loads -Wl,-n,-Bdynamic
link lld 'refused, broken-file' -Wl,-n,-Bdynamic
link 'bfd lld mold' loads -z separate-code
link 'bfd lld mold' loads -z noseparate-code
link "$all" loads -z norelro
link "$all" loads -z now
link "$all" loads -z nodelete
link "$all" loads -Wl,--hash-style=sysv
link "$all" loads -Wl,--gc-sections
link "$all" loads -Wl,--build-id=none
link "$all" loads "-Wl,-rpath,$directories"
link "$all" 'refused, load-failed' -z nodlopen
link "$all" loads -z nodefaultlib
link "$all" 'refused, load-failed' -z nodefaultlib -Wl,--no-as-needed -lz
link "$all" loads -z nodefaultlib -Wl,--no-as-needed -lz "-Wl,-rpath,$zlib"
link "$all" "$stack" -z execstack
link bfd loads -z pack-relative-relocs
link 'lld mold' "$agree" -Wl,--pack-dyn-relocs=relr
if [ "$(uname -m)" = x86_64 ]; then
  for level in 2 3 4; do link bfd "$agree" -z "x86-64-v$level"; done
  link 'bfd gold mold' 'refused, load-failed' future.s
  while read -r processor level expected; do
    if has qemu-x86_64; then
      emulator="qemu-x86_64 -cpu $processor"
      judge "$level on $processor" "$expected" \
        "$compile -shared -o module.so module.o -Wl,-z,$level"
      emulator=
    else
      skip "$level on $processor" 'no qemu-x86_64'
    fi
  done <<END
core2duo x86-64-v2 refused, load-failed
Nehalem x86-64-v2 loads
Nehalem x86-64-v3 refused, load-failed
Haswell x86-64-v3 loads
Haswell x86-64-v4 refused, load-failed
END
fi
link bfd "$lost" -T no-notes.ld
if has tcc; then
  judge tcc "$lost" "tcc -shared $include -o module.so $source/faults/module.c"
else
  skip tcc 'no tcc'
fi

change loads strip module.so
change loads strip -g module.so
change loads strip --strip-unneeded module.so
change loads objcopy --strip-all --compress-debug-sections module.so
change loads objcopy -R .note.gnu.build-id module.so
change loads objcopy -R .note.gnu.property module.so
change "$lost" objcopy -R .note.tenon module.so
change 'refused, *' objcopy --only-keep-debug module.so
change loads eu-strip module.so
change loads eu-strip --strip-sections module.so
change loads eu-elfcompress module.so
change loads llvm-strip module.so
change loads llvm-strip -g module.so
change loads llvm-objcopy --strip-sections module.so
change loads llvm-objcopy -R .note.gnu.build-id module.so
change "$lost" llvm-objcopy -R .note.tenon module.so
change 'refused, *' llvm-objcopy --only-keep-debug module.so
change loads patchelf --set-rpath "/opt/lib:'\$ORIGIN'/a/longer/directory" module.so
change loads patchelf --set-rpath "$directories" module.so
change loads patchelf --set-rpath "$directories" module.so '&&' strip module.so
change loads patchelf --page-size 65536 --set-rpath "$directories" module.so
change loads patchelf --force-rpath --set-rpath /opt module.so
change loads patchelf --remove-rpath module.so
change loads patchelf --set-soname libother.so module.so
change loads patchelf --add-needed libm.so.6 module.so
change 'refused, load-failed' patchelf --replace-needed libc.so.6 libnone.so.9 module.so
change loads patchelf --no-default-lib module.so
change 'refused, load-failed' \
  patchelf --add-needed libz.so.1 module.so '&&' patchelf --no-default-lib module.so
change loads chrpath -r /opt/lib module.so
change loads chrpath -d module.so
echo "1..$number"
