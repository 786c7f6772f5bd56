#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
#
# commands.py BUILD: prints the compile commands of BUILD, with one for each source. Optimized builds
# compile several sources together.
import json
import pathlib
import re
import sys

build = pathlib.Path(sys.argv[1]).resolve()
commands = []
for command in json.loads((build / "compile_commands.json").read_text()):
    together = re.search(r"-unity\d+\.cpp$", command["file"])
    sources = (re.findall(r"#include<(.*)>", (build / command["file"]).read_text())
               if together else [command["file"]])
    for source in sources:
        source = source.removeprefix(f"{build}/")
        text = command["command"].removesuffix(command["file"]) + source
        commands.append({**command, "file": source, "command": text})
json.dump(commands, sys.stdout, indent=0)
