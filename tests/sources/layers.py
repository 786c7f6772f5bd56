#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
#
# Checks the order of the loader's directories: each includes only itself and those before it in
# ORDER. The public headers include only public headers.
import pathlib
import re
import sys

ORDER = ["include", "base", "platform", "binary", "document", "package", "manifest", "image", "call",
         "catalog", "module", "host", "kinds"]
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)', re.MULTILINE)

loader = pathlib.Path(__file__).resolve().parents[2] / "loader"
public = loader / "include"


def problem_of(file, quote, header):
    """Returns why `file` must not include `header`, or None."""
    directory = file.relative_to(loader).parts[0]
    if directory not in ORDER:
        return f"{directory}/ is not in the list of directories"
    if quote == "<":
        if header.startswith("tenon/testing/") and public / "tenon/testing" not in file.parents:
            return "only tests include tenon/testing/"
        if header.startswith("tenon/sdk/"):
            return "the loader does not use the SDK"
        return None
    if directory == "include":
        return "public headers include public headers, in angle brackets"
    if not (loader / header).is_file():
        return "there is no such file below loader/"
    included = pathlib.PurePath(header).parts[0]
    if included not in ORDER or ORDER.index(included) > ORDER.index(directory):
        return f"{included}/ does not come before {directory}/"
    return None


problems = 0
for file in sorted(loader.rglob("*.[ch]pp")):
    for quote, header in INCLUDE.findall(file.read_text()):
        problem = problem_of(file, quote, header)
        if problem:
            problems += 1
            print(f"{file.relative_to(loader.parent)} includes {header}: {problem}", file=sys.stderr)
sys.exit(problems != 0)
