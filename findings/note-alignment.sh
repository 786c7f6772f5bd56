#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# binutils 2.40, LLVM 14.0.6 and pyelftools 0.29 read different values from an ELF note whose
# section is aligned to 8.
#
# On Linux most notes are padded to 4 bytes, also in 64-bit files. A note that is declared as a
# struct in C and holds a 64-bit number is padded to 8, as the ELF specification says. A good guess
# is that readers follow the alignment of the section. binutils does. LLVM and pyelftools take the
# value from four bytes too early; LLVM warns about four bytes that are left over, pyelftools says
# nothing. If the alignment is 4, all three read the same value.
#
# Output seen:
#   written: 1122334455667788
#   readelf: 1122334455667788
#   llvm-readelf: 0000000011223344
#   pyelftools: 0000000011223344
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root llvm-14=1:14.0.6-12 libllvm14=1:14.0.6-12 \
  binutils-x86-64-linux-gnu=2.40-2 libbinutils=2.40-2 libctf0=2.40-2 python3-pyelftools=0.29-1
for package in *.deb; do dpkg -x "$package" .; done
export LD_LIBRARY_PATH=usr/lib/x86_64-linux-gnu

cat >module.c <<'END'
__attribute__((section(".note.demo"), used, aligned(8))) static const struct {
  unsigned name_size, size, type;
  char name[8];
  unsigned long value;
} note = {5, 8, 7, "Demo", 0x8877665544332211};
END
cc -shared -fPIC -Wl,--build-id=none -o module.so module.c
value() {
  sed -n 's/.*description data://p' | tr -d ' '
}
{
  echo 'written: 1122334455667788'
  echo "readelf: $(usr/bin/x86_64-linux-gnu-readelf -n module.so | value)"
  echo "llvm-readelf: $(usr/lib/llvm-14/bin/llvm-readelf -n module.so 2>warnings | value)"
  PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 -c '
from elftools.elf.elffile import ELFFile
section = ELFFile(open("module.so", "rb")).get_section_by_name(".note.demo")
print("pyelftools:", next(section.iter_notes())["n_descdata"].hex())'
} >found
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
