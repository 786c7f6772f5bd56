#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSL-1.0
"""schemas.py SOURCE TENON_GEN TENON [SEED]: tests the JSON Schemas of document types. Prints TAP.

Generates the schemas of the standard types and of the types in tests/documents, and compares them
with `tenon convert`, which reads strictly: with examples, with invalid documents, and with random
documents, of which some are changed at random. Runs the python of Debian, because its package
python3-jsonschema validates.
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import jsonschema

import specs
import tap
from tap import expect

DIALECT = "https://json-schema.org/draft/2020-12/schema"
STANDARD = ["abi/lock", "abi/manifest", "abi/types"]
OWN = ["tests/documents/types"]
DOCUMENTS_OF_A_VERSION = 60


class Schemas:
    """The generated schemas."""

    def __init__(self, source, tenon_gen, directory):
        self.directory = directory
        subprocess.run([tenon_gen, "schema", "--standard-specs", source / "abi", "--out", directory,
                        *(source / specs_directory for specs_directory in STANDARD + OWN)], check=True)

    def files(self):
        return sorted(str(path.relative_to(self.directory)) for path in self.directory.rglob("*.json"))

    def read(self, file):
        return json.loads((self.directory / file).read_text())

    def stored(self, document_type):
        return jsonschema.Draft202012Validator(self.read(f"{document_type}.schema.json"))

    def bare(self, document_type, label):
        return jsonschema.Draft202012Validator(
            self.read(f"{document_type}/v{label}.schema.json"))


def as_written(document):
    """Returns the text that `tenon convert` writes, so that it need not replace the file."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False) + "\n"


class Reader:
    """The strict reader of `tenon convert`."""

    def __init__(self, source, tenon):
        self.tenon = tenon
        self.own = source / OWN[0]

    def refused(self, documents, document_type, label, stored):
        """Returns the indices of the documents that are refused, with the reasons."""
        command = [self.tenon, "convert", "--in-place", "--to", label]
        if not stored:
            command += ["--type", document_type, "--from", label]
        if not document_type.startswith("tenon.dev/"):
            command += ["--specs", self.own]
        with tempfile.TemporaryDirectory() as directory:
            for index, document in enumerate(documents):
                text = document if isinstance(document, str) else as_written(document)
                pathlib.Path(directory, f"{index}.json").write_text(text)
            done = subprocess.run([*command, directory], capture_output=True, text=True)
        expect(done.returncode in (0, 1), done.stderr)
        refused = re.findall(r"^tenon convert: \S*/(\d+)\.json[:\d]*: (.*)", done.stderr, re.M)
        expect(f" {len(refused)} refused\n" in done.stderr, done.stderr)
        return {int(index): reason for index, reason in refused}


