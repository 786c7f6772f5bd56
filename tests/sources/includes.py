#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
#
# Checks the headers that sources include:
# - The directories of the loader are in order: each includes only itself and those before it in
#   ORDER. The public headers include only public headers.
# - Each source includes the precompiled headers whose names it uses, itself or through headers of
#   this repository. Compilers and clang-tidy do not report a missing include of these headers.
# - Mutexes are annotated ones, whose use clang checks, except in tests.
import functools
import pathlib
import re
import subprocess
import sys

ORDER = ["include", "base", "platform", "binary", "document", "package", "manifest", "trust", "image",
         "call", "catalog", "inspect", "code", "state", "supervise", "restart", "module", "control", "host", "kinds"]
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)', re.MULTILINE)

# The headers of loader/base/pch/standard.hpp and tests/pch/test.hpp, and names that need them.
NAMES = {
    "algorithm": r"std::(adjacent_find|(all|any|none)_of|binary_search|clamp|copy|copy_if|copy_n|count"
                 r"|count_if|equal|equal_range|fill|fill_n|find|find_if|find_if_not|for_each|generate"
                 r"|includes|is_sorted|lexicographical_compare|(lower|upper)_bound|max|max_element|min"
                 r"|min_element|minmax|mismatch|nth_element|partition|ranges::\w+|remove|remove_if"
                 r"|replace|reverse|rotate|search|set_\w+|shuffle|sort|stable_\w+|swap_ranges|transform"
                 r"|unique)",
    "atomic": r"std::(atomic\w*|memory_order\w*)",
    "chrono": r"std::chrono",
    "condition_variable": r"std::(condition_variable\w*|cv_status)",
    "cstdint": r"std::u?int(8|16|32|64|max|ptr)_t",
    "filesystem": r"std::filesystem",
    "functional": r"std::(bind|cref|function|greater|invoke|mem_fn|not_fn|plus|ref|reference_wrapper)",
    "gtest/gtest.h": r"(ASSERT_(DEATH|EQ|FALSE|G[ET]|L[ET]|NE|NO_\w+|STREQ|THROW|TRUE)|EXPECT_\w+"
                     r"|GTEST_\w+|INSTANTIATE_TEST_SUITE_P|TEST|TEST_F|TEST_P|TYPED_TEST\w*|testing::\w+)",
    "map": r"std::(multi)?map",
    "memory": r"std::(addressof|allocat\w+|(const|dynamic|static)_pointer_cast|default_delete"
              r"|enable_shared_from_this|make_(shared|unique)\w*|(shared|unique|weak)_ptr)",
    "mutex": r"std::(adopt_lock|call_once|defer_lock|lock_guard|once_flag|(recursive_|timed_)?mutex"
             r"|scoped_lock|try_to_lock|unique_lock)",
    "optional": r"std::(make_optional|nullopt\w*|optional)",
    "set": r"std::(multi)?set",
    "span": r"std::(as_bytes|as_writable_bytes|dynamic_extent|span)",
    "string": r"std::(basic_string|char_traits|getline|sto[a-z]+|string|to_string)",
    "string_view": r"std::(basic_)?string_view",
    "thread": r"std::(jthread|this_thread|thread)",
    "tuple": r"std::(apply|forward_as_tuple|make_from_tuple|make_tuple|tie|tuple\w*)",
    "unordered_map": r"std::unordered_(multi)?map",
    "utility": r"std::(as_const|declval|exchange|forward|in_place\w*|index_sequence\w*|make_pair|move"
               r"|pair|swap)",
    "variant": r"std::(get_if|holds_alternative|monostate|variant\w*|visit)",
    "vector": r"std::vector",
}
NAMES = {header: re.compile(rf"(?<![\w:]){names}\b") for header, names in NAMES.items()}
NOT_CODE = re.compile(r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])'|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*\"""",
                      re.DOTALL)

root = pathlib.Path(__file__).resolve().parents[2]
loader = root / "loader"
public = loader / "include"
precompiled = [loader / "base/pch/standard.hpp", root / "tests/pch/test.hpp"]


# Mutexes that clang does not check, and the sources that may use them.
UNCHECKED = re.compile(r"std::((recursive_|shared_|timed_)*mutex|lock_guard|unique_lock|scoped_lock"
                       r"|shared_lock|condition_variable\w*)\b")
UNCHECKED_IN = ("abi/include/tenon/mutex.hpp", "loader/base/lock_order.hpp", "tests/")


def misplaced(file, quote, header):
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


@functools.cache
def text(file):
    return file.read_text()


@functools.cache
def by_name():
    """Returns the headers of this repository by the names under which sources may include them."""
    found = {}
    for name in listed("*.h", "*.hpp"):
        parts = name.split("/")
        for first in range(len(parts)):
            found.setdefault("/".join(parts[first:]), []).append(root / name)
    return found


def listed(*patterns):
    return subprocess.run(["git", "ls-files", *patterns], cwd=root, check=True, text=True,
                          stdout=subprocess.PIPE).stdout.split()


def reached(file):
    """Returns the names of all headers that `file` includes, itself or through own headers."""
    names = set()
    seen = set()
    waiting = [file]
    while waiting:
        including = waiting.pop()
        if including in seen:
            continue
        seen.add(including)
        for _, header in INCLUDE.findall(text(including)):
            names.add(header)
            beside = including.parent / header
            waiting += [beside] if beside.is_file() else by_name().get(header, [])
    return names


problems = []
for file in sorted(loader.rglob("*.[ch]pp")):
    for quote, header in INCLUDE.findall(text(file)):
        problem = misplaced(file, quote, header)
        if problem:
            problems.append(f"{file.relative_to(root)} includes {header}: {problem}")
for file in precompiled:
    for _, header in INCLUDE.findall(text(file)):
        if header not in NAMES:
            problems.append(f"{file.relative_to(root)} includes {header}: it is not in NAMES")
for file in (root / name for name in listed("*.cpp", "*.hpp")):
    if file in precompiled:
        continue
    code = NOT_CODE.sub(" ", text(file))
    name = str(file.relative_to(root))
    unchecked = None if name.startswith(UNCHECKED_IN) else UNCHECKED.search(code)
    if unchecked:
        problems.append(f"{name} uses {unchecked[0]}: use tenon/mutex.hpp or base/lock_order.hpp")
    included = reached(file)
    for header, names in NAMES.items():
        used = names.search(code) if header not in included else None
        if used:
            problems.append(f"{file.relative_to(root)} uses {used[0]} but does not include {header}")
for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(bool(problems))
