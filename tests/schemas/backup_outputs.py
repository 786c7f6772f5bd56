#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSL-1.0
"""backup_outputs.py SOURCE TENON_GEN TENON_BACKUP: tests the schema of `tenon-backup --json`.

Prints TAP. Validates what the commands print, with success and with problems. The schema refers to
those of documents, which tenon-gen writes. Runs the python of Debian, because its package
python3-jsonschema validates.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import tap
from command import Command
from tap import expect


def item(kind, name, space=None, annotations=None, **more):
    metadata = {"name": name, "namespace": space, "annotations": annotations}
    return {"apiVersion": "v1", "kind": kind,
            "metadata": {key: value for key, value in metadata.items() if value}, **more}


class Tests:
    def __init__(self, source, tenon_gen, tenon_backup, directory):
        schemas = directory / "schemas"
        subprocess.run([tenon_gen, "schema", "--standard-specs", source / "abi", "--out", schemas,
                        source / "abi/types"], check=True)
        documents = [json.loads(file.read_text()) for file in schemas.rglob("*.json")]
        self.command = Command(tenon_backup, source / "tools/backup/backup-output.schema.json",
                               directory, documents)
        self.output = self.command.output
        self.directory = directory
        for name in ("store", "volumes/v", "snapshots", "exports/web"):
            (directory / name).mkdir(parents=True)
        (directory / "exports/web/data.bin").write_text("data")
        self.write("tenon-backup.json", {
            "store": {"plugin": "filesystem", "config": {"directory": "store"}},
            "snapshotters": [{"plugin": "directory",
                              "config": {"volumes": "volumes", "snapshots": "snapshots"}}],
            "delete_actions": [{"plugin": "external-artifacts",
                                "config": {"directory": "exports"}}]})
        self.write("items.json", {"kind": "List", "items": [
            item("PersistentVolume", "v",
                 spec={"hostPath": {"path": str(directory / "volumes/v")}}),
            item("ConfigMap", "c", "web", {"tenon.dev/external-artifact": "data.bin"})]})

    def write(self, file, value):
        (self.directory / file).write_text(json.dumps(value))

    def create(self, status, name, *words):
        return self.output(status, "create", name, "--from", "items.json", *words)

    def test_schema_follows_the_draft(self):
        self.command.expect_good_schema("backup-output")

    def test_create(self):
        expect(self.create(0, "nightly", "--dry-run")["items"][0]["backup"] == "nightly")
        expect(self.create(0, "nightly")["backup"]["snapshots"])
        expect(self.create(2, "nightly")["error"]["code"] == "already-exists")
        expect(self.create(2, "a/b")["error"]["code"] == "bad-name")
        expect(self.output(3, "create", "none", "--from", "nowhere")["error"])
        for more in ([], ["--dry-run"]):
            nothing = self.create(1, "none", "-l", "app=none", *more)
            expect(nothing["problems"][-1]["code"] == "nothing-selected", nothing)
            expect("backup" not in nothing, nothing)

    def test_create_with_problems(self):
        self.write("wrong.json", {"kind": "Pod"})
        words = ["create", "wrong", "--from", "wrong.json", "--allow-empty"]
        expect(self.output(1, *words)["problems"])

    def test_list(self):
        expect(self.output(0, "list")["backups"][0]["name"] == "nightly")

    def test_describe(self):
        expect(self.output(0, "describe", "nightly")["backup"]["backup"]["plugins"])
        expect(self.output(0, "describe", "wrong")["backup"]["problems"])
        expect(self.output(3, "describe", "none")["error"]["code"] == "not-found")

    def test_restore(self):
        to = ["--to", "restored"]
        expect(self.output(0, "restore", "nightly", *to, "--dry-run")["items"])
        expect(self.output(0, "restore", "nightly", *to)["restore"]["restored"] == 2)
        self.write("restored/resources/configmaps/namespaces/web/c.json", {})
        expect(self.output(0, "restore", "nightly", *to, "--name", "again")["restore"]["skipped"])
        expect("restore" not in self.output(1, "restore", "nightly", *to, "-l", "app=none"))
        expect(self.output(3, "restore", "none", *to)["error"])

    def test_delete(self):
        expect(self.output(0, "delete", "nightly", "--dry-run")["items"])
        (self.directory / "exports").rename(self.directory / "moved")
        failed = self.output(1, "delete", "nightly")["deletions"][0]
        expect(not failed["deleted"] and failed["problems"], failed)
        (self.directory / "moved").rename(self.directory / "exports")
        deleted = self.output(0, "delete", "nightly")["deletions"][0]
        expect(deleted["deleted"] and deleted["executed"], deleted)
        expect(self.output(3, "delete", "nightly")["error"])

    def test_expire(self):
        expect(self.output(0, "expire")["deletions"] == [])
        self.create(0, "old", "--ttl", "1ns")
        planned = self.output(0, "expire", "--dry-run")
        expect(planned["backups"] and planned["items"], planned)
        expect(self.output(0, "expire")["deletions"][0]["deleted"])

    def test_damaged_records(self):
        for record in (self.directory / "store").rglob("backup.json"):
            record.write_text("{")
        for command in (["list"], ["expire"], ["expire", "--dry-run"]):
            expect(self.output(1, *command)["problems"])
        expect(self.output(3, "describe", "wrong")["error"])

    def test_unusable_store(self):
        (self.directory / "store/tenon").rename(self.directory / "moved")
        (self.directory / "store/tenon").symlink_to("../moved")  # stores follow no links
        for command in ("list", "expire"):
            expect(self.output(3, command)["error"]["plugin"] == "tenon.dev/filesystem")

    def test_invalid_configuration(self):
        self.write("wrong.json", {})
        printed = self.command.run(2, "list", "-c", "wrong.json", "--json")
        expect(printed == "", printed)


def main(source, tenon_gen, tenon_backup):
    with tempfile.TemporaryDirectory() as directory:
        tap.run(Tests(pathlib.Path(source), pathlib.Path(tenon_gen), pathlib.Path(tenon_backup),
                      pathlib.Path(directory)))


main(*sys.argv[1:])
