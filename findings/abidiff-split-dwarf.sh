#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# abidiff of libabigail 2.2 reports success for modules that were built with -gsplit-dwarf, whatever
# changed in their types.
#
# abidiff reads DWARF with libdw, which can find .dwo files, so a good guess is that it sees the
# same types as without the option, or says that it found none. It compares only symbols and prints
# nothing. --fail-no-debug-info, which is meant for this case, does not fail either. A release
# script that trusts the exit status accepts a struct that grew.
#
# Output seen:
#   -g: exit status 4, 1 changed function
#   -g -gsplit-dwarf: exit status 0, no output, the type is in a .dwo file
#   -g -gsplit-dwarf with --fail-no-debug-info: exit status 0, no output
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root abigail-tools=2.2-2 libabigail0=2.2-2 \
  libdw1=0.188-2.1 libelf1=0.188-2.1 libbinutils=2.40-2 libctf0=2.40-2
for package in *.deb; do dpkg -x "$package" .; done

echo 'struct conf { int size; int mode; };
      int use(const struct conf *conf) { return conf->mode; }' >old.c
sed 's/int size;/long size;/' old.c >new.c
# compare OPTION...: prints the status and the output of abidiff
compare() {
  status=0
  LD_LIBRARY_PATH=usr/lib/x86_64-linux-gnu usr/bin/abidiff "$@" old.so new.so >report || status=$?
  if [ -s report ]; then
    text=$(sed -n 's/^Functions .* \([0-9]*\) Changed, .*/\1 changed function/p' report)
  else
    text='no output'
  fi
  echo "exit status $status, $text"
}
for options in '-g' '-g -gsplit-dwarf'; do
  for release in old new; do
    # shellcheck disable=SC2086
    cc $options -shared -fPIC -o $release.so $release.c
  done
  if [ "$options" = -g ]; then
    echo "-g: $(compare)"
  else
    readelf --debug-dump=info ./*new.dwo 2>messages | grep -q DW_TAG_structure_type
    echo "$options: $(compare), the type is in a .dwo file"
    echo "$options with --fail-no-debug-info: $(compare --fail-no-debug-info)"
  fi
done >found
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
