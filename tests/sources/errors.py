#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""errors.py SOURCE TENON [--write]: checks the error codes of the sources. Prints TAP.

The table of codes is loader/base/error_codes.cpp, which `tenon explain` prints with the examples of
tools/tenon/code_examples.cpp. Each code that the sources use must be in the table, each code of the
table must be used and have an example, and abi/errors.md must equal the page that is generated from
the table. --write replaces the page.

A string literal of two or more words with hyphens between them counts as a code. A code of one
word is the word of a status; literals of one word count where a code is set or compared.
"""
import itertools
import json
import pathlib
import re
import subprocess
import sys

TABLE = "loader/base/error_codes.cpp"
EXAMPLES = "tools/tenon/code_examples.cpp"
PAGE = "abi/errors.md"
DIRECTORIES = ["loader", "sdk", "plugins", "tools"]

# Literals that have the form of a code.
OTHER_WORDS = {
    # names of programs, threads, files and objects
    "abi-diff", "inspect-for-host", "made-by", "scan-build", "tenon-backup", "tenon-conformance",
    "tenon-gen", "tenon-pipeline", "tenon-report", "tenon-verify",
    # names that the conformance kit expects a plugin to refuse
    "another-volume", "no-parameter-of-any-plugin", "no-such-operation", "no-such-snapshot",
    "no-such-volume",
    # a name in the templates of tenon new
    "photo-sdk",
    # values of settings
    "json-lines", "us-east-1", "verify-full",
    # the compiler, machines
    "initial-exec", "x86-64",
    # the dynamic loader, releases of distributions
    "ld-linux", "debian-11", "debian-12", "debian-13",
    # HTTP
    "content-type", "continuation-token", "encoding-type", "last-modified", "list-type", "max-keys",
    "start-after", "x-amz-bucket-region", "x-amz-content-sha256", "x-amz-date",
    "x-amz-security-token",
}

LITERAL = re.compile(r'"([a-z][a-z0-9]*(?:-[a-z0-9]+)+)"')
# Where a code is set or compared.
SET = re.compile(
    r"(?:\bcode = |\bcode\(\) == |\bRefusal\(|\bDestinationV2AckError(?: \w+)?\{)([^,;]*)")
SEVERITY = re.compile(r"\.severity = Severity::(\w+)")

HEAD = """# Error codes

This page is generated from `{table}`; `tenon explain CODE` prints an entry.

`Error::code()`, the output of the commands and their JSON identify an error by its code. A
released code never changes its meaning; codes may be added. The severity is the usual one: an error
becomes a warning if the module, or the rest of it, is used nevertheless. Codes of one word are the
statuses of calls. Plugins may define further codes for the records that they refuse.
"""


def without_comments(text):
    return re.sub(r"(^|\s)//.*", r"\1", text)


def sources(root):
    """Yields path and text, without comments, of each file that may use codes."""
    for directory in DIRECTORIES:
        for path in sorted((root / directory).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in (".c", ".cpp", ".h", ".hpp", ".rs") or name in (TABLE, EXAMPLES):
                continue
            if not name.startswith("tools/bench/"):
                yield name, without_comments(path.read_text())


def page(codes):
    text = HEAD.format(table=TABLE)
    area = None
    for one in codes:
        if one["area"] != area:
            area = one["area"]
            text += f"\n## {area[0].upper()}{area[1:]}\n\n"
            text += "| code | severity | meaning | usual cause | remedy | example |\n"
            text += "|---|---|---|---|---|---|\n"
        cells = [f"`{one['code']}`", one["severity"], one["meaning"], one["cause"], one["remedy"],
                 one["example"]]
        text += "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
    return text


def uses(root):
    """Returns the location of one use of each code, and the codes that errors are created with."""
    found, made = {}, set()
    for name, text in sources(root):
        def use(code, at):
            found.setdefault(code, f"{name}:{text.count(chr(10), 0, at) + 1}")
            if not text[:at].endswith(("== ", "!= ")):
                made.add(code)
        for match in LITERAL.finditer(text):
            use(match[1], match.start())
        for match in SET.finditer(text):
            for word in re.finditer(r'"([a-z]+)"', match[1]):
                use(word[1], match.start(1) + word.start())
        # The words of the statuses.
        words = r"status_word\(tenon_status status\) noexcept \{.*?\n}"
        for match in re.finditer(words, text, re.DOTALL):
            for word in re.finditer(r'"([a-z]+)"', match[0]):
                if word[1] != "ok":
                    use(word[1], match.start() + word.start())
    return found, made


def wrong_severities(root, codes):
    """Yields the errors whose severity in the sources differs from the table."""
    severities = {one["code"]: one["severity"] for one in codes}
    for name, text in sources(root):
        for match in re.finditer(r"\{\s*\.code = ([^,;]*)", text):
            stated = SEVERITY.search(text, match.end(), text.index("}", match.end()))
            for code in re.findall(r'"([a-z-]+)"', match[1]):
                if stated and code in severities and stated[1] != severities[code]:
                    yield f"{name}: {code} has the severity {stated[1]}, in the table {severities[code]}"


def main(root, tenon, *options):
    root = pathlib.Path(root)
    codes = json.loads(subprocess.check_output([tenon, "explain", "--json"]))["codes"]
    if "--write" in options:
        (root / PAGE).write_text(page(codes))
        return 0
    names = [one["code"] for one in codes]
    used, made = uses(root)
    examples = re.findall(r'^    \{"([a-z0-9-]+)",', (root / EXAMPLES).read_text(), re.MULTILINE)
    results = [
        ("Codes.AreListedOnce", sorted({name for name in names if names.count(name) > 1})),
        ("Codes.InUseAreListed", [f"{where}: {code} is not in {TABLE}"
                                  for code, where in sorted(used.items(), key=lambda use: use[1])
                                  if code not in names and code not in OTHER_WORDS]),
        ("Codes.InTheTableAreUsed",
         [f"{name} is used nowhere" for name in names if name not in made]),
        ("Codes.HaveOneExampleEach", [f"{EXAMPLES}: {name} is needed once, in the order of the table"
                                      for name, other in itertools.zip_longest(names, examples)
                                      if name != other][:1]),
        ("Codes.HaveTheSeverityOfTheTable", list(wrong_severities(root, codes))),
        ("Codes.PageIsUpToDate", [] if (root / PAGE).read_text() == page(codes) else
         [f"{PAGE} differs from the table: run tests/sources/errors.py {root} {tenon} --write"]),
    ]
    print(f"1..{len(results)}")
    for number, (name, flaws) in enumerate(results, 1):
        print(f"{'not ok' if flaws else 'ok'} {number} - {name}")
        for flaw in flaws:
            print(f"# {flaw}")
    return 1 if any(flaws for _, flaws in results) else 0


sys.exit(main(*sys.argv[1:]))
