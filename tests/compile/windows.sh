#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# windows.sh SOURCE GENERATED OWN: compiles the parts that a port to Windows needs unchanged, and
# reports the results in TAP. GENERATED and OWN contain the headers that the generator writes for
# the standard kinds and for the types of the loader.
#
# - clang compiles the ABI, SDK and public headers and a plugin for the target of MSVC. MinGW's
#   libraries replace Microsoft's: they are included first, and then __GNUC__ is undefined, so that
#   the headers of tenon select their code for MSVC.
# - g++ of MinGW compiles the loader without platform/posix/.
# - Only platform/posix/ includes C headers of the system. MinGW has some of POSIX, MSVC has none.
set -u
source=$1
generated=$2
own=$3
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT

abi=-I$source/abi/include
sdk=-I$source/sdk/include
loader=-I$source/loader/include

mingw=/usr/share/mingw-w64/include
library=$(dirname "$(x86_64-w64-mingw32-g++ -print-libgcc-file-name)")/include/c++
if [ ! -d "$mingw" ] || [ ! -d "$library" ]; then
  echo '1..0 # SKIP needs the Debian package g++-mingw-w64-x86-64-posix'
  exit
fi

# headers DIRECTORY... [CONDITION...]: paths of headers, without those that need GoogleTest, and the
# one of the SDK for hosts
headers() {
  find "$@" ! -name conformance_gtest.hpp ! -name testing.hpp ! -path '*/testing/*' | sort
}

# standard: the headers of the C++ library that the files on the input include, as includes
standard() {
  xargs sed -n 's/^#include \(<[a-z_]*>\).*/#include \1/p' | sort -u
}

# -- For MSVC -----------------------------------------------------------------

# msvc COMPILER STANDARD PRELUDE FILE [OPTION...]
msvc() {
  compiler=$1 standard=$2 prelude=$3 file=$4
  shift 4
  "$compiler" --target=x86_64-pc-windows-msvc -fno-ms-compatibility -D__declspec=__declspec \
    "-std=$standard" -fsyntax-only -ferror-limit=0 -Wall -Wextra -pedantic -Werror \
    "$@" -isystem "$mingw" -include "$prelude" "$file"
}

# msvc_c FILE
msvc_c() {
  printf '#include <%s>\n' stddef.h stdint.h string.h >"$world/prelude.h"
  echo '#undef __GNUC__' >>"$world/prelude.h"
  msvc clang c11 "$world/prelude.h" "$1" "$abi"
}

# msvc_cpp STANDARD FILE OPTION...: `FILE.headers` lists the headers whose library is included first
msvc_cpp() {
  standard=$1 file=$2
  shift 2
  { standard <"$file.headers" && echo '#undef __GNUC__'; } >"$file.prelude.hpp"
  msvc clang++ "$standard" "$file.prelude.hpp" "$file" -nostdinc++ "$@" "$abi" "-I$generated" \
    -isystem "$library" -isystem "$library/x86_64-w64-mingw32"
}

# including FILE: writes a file that includes the headers on the input
including() {
  tee "$1.headers" | sed 's/.*/#include "&"/' >"$1"
}

{
  echo "$source/abi/include/tenon/abi.h"
  headers "$source/abi/include" -name 'v*.h'
} | including "$world/abi.c"
{
  headers "$source/abi/include" "$source/sdk/include" -name '*.hpp'
  headers "$generated" -path '*/sdk/*.hpp'
} | including "$world/sdk.cpp"
{
  headers "$source/loader/include" -name '*.hpp'
  headers "$generated" -name '*.hpp' ! -path '*/sdk/*'
} | including "$world/public.cpp"
plugin=$world/plugin.cpp
cp "$source/plugins/examples/dpkg/dpkg.cpp" "$plugin"
{ cat "$world/sdk.cpp.headers" && echo "$plugin"; } >"$plugin.headers"

# -- The loader ---------------------------------------------------------------

# The headers of libraries, without those of glibc in the same directory.
mkdir "$world/libraries"
for entry in boost fmt sodium sodium.h spdlog; do
  ln -s "/usr/include/$entry" "$world/libraries"
done

# mingw FILE OPTION...
mingw() {
  x86_64-w64-mingw32-g++ -std=c++20 -DTENON_BUILDS_LIBRARY -DBOOST_DLL_USE_STD_FS \
    "-I$source/loader" "$loader" "$abi" "-I$own" "-I$generated" -isystem "$world/libraries" "$@"
}

# precompile: the library and the public headers, which take most of the time
precompile() {
  {
    headers "$source/loader" -name '*.hpp' ! -path '*/posix/*' | standard
    echo '#include <tenon/host.hpp>'
  } >"$world/common.hpp"
  mingw -x c++-header "$world/common.hpp" -o "$world/common.hpp.gch"
}

# c_headers: prints includes of C headers that a Windows system may not have
c_headers() {
  ! grep -rnE '^ *# *include *<[A-Za-z0-9_/]+\.h>' "$source/abi/include" "$source/sdk/include" \
    "$source/loader" --include='*.h' --include='*.hpp' --include='*.cpp' |
    grep -vE '/loader/platform/|<(tenon|gtest|spdlog|sodium)/|<(stddef|stdint|string)\.h>'
}

# -- TAP ----------------------------------------------------------------------

# point NAME COMMAND...
point() {
  name=$1
  shift
  if output=$("$@" 2>&1); then
    echo "ok $name"
  else
    printf '%s\nnot ok %s\n' "$(echo "$output" | sed 's/^/# /')" "$name"
  fi
}

# group FILE: compiles the sources that FILE lists as one, and if that fails, because names in two of
# them are the same, each alone
group() {
  sed 's/.*/#include "&"/' "$1" >"$1.cpp"
  mingw -fsyntax-only -include "$world/common.hpp" "$1.cpp" 2>/dev/null ||
    while read -r file; do
      mingw -fsyntax-only -include "$world/common.hpp" "$file" || return
    done <"$1"
}

# every_second FIRST: a point for each second group, beginning with the one with this number
every_second() {
  number=0
  for list in "$world"/group.??; do
    number=$((number + 1))
    [ $(((number - $1) % 2)) = 0 ] || continue
    first=$(head -n 1 "$list") last=$(tail -n 1 "$list")
    point "MinGW: loader/${first#"$source/loader/"} to ${last#"$source/loader/"}" group "$list"
  done
}

# The headers of libraries take most of the time, so sources are compiled in groups.
find "$source/loader" -name '*.cpp' ! -path '*/posix/*' | sort | split -l 8 -d - "$world/group."
set -- "$world"/group.*
echo "1..$((6 + $#))"
cat <<'END'
# Not checked: platform/posix/, which a port replaces; linking; Microsoft's libraries and compiler;
# GNU extensions in the sources of the loader, which g++ accepts; the two headers for GoogleTest;
# generated code for hosts other than headers.
END
{
  point 'MSVC: ABI headers in C11' msvc_c "$world/abi.c"
  point 'MSVC: SDK headers in C++17' msvc_cpp c++17 "$world/sdk.cpp" "$sdk"
  point 'MSVC: public headers in C++20' msvc_cpp c++20 "$world/public.cpp" "$loader"
  point 'MSVC: a plugin in C++17' msvc_cpp c++17 "$plugin" "$sdk"
  point 'only platform/ includes C headers of the system' c_headers
} >"$world/msvc.tap" &
point 'MinGW: the headers that files of the loader share' precompile
wait
cat "$world/msvc.tap"

# Two processes, since functions cannot be passed to xargs.
every_second 1 >"$world/first.tap" &
every_second 2
wait
cat "$world/first.tap"