def references_of(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from references_of(part)


class Tests:
    def __init__(self, source, schemas, reader, seed):
        self.source = source
        self.schemas = schemas
        self.reader = reader
        self.seed = seed
        self.versions = specs.read_versions(source / directory for directory in STANDARD + OWN)

    def test_schemas_follow_the_draft(self):
        for file in self.schemas.files():
            schema = self.schemas.read(file)
            jsonschema.Draft202012Validator.check_schema(schema)
            expect(schema["$schema"] == DIALECT, file, "is of another draft")
            expect(schema["$id"] == f"https://{file}", file, "has the id", schema["$id"])
            for reference in references_of(schema):
                name = reference.removeprefix("#/$defs/")
                expect(name in schema["$defs"], file, "does not define", reference)

    def test_each_version_has_a_schema(self):
        needed = {f"{name}.schema.json" for name, _ in self.versions}
        needed |= {f"{name}/v{label}.schema.json" for name, label in self.versions}
        expect(needed == set(self.schemas.files()), "found", self.schemas.files())

    def test_schemas_contain_the_documentation(self):
        for (name, label), version in self.versions.items():
            schema = self.schemas.read(f"{name}/v{label}.schema.json")
            message = version.life.get("removed") or version.life.get("deprecated")
            expect(schema["title"] == f"{name}@{label}", name, label, "has another title")
            expect(schema["description"].startswith(version.spec["doc"]), name, label)
            expect((message or "") in schema["description"], name, label, "lacks", message)
            expect(schema.get("deprecated", False) == (message is not None), name, label)
            for field, definition in version.spec["fields"].items():
                doc = definition.get("doc") if isinstance(definition, dict) else None
                found = schema["properties"][field].get("description")
                expect(found == doc, name, label, field, "has the description", found)

    def test_editors_suggest_the_values_of_enums(self):
        enum = self.schemas.read("tenon.dev/record/v2.schema.json")["$defs"][
            "tenon_record_v2_operation"]
        expect({"enum": self.versions["tenon.dev/record", "2"].values_of("operation")}
               in enum["anyOf"], enum)

    def test_examples_of_the_pages_validate(self):
        seen = set()
        for page in ["abi/documents.md", "abi/manifest.md", "loader/guide/documents.md"]:
            for block in re.findall(r"```json\n(\{.*?)```", (self.source / page).read_text(), re.S):
                example = json.loads(block)
                if {"type", "version", "value"} <= example.keys():
                    seen.add(example["type"])
                    self.schemas.stored(example["type"]).validate(example)
                elif "manifest" in example:
                    seen.add(example["manifest"])
                    self.schemas.bare("tenon.dev/manifest", example["manifest"]).validate(example)
        expect(seen == {"tenon.dev/record", "tenon.dev/lock", 1}, "the pages contain only", seen)

    def test_golden_documents_validate(self):
        goldens = re.compile(r"(.+?)_(\w+)_(\d+)_to_(\d+)")
        count = 0
        for path in sorted((self.source / "tests/documents/goldens").glob("*.jsonl")):
            domain, name, *labels = goldens.fullmatch(path.stem).groups()
            if (f"{domain}/{name}", "1") not in self.versions:
                continue
            validators = [self.schemas.bare(f"{domain}/{name}", label) for label in labels]
            for number, line in enumerate(path.read_text().splitlines()):
                validators[number % 2].validate(json.loads(line))
                count += 1
        expect(count > 0, "there are no golden documents")

    def test_documents_of_the_fuzzers_validate(self):
        """Whatever the reader accepts, the schema accepts."""
        corpus = self.source / "tests/fuzz/corpus"
        texts = [path.read_text() for directory in ("documents", "lock")
                 for path in sorted((corpus / directory).glob("*.json"))]
        accepted = 0
        for name, label in self.versions:
            if not name.startswith("tenon.dev/"):
                continue
            for stored in (False, True):
                refused = self.reader.refused(texts, name, label, stored)
                for index, text in enumerate(texts):
                    if index in refused:
                        continue
                    document = json.loads(text)
                    accepted += 1
                    is_stored = isinstance(document.get("type"), str) and "value" in document
                    self.validator(document if is_stored else None, name, label).validate(document)
        expect(accepted > 0, "no document was accepted")

    def validator(self, stored, name, label):
        return self.schemas.stored(stored["type"]) if stored else self.schemas.bare(name, label)

    def test_invalid_documents_are_refused(self):
        lock = {"type": "tenon.dev/lock", "version": 1, "value": {"packages": [{"name": "a.b/c"}]}}
        changes = {
            "a version that is too new": {"version": 2},
            "a version below 1": {"version": 0},
            "a preview that does not exist": {"version": "1preview1"},
            "no version": {"version": ...},
            "another type": {"type": "tenon.dev/lokc"},
            "no type": {"type": ...},
            "no value": {"value": ...},
            "a value that is null": {"value": None},
            "an unknown key": {"wirter": "photo"},
            "a writer that is no text": {"writer": 1},
            "a key for the schema": {"$schema": DIALECT},
            "an unknown field": {"value": {"package": []}},
            "an unknown field of a struct": {"value": {"packages": [{"nmae": "a.b/c"}]}},
            "an object in place of a list": {"value": {"packages": {}}},
            "a number in place of a text": {"value": {"packages": [{"name": 1}]}},
            "a bag that is null": {"value": {"bag": None}},
        }
        self.schemas.stored("tenon.dev/lock").validate(lock)
        expect(not self.reader.refused([lock], "tenon.dev/lock", "1", True), "the lock is refused")
        documents = [{key: value for key, value in {**lock, **change}.items() if value is not ...}
                     for change in changes.values()]
        refused = self.reader.refused(documents, "tenon.dev/lock", "1", True)
        for index, (what, document) in enumerate(zip(changes, documents)):
            expect(index in refused, "the reader accepts", what)
            expect(not self.schemas.stored("tenon.dev/lock").is_valid(document),
                   "the schema accepts", what)

    def test_each_type_of_field_is_accepted_as_readers_do(self):
        fields = {}  # the first field of each type
        for (name, label), version in self.versions.items():
            for field, text in specs.types_of(version.spec["fields"]).items():
                fields.setdefault(text, (name, label, field))
        for name, label, field in fields.values():
            documents = [{field: value} for value in specs.ODD_VALUES]
            self.compare(name, label, documents, self.schemas.bare(name, label), False)

    def test_bare_documents_are_accepted_as_readers_do(self):
        self.compare_random(self.schemas.bare, lambda name, label, document, chance: document,
                            False)

    def test_stored_documents_are_accepted_as_readers_do(self):
        self.compare_random(lambda name, label: self.schemas.stored(name), self.store, True)

    def store(self, name, label, document, chance):
        version = int(label) if label.isdigit() else label
        stored = {"type": name, "version": version, "value": document}
        if chance.random() < 0.3:
            stored["writer"] = "example.io/photo 1.0.0"
        if chance.random() < 0.3:
            stored["version"] = chance.choice([label, version, 98, "98", "98preview1", 2**31, -1,
                                               0.5, None, True, [version]])
        return stored

    def compare_random(self, validator_of, form, stored):
        refused = []
        for (name, label), version in self.versions.items():
            chance = random.Random(f"{self.seed} {name} {label}")
            generator = specs.Generator(self.versions, chance)
            documents = []
            for _ in range(DOCUMENTS_OF_A_VERSION):
                document = generator.document(version)
                for _ in range(chance.randrange(3)):
                    specs.mutate(document, chance)
                documents.append(form(name, label, document, chance))
            refused += self.compare(name, label, documents, validator_of(name, label), stored)
        print(f"# seed {self.seed}: {sum(refused)} of {len(refused)} documents refused")
        expect(0.2 < sum(refused) / len(refused) < 0.8, "too few are accepted or refused")

    def compare(self, name, label, documents, validator, stored):
        """Checks that schema and reader accept the same documents. Returns for each whether it is
        refused."""
        refused = self.reader.refused(documents, name, label, stored)
        for index, document in enumerate(documents):
            error = jsonschema.exceptions.best_match(validator.iter_errors(document))
            expect((error is None) == (index not in refused), f"seed {self.seed},", name, label,
                   json.dumps(document), "\nreader:", refused.get(index, "accepted"),
                   "\nschema:", error.message if error else "accepted")
        return [index in refused for index in range(len(documents))]


def main(source, tenon_gen, tenon, seed=None):
    source = pathlib.Path(source)
    with tempfile.TemporaryDirectory() as directory:
        tap.run(Tests(source, Schemas(source, tenon_gen, pathlib.Path(directory)),
                      Reader(source, tenon), seed or str(random.randrange(2**32))))


main(*sys.argv[1:])
