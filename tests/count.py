#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""count.py BUILD: prints how many test cases passed and failed in the last `meson test` of a build.

A program that reports its cases (GoogleTest, TAP) counts with each of them, any other as one. A
program that failed although none of its cases did (it crashed, it hung, a sanitizer spoke at its
end) counts as one more failure. What failed or was skipped is named on standard error.
"""
import json
import pathlib
import sys
import xml.etree.ElementTree as xml


def cases_of(suites, program):
    """(passed, failed) of the cases that a program reported."""
    passed = failed = 0
    for suite in suites:
        if not (suite.get("name") + ".").startswith(f"tenon.{program}."):
            continue
        test = suite.get("name").removeprefix(f"tenon.{program}").removeprefix(".")
        for case in suite.iter("testcase"):
            name = f"{program}: {f'{test}.' if test else ''}{case.get('name')}"  # TAP has no suites
            said = {e.tag: " ".join((e.get("message") or e.text or "").split()) for e in case}
            if "failure" in said or "error" in said:
                failed += 1
                print(f"failed: {name}: {said.get('failure') or said.get('error')}", file=sys.stderr)
            elif "skipped" in said:
                reason = said["skipped"] or said.get("system-out")
                print(f"skipped: {name}: {reason}", file=sys.stderr)
            elif case.get("status") != "notrun":
                passed += 1
    return passed, failed


def main(build):
    logs = pathlib.Path(build) / "meson-logs"
    suites = xml.parse(logs / "testlog.junit.xml").getroot()
    passed = failed = 0
    for line in (logs / "testlog.json").read_text().splitlines():
        program = json.loads(line)
        if program["result"] == "SKIP":
            print(f"skipped: {program['name']}", file=sys.stderr)
            continue
        good, bad = cases_of(suites, program["name"])
        if program["result"] not in ("OK", "EXPECTEDFAIL"):
            bad = max(bad, 1)
            print(f"failed: {program['name']}", file=sys.stderr)
        elif good + bad == 0:
            good = 1
        passed += good
        failed += bad
    print(passed, failed)


main(sys.argv[1])
