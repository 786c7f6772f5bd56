#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSL-1.0
"""spec_files.py SOURCE TENON_GEN [SEED]: tests the schemas of spec files. Prints TAP.

Validates all specs of the sources with abi/spec.schema.json and abi/evolution.schema.json, and
compares the schemas with `tenon-gen check`: with mistakes, and with specs that are changed at
random. Runs the python of Debian, because its package python3-jsonschema validates.
"""
import copy
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import jsonschema

import specs
import tap
from tap import expect

DIRECTORIES = ["abi/kinds", "abi/lock", "abi/manifest", "abi/types", "tests/documents/types",
           "tests/foreign/photo/kinds", "tests/specs", "tools/bench/kinds"]
CHANGED = ["tests/documents/types", "tests/specs"]
CHANGES = 600
# Codes of mistakes that the schemas find. Other mistakes depend on several values or files.
FOUND = {"bad-date", "bad-life", "bad-name", "bad-version", "empty-definition", "unknown-key",
         "unknown-word", "wrong-type"}
ODD_VALUES = [None, True, False, 0, 1, 1000000, 0.5, "", "x", "X", "hook", "draft", "2026-13-01",
              "1.0", [], [""], ["x", "x"], {}, {"type": "x"}, {"added": True}, {"removed": True},
              {"hook": True}, {"renamed_from": ""}, {"released": {}}]


def is_spec(path):
    return path.name == "evolution.json" or re.fullmatch(r"v\d+(preview\d+)?\.json", path.name)


def without(spec, key):
    return {name: value for name, value in spec.items() if name != key}


class Generator:
    """A copy of the specs of one kind or document type, which `tenon-gen check` checks."""

    def __init__(self, tenon_gen, source, directory, copied):
        self.command = [tenon_gen, "check", "--standard-specs", source / "abi", copied]
        shutil.copytree(directory, copied)
        self.files = {path: json.loads(path.read_text())
                      for path in sorted(copied.rglob("*.json")) if is_spec(path)}

    def accepts(self):
        return subprocess.run(self.command, capture_output=True).returncode == 0

    def problems(self, path, spec):
        """Returns all problems if the file has another content, and the codes of its own."""
        path.write_text(json.dumps(spec, indent=1))
        done = subprocess.run(self.command, capture_output=True, text=True)
        path.write_text(json.dumps(self.files[path]))
        expect(done.returncode in (0, 1), done.stderr)
        own = re.findall(rf"^{re.escape(str(path))}:\d+:\d+: error\[([a-z-]+)\]", done.stderr, re.M)
        return done.stderr, set(own)


