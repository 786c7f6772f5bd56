#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
#
# Thrift 0.17.0: `thrift -audit` accepts a typedef whose type changed, and refuses one that was
# replaced by the same type.
#
# An audit compares two releases of an interface and fails if the type of a field changed, so a good
# guess is that it compares what is sent. But it compares names, and the name of a typedef is its
# own. If an ID grows from i32 to i64 in its typedef, nothing is reported, while the generated code
# sends another type. If a field is declared as i32 in place of a typedef of i32, the generated code
# sends the same, and the audit fails.
#
# Output seen:
#   typedef i32 Id, now i64: audit 0, writeI32, now writeI64
#   Id, now i64: audit 2, writeI32, now writeI64
#   Id, now i32: audit 2, writeI32, now writeI32
set -eu
script=$(realpath "$0")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world"
apt-get download -qq -o APT::Sandbox::User=root thrift-compiler=0.17.0-2+b2
dpkg -x ./*.deb .

echo 'typedef i32 Id
struct Job { 1: Id id }' >old.thrift
# written RELEASE: prints how generated code writes the field
written() {
  usr/bin/thrift --gen cpp "$1.thrift"
  grep -o 'writeI[0-9]*' "gen-cpp/$1_types.cpp"
}
# audit CHANGE EXPRESSION: prints the status of an audit of a file that sed changes
audit() {
  sed "$2" old.thrift >new.thrift
  status=0
  usr/bin/thrift -audit old.thrift new.thrift 2>messages || status=$?
  echo "$1: audit $status, $(written old), now $(written new)"
}
{
  audit 'typedef i32 Id, now i64' 's/i32/i64/'
  audit 'Id, now i64' 's/1: Id/1: i64/'
  audit 'Id, now i32' 's/1: Id/1: i32/'
} >found
sed -n 's/^#   //p' "$script" | diff - found >&2
cat found
