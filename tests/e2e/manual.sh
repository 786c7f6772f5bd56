#!/bin/bash
# SPDX-License-Identifier: BSL-1.0
#
# manual.sh TOOLS: checks the manual pages and the completions in the build directory TOOLS. Prints
# TAP.
set -u
tools=$1
count=0

# holds NAME COMMAND...: prints one point of the plan
holds() {
  count=$((count + 1))
  name=$1
  shift
  if output=$("$@" 2>&1); then
    echo "ok $count - $name"
  else
    echo "not ok $count - $name"
    echo "$output" | sed 's/^/# /'
  fi
}

# groff understands a page without a warning, and the page describes an option.
is_a_page() {
  warnings=$(groff -man -Tascii -ww "$tools/$1.1" 2>&1 >/dev/null)
  echo "$warnings"
  [ -z "$warnings" ] && groff -man -Tascii -P-cbou "$tools/$1.1" | grep -e "$2"
}

# completes PROGRAM WORDS... EXPECTED: the last of the words becomes the expected ones
completes() {
  . "$tools/$1.bash"
  expected=${*: -1}
  COMP_WORDS=("${@:1:$#-1}")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  "_${1//-/_}"
  echo "found: ${COMPREPLY[*]}"
  [ "${COMPREPLY[*]}" = "$expected" ]
}

# `PROGRAM help COMMAND` prints the same as `PROGRAM COMMAND --help`.
has_help() {
  program=$(echo "$tools"/*/"$1")
  "$program" "$2" --help | diff - <("$program" help "$2")
}

for program in tenon tenon-backup tenon-pipeline; do
  holds "page of $program" is_a_page $program '-h, --help'
done
holds "page of tenon-gen" is_a_page tenon-gen '--depfile'
holds "values in a page" is_a_page tenon '-a, --app TEXT'
holds "commands" completes tenon ve 'verify'
holds "options of a command" completes tenon list --plug '--plugin-path'
holds "options of the program" completes tenon-pipeline --vers '--version'
holds "words after options" completes tenon-backup --json res 'restore'
holds "help of a command" has_help tenon list
holds "help of another program" has_help tenon-backup create
echo "1..$count"