class Tests:
    def __init__(self, source, tenon_gen, directory, seed):
        self.source = source
        self.tenon_gen = tenon_gen
        self.seed = seed
        self.schemas = {name: json.loads((source / f"abi/{name}.schema.json").read_text())
                        for name in ("spec", "evolution")}
        copies = [Generator(tenon_gen, source, original, directory / original.name)
                  for changed in CHANGED for original in sorted((source / changed).iterdir())]
        self.generators = [copy for copy in copies if copy.accepts()]  # others need further types

    def error(self, path, spec):
        schema = self.schemas["evolution" if path.name == "evolution.json" else "spec"]
        errors = jsonschema.Draft202012Validator(schema).iter_errors(spec)
        return jsonschema.exceptions.best_match(errors)

    def test_schemas_follow_the_draft(self):
        for name, schema in self.schemas.items():
            jsonschema.Draft202012Validator.check_schema(schema)
            expect(schema["$id"] == f"https://tenon.dev/schemas/{name}.schema.json", schema["$id"])

    def test_specs_of_the_sources_validate(self):
        count = 0
        for directory in DIRECTORIES:
            for path in filter(is_spec, (self.source / directory).rglob("*.json")):
                error = self.error(path, json.loads(path.read_text()))
                expect(error is None, path, error)
                count += 1
        expect(count > 100, "found only", count, "specs")

    def test_drafts_of_the_next_version_validate(self):
        directories = [directory for directory in sorted((self.source / "abi/kinds").iterdir())
                   + sorted((self.source / "abi/types").iterdir()) if directory.is_dir()]
        for directory in directories:
            with tempfile.TemporaryDirectory() as copied:
                shutil.copytree(directory, copied, dirs_exist_ok=True)
                done = subprocess.run([self.tenon_gen, "next", copied], capture_output=True,
                                      text=True, check=True)
                for path in map(pathlib.Path, done.stdout.split()):
                    error = self.error(path, json.loads(path.read_text()))
                    expect(error is None, directory.name, path.name, error)

    def test_mistakes_are_found(self):
        kind = {"kind": "a.example/k", "version": 1, "doc": "D.",
                "methods": [{"name": "m", "doc": "D.", "threading": "any"}]}
        method = kind["methods"][0]
        document = {"type": "a.example/t", "version": 1, "doc": "D.", "fields": {"f": "int32"}}
        released = {"version": "0.1.0", "date": "2026-11-21"}
        mistakes = [
            without(kind, "methods"), without(kind, "doc"), without(kind, "version"),
            without(document, "fields"), {"version": 1, "doc": "D."}, {**kind, "methds": []},
            {**kind, "type": "a.example/t"}, {**kind, "kind": "filter"},
            {**kind, "kind": "tenon.other/k"}, {**kind, "kind": "A.example/k"},
            {**kind, "version": "1"}, {**kind, "version": 0}, {**kind, "doc": ""},
            {**kind, "restart": "never"}, {**kind, "life": "released"}, {**kind, "methods": []},
            {**kind, "life": {"released": released, "removed": "D."}},
            {**kind, "life": {"released": {**released, "date": "2026-11-32"}}},
            {**kind, "life": {"released": {**released, "date": "2026-13-01"}}},
            {**kind, "life": {"released": {**released, "version": "0.1"}}},
            *({**kind, "enums": {name: ["a"]}}
              for name in self.schemas["spec"]["$defs"]["type_name"]["not"]["enum"]),
            {**kind, "enums": {"e": []}}, {**kind, "enums": {"e": {"doc": "D."}}},
            {**kind, "structs": {"s": {"doc": "D."}}}, {**kind, "properties": {"p": {"doc": "D."}}},
            {**kind, "enums": {"e": ["a", "a"]}}, {**kind, "structs": {"s": {"fields": {}}}},
            {**kind, "structs": {"s": {"fields": {"Field": "int32"}}}},
            {**kind, "properties": {"p": "bytes"}}, {**kind, "properties": {"p": "list<string>"}},
            *({**kind, "methods": [without(method, key)]} for key in method),
            *({**kind, "methods": [{**method, **change}]} for change in (
                {"name": "applyNow"}, {"name": "resume"}, {"threading": "anny"}, {"required": 1},
                {"role": "config"}, {"role": "configure"}, {"from": []}, {"to": "X"},
                {"request": {"f": "list<int32"}}, {"request": {"f": {"type": "int32", "add": 1}}},
                {"request": {"f": {"doc": "D."}}}, {"response": {"struct_size": "int32"}})),
            {**document, "fields": {"bag": "int32"}}, {**document, "fields": {"f": "reader"}},
            {**document, "fields": {"f": "list<optional<string>>"}},
            {**document, "structs": {"s": {"fields": {"bag": "int32"}}}},
            {**document, "life": {"released": released, "deprecated": "D.", "removed": "D."}},
        ]
        generator = next(one for one in self.generators if len(one.files) == 1)
        path, = generator.files
        self.expect_found(generator, path, mistakes)

    def expect_found(self, generator, path, mistakes):
        for spec in mistakes:
            text, own = generator.problems(path, spec)
            expect(own, "the generator accepts", json.dumps(spec), text)
            expect(self.error(path, spec), "the schema accepts", json.dumps(spec))

    def test_mistakes_of_evolutions_are_found(self):
        generator = next(one for one in self.generators if "chain" in str(next(iter(one.files))))
        path = next(path for path in generator.files if path.name == "evolution.json")
        kind = generator.files[path]
        step = kind["steps"][0]
        mistakes = [without(kind, "kind"), without(kind, "steps"), {**kind, "type": "a.example/t"}]
        mistakes += [{**kind, "steps": [changed, *kind["steps"][1:]]} for changed in (
            without(step, "from"), {**step, "fields": {}}, {**step, "adaptable": False},
            {**step, "reason": "D."}, {**step, "notes": ""}, {**step, "to": "2"},
            *({**step, "methods": {"m": change}} for change in (
                {}, {"hook": False}, {"added": True}, {"added": {"value": 1}}, {"added": {}},
                {"added": {"value": {}, "unimplemented": "D."}}, {"removed": 1}, {"widened": True},
                {"added": "hook", "renamed_from": "n"}, {"added": "hook", "hook": True},
                {"hook": True, "request": {"f": {"added": True}}}, {"request": {}},
                {"request": {"f": {"added": 1}}}, {"response": {"f": {"removed": 1}}},
                {"response": {"f": {"renamed_from": "n", "added": 1}}})))]
        self.expect_found(generator, path, mistakes)

    def test_changed_specs_are_accepted_as_the_generator_does(self):
        chance = random.Random(self.seed)
        counts = {"accepted": 0, "found by both": 0, "found by the generator": 0}
        for _ in range(CHANGES):
            generator = chance.choice(self.generators)
            path = chance.choice(list(generator.files))
            spec = copy.deepcopy(generator.files[path])
            self.change(spec, chance)
            text, own = generator.problems(path, spec)
            error = self.error(path, spec)
            case = f"seed {self.seed}, {path.parent.name}/{path.name}: {json.dumps(spec)}"
            expect(not error or text, case, "\nschema:", error and error.message,
                   "\ngenerator: accepted")
            expect(error or not own & FOUND, case, "\nschema: accepted\ngenerator:", text)
            counts["found by both" if error else "found by the generator" if text
                   else "accepted"] += 1
        print(f"# seed {self.seed}: {counts}")
        expect(min(counts.values()) * 20 > CHANGES, "too few changes of one sort", counts)

    def change(self, spec, chance):
        """Changes one part, possibly to a part of another spec with the same key."""
        container, key = chance.choice(specs.nodes_of(spec))
        kind = chance.randrange(4)
        if kind == 0 and isinstance(container, dict):
            container[chance.choice(["stranger", "hook", "added", "doc", "life", "fields",
                                     "removed", "required", "split_from"])] = container.pop(key)
        elif kind == 1:
            del container[key]
        elif kind == 2:
            container[key] = copy.deepcopy(chance.choice(ODD_VALUES))
        else:
            other = chance.choice(list(chance.choice(self.generators).files.values()))
            same = [held[name] for held, name in specs.nodes_of(other) if name == key]
            if same:
                container[key] = copy.deepcopy(chance.choice(same))


def main(source, tenon_gen, seed=None):
    with tempfile.TemporaryDirectory() as directory:
        tap.run(Tests(pathlib.Path(source), tenon_gen, pathlib.Path(directory),
                      seed or str(random.randrange(2**32))))


main(*sys.argv[1:])
