# SPDX-License-Identifier: BSL-1.0
"""Reads specs of document types, and generates random documents of them."""
import base64
import copy
import json
import pathlib

INTEGERS = {f"{sign}int{bits}": (0 if sign else -(2 ** (bits - 1)), 2 ** (bits - (not sign)) - 1)
            for sign in ("", "u") for bits in (8, 16, 32, 64)}
INTEGERS["duration"] = INTEGERS["timestamp"] = INTEGERS["int64"]
TEXTS = ["", "name", "grüß", "a.b", "\n\t\"\\", "NaN", "AA==", "2"]


class Version:
    """One version of a document type."""

    def __init__(self, path):
        self.spec = json.loads(path.read_text())
        self.type = self.spec["type"]
        self.label = str(self.spec["version"])
        life = self.spec.get("life")
        self.life = life if isinstance(life, dict) else {}

    def fields_of(self, name):
        """Returns the types of the fields of a struct, or None if it is not a struct."""
        structure = self.spec.get("structs", {}).get(name)
        return structure and types_of(structure["fields"])

    def values_of(self, name):
        """Returns the values of an enum, or None if it is not an enum."""
        enum = self.spec.get("enums", {}).get(name)
        return enum["values"] if isinstance(enum, dict) else enum


def types_of(fields):
    return {name: field if isinstance(field, str) else field["type"]
            for name, field in fields.items()}


def read_versions(directories):
    """Returns all versions of document types by (type, label)."""
    versions = {}
    for directory in directories:
        for path in sorted(pathlib.Path(directory).rglob("v*.json")):
            if "type" in json.loads(path.read_text()):
                version = Version(path)
                versions[version.type, version.label] = version
    return versions


class Generator:
    """Generates documents that a strict reader accepts."""

    def __init__(self, versions, random):
        self.versions = versions
        self.random = random

    def document(self, version):
        return self.fields(version, types_of(version.spec["fields"]))

    def fields(self, version, types):
        made = {}
        for name, text in types.items():
            if self.random.random() < 0.4:
                continue
            made[name] = None if self.random.random() < 0.1 else self.value(version, text)
        if self.random.random() < 0.2:
            made["bag"] = {"to@morrow@99": {"type": "int32", "value": self.any()}}
        return made

    def value(self, version, text):
        shape, _, inner = text.partition("<")
        inner = inner[:-1]
        if shape == "optional":
            return self.value(version, inner)
        count = self.random.randrange(4)
        if shape == "list":
            return [self.value(version, inner) for _ in range(count)]
        if shape == "map":
            return {key: self.value(version, inner) for key in self.random.sample(TEXTS, count)}
        return self.plain_value(version, shape)

    def plain_value(self, version, shape):
        if shape in INTEGERS:
            return self.random.choice([*INTEGERS[shape], 0, self.random.randint(*INTEGERS[shape])])
        if shape in ("float32", "float64"):
            most = 3.4028234e38 if shape == "float32" else 1.7976931348623157e308
            return self.random.choice([0, 7, -0.5, most, -most, "NaN", "Infinity", "-Infinity"])
        if shape == "bool":
            return self.random.random() < 0.5
        if shape == "bytes":
            return base64.b64encode(self.random.randbytes(self.random.randrange(6))).decode()
        if shape == "json":
            return self.any()
        if shape == "string":
            return self.random.choice(TEXTS)
        if version.values_of(shape):
            return self.random.choice([*version.values_of(shape), "unheard_of"])
        if version.fields_of(shape):
            return self.fields(version, version.fields_of(shape))
        name, _, label = shape.partition("@")
        return self.document(
            self.versions[name if "/" in name else f"{version.type.split('/')[0]}/{name}", label])

    def any(self):
        return self.random.choice([None, True, 7, -0.5, "text", [], [1, None], {"a": {"b": []}}])


# Values that readers accept only in some fields. JSON Schema does not distinguish 1.0 from 1, so
# there is no such number.
ODD_VALUES = [None, True, 0, -1, 0.5, 127, 128, 255, 256, -129, 2**15, 2**16, 2**31, 2**32, 2**63,
              2**64, -(2**15) - 1, -(2**31) - 1, -(2**63) - 1, 3.5e38, -3.5e38, "", "x", "2", "NaN",
              "nan", "+Infinity", "AA==", "AB==", "AAA=", "AAB=", "AA=", "A A=", "AAAA", [], [None],
              [0], [[]], ["x"], [{}], {}, {"x": None}, {"x": 0}, {"x": "x"}, {"x": {}},
              {"x": [None]}]
ODD_BAGS = [None, [], {}, {"size": {"type": "int8", "value": 1}},
            {"size@": {"type": "", "value": 1}}, {"@1": {"type": "", "value": None}},
            {"size@1@": {"type": "int8", "value": 1}},
            {"size@1": {"type": "int8"}}, {"size@1": {"value": 1}}, {"size@1": None},
            {"size@1": {"type": 1, "value": 1}}, {"size@1": {"type": "int8", "value": 1, "x": 1}}]


def nodes_of(value, found=None):
    """Returns (container, key) of each value inside of another."""
    found = [] if found is None else found
    parts = value.items() if isinstance(value, dict) else (
        enumerate(value) if isinstance(value, list) else [])
    for key, part in parts:
        found.append((value, key))
        nodes_of(part, found)
    return found


def mutate(value, random):
    """Changes one part of an object."""
    objects = [value] + [container[key] for container, key in nodes_of(value)
                         if isinstance(container[key], dict)]
    kind = random.randrange(6)
    if kind == 0:
        random.choice(objects)[random.choice(["stranger", "Name", "$schema"])] = 1
    elif kind == 1:
        random.choice(objects)["bag"] = copy.deepcopy(random.choice(ODD_BAGS))
    elif nodes := nodes_of(value):
        container, key = random.choice(nodes)
        container[key] = copy.deepcopy(random.choice(ODD_VALUES))
