#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
#
# Checks that CONTRIBUTING.md lists the points of loader/base/test_point.hpp, and that tests use each.
# Usage: points.py ROOT
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])


def names(pattern, *files):
    return {name for file in files for name in re.findall(pattern, file.read_text())}


sources = [file for part in ("loader", "tools") for file in (root / part).rglob("*.cpp")]
points = names(r'TENON_TEST_POINT\("([^"]+)"\)', *sources)
rows = re.findall(r"^\|.*", (root / "CONTRIBUTING.md").read_text(), re.MULTILINE)
listed = set(re.findall(r"`(\w+: [\w ]+)`", "\n".join(rows)))
used = {point for file in (root / "tests").rglob("*_test.cpp") for point in points
        if f'"{point}"' in file.read_text()}
print("1..2")
for number, (name, found) in enumerate((("listed", listed), ("used", used)), 1):
    for point in sorted(points ^ found):
        print("#", point)
    print("not " if points != found else "", f"ok {number} - points are {name}", sep="")
