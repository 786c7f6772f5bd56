# SPDX-License-Identifier: BSL-1.0
"""Runs the methods of an object that begin with test_, and prints TAP."""


class Failure(Exception):
    pass


def expect(good, *what):
    if not good:
        raise Failure(" ".join(str(part) for part in what))


def run(tests):
    names = [name for name in vars(type(tests)) if name.startswith("test_")]
    print(f"1..{len(names)}")
    for number, name in enumerate(names, 1):
        try:
            getattr(tests, name)()
        except Exception as failure:  # also those of jsonschema
            for line in f"{type(failure).__name__}: {failure}".splitlines():
                print("#", line)
            print("not", end=" ")
        print(f"ok {number} - {name.removeprefix('test_').replace('_', ' ')}")
