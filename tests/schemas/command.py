# SPDX-License-Identifier: BSL-1.0
"""Runs a command with --json, and validates its output with its schema.

Readers must ignore unknown keys; these tests refuse them, so that none is missing in the schema.
"""
import copy
import json
import os
import subprocess

import jsonschema

from tap import expect


def refuse_unknown_keys(schema):
    if isinstance(schema, dict):
        if "properties" in schema and "required" in schema:
            schema["additionalProperties"] = False
        for value in schema.values():
            refuse_unknown_keys(value)
    elif isinstance(schema, list):
        for value in schema:
            refuse_unknown_keys(value)


class Command:
    """A command with a home of its own. `documents` are the schemas to which its schema refers."""

    def __init__(self, executable, schema, directory, documents=(), **environment):
        self.executable = executable.resolve()  # it runs in another directory
        self.schema = json.loads(schema.read_text())
        self.documents = {document["$id"]: document for document in documents}
        self.directory = directory
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(directory),
                            "XDG_RUNTIME_DIR": str(directory), **environment}
        for name, value in os.environ.items():
            if name.endswith("SAN_OPTIONS"):
                self.environment[name] = value

    def run(self, status, *words):
        """Runs the command, and returns what it prints."""
        done = subprocess.run([self.executable, *words], cwd=self.directory, env=self.environment,
                              capture_output=True, text=True)
        expect(done.returncode == status, words, "exit status", done.returncode, done.stderr)
        return done.stdout

    def output(self, status, *words, definition=None):
        """Runs the command with --json, and returns its output, which is valid."""
        output = json.loads(self.run(status, *words, "--json"))
        self.expect_valid(output, definition or output[self.executable.name]["command"], words)
        return output

    def expect_valid(self, output, definition, *words):
        strict = copy.deepcopy(self.schema)
        refuse_unknown_keys(strict)
        strict["$ref"] = "#/$defs/" + definition
        del strict["oneOf"]
        error = self.error_of(strict, output)
        expect(error is None, *words, error)
        error = self.error_of(self.schema, output)
        expect(error is None, *words, "is not one of the outputs:", error)

    def error_of(self, schema, output):
        resolver = jsonschema.RefResolver.from_schema(schema, store=self.documents)
        validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
        return jsonschema.exceptions.best_match(validator.iter_errors(output))

    def expect_good_schema(self, name):
        jsonschema.Draft202012Validator.check_schema(self.schema)
        expect(self.schema["$id"] == f"https://tenon.dev/schemas/{name}.schema.json")
