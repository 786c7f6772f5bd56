#!/bin/bash
# SPDX-License-Identifier: BSL-1.0
#
# manual.sh TOOLS: checks the manual pages and the completions in the build directory TOOLS. Prints
# TAP.
set -u
tools=$1
count=0
crowd=$(mktemp -d)
trap 'rm -rf "$crowd"' EXIT
touch "$crowd"/{1..200}

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

# Each shell accepts its script, which names all commands with their descriptions.
shells_accept() {
  zsh -n "$tools/_$1" && fish --no-execute "$tools/$1.fish" && bash -n "$tools/$1.bash"
}

# fish_completes LINE EXPECTED: EXPECTED is one of the completions of fish, with its description
fish_completes() {
  found=$(PATH=$tools/tenon:$PATH fish --no-config -c "source $tools/tenon.fish; complete -C '$1'")
  echo "found: $found"
  grep -qxFe "$(printf %b "$2")" <<< "$found"
}

# zsh_completes LINE EXPECTED: EXPECTED is on the screen of a terminal after LINE and a tab, in a
# directory with more files than zsh lists without a question
zsh_completes() {
  found=$(cd "$crowd" && PATH=$tools/tenon:$PATH python3 - "$tools" "$1" "$2" << 'EOF'
import os, pty, re, select, sys, time
tools, line, expected = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execlp("zsh", "zsh", "-f", "-i")
seen, end = "", time.monotonic() + 60

def wait_for(text):
    global seen
    while text not in seen and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 65536).decode(errors="replace")
            seen = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[^ -~\n\x1b]", "", seen)

os.write(terminal, f"fpath=({tools} $fpath); autoload -Uz compinit && compinit -D -u; PS1='re''ady> '\n"
                   .encode())
wait_for("ready> ")  # keys that come earlier are read without completion
os.write(terminal, line.encode() + b"\t")
wait_for(expected)
print(seen)
os.close(terminal)
os.waitpid(pid, 0)
EOF
  )
  echo "found: $found"
  grep -qF "$2" <<< "$found"
}

# `PROGRAM help COMMAND` prints the same as `PROGRAM COMMAND --help`.
has_help() {
  program=$(echo "$tools"/*/"$1")
  "$program" "$2" --help | diff - <("$program" help "$2")
}

for program in tenon tenon-backup tenon-gen tenon-pipeline; do
  holds "scripts of $program" shells_accept $program
done
for program in tenon tenon-backup tenon-pipeline; do
  holds "page of $program" is_a_page $program '-h, --help'
done
holds "page of tenon-gen" is_a_page tenon-gen '--depfile'
holds "values in a page" is_a_page tenon '-a, --app TEXT'
holds "commands" completes tenon ve 'verify'
holds "options of a command" completes tenon list --plug '--plugin-path'
holds "options of the program" completes tenon-pipeline --vers '--version'
holds "words after options" completes tenon-backup --json res 'restore'
PATH=$tools/tenon:$PATH
holds "codes" completes tenon explain kind-too- 'kind-too-new'
holds "kinds" completes tenon list --kind tenon.dev/so 'tenon.dev/source'
holds "references" completes tenon inspect tenon.dev/gener 'tenon.dev/generator'
holds "commands in fish" fish_completes 'tenon ve' 'verify\tTests modules against the rules for all modules and those of the standard kinds, and calls their methods; runs their code in child processes'
holds "options in fish" fish_completes 'tenon list --plug' '--plugin-path\tDirectory to search before all others'
holds "codes in fish" fish_completes 'tenon explain kind-too-' kind-too-new
holds "commands in zsh" zsh_completes 'tenon ' 'Lists the plugins that a host would find'
holds "codes in zsh" zsh_completes 'tenon explain kind-too-' kind-too-new
holds "help of a command" has_help tenon list
holds "help of another program" has_help tenon-backup create
echo "1..$count"
