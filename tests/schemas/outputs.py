#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSL-1.0
"""outputs.py SOURCE TENON MODULES HOST COUNTER: tests the schema of `tenon --json`. Prints TAP.

Validates what the commands print, with success and with problems. MODULES is a directory of
packages that require each other, HOST runs COUNTER until it is ended. Runs the python of Debian,
because its package python3-jsonschema validates.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import tap
from command import Command
from tap import expect


class Tests:
    def __init__(self, source, tenon, modules, host, counter, directory):
        self.command = Command(tenon, source / "tools/tenon/output.schema.json", directory,
                               PHOTO_PLUGIN_PATH="plugins")
        self.specs = str(source / "abi")
        self.dll = str(source / "tests/fuzz/corpus/pe/imports.dll")
        self.modules = modules
        self.host = host.resolve()
        self.counter = counter
        self.directory = directory
        (directory / "plugins").mkdir()

    def install(self, *names):
        for name in names:
            shutil.copy(self.modules / f"{name}.so", self.directory / "plugins")

    def output(self, status, *words, app="photo"):
        return self.command.output(status, *words, *(["-a", app] if app else []))

    def test_schema_follows_the_draft(self):
        self.command.expect_good_schema("output")

    def test_packages(self):
        self.install("colour-1.4.0", "colour-1.6.2", "blur-1.2.0", "blur-1.3.0", "lost-1.0.0",
                     "broken-1.0.0")
        expect(self.output(1, "list", "--why")["files"])
        expect(self.output(0, "resolve", "me.example/blur@^1")["packages"][0]["newer"])
        expect(self.output(1, "resolve", "me.example/blur", "me.example/lost")["errors"])
        expect(self.output(1, "lock")["left_out"])
        expect(self.output(3, "lock", "-o", "nowhere/tenon.lock")["error"])
        with open(self.directory / "plugins/colour-1.6.2.so", "ab") as module:
            module.write(b"\n")
        expect(self.output(1, "graph", "--lock", "tenon.lock")["errors"])
        expect(self.output(1, "lock", "--check")["changes"])
        expect(self.output(0, "inspect", "plugins/blur-1.2.0.so")["plugins"])
        expect(self.output(1, "inspect", "plugins/broken-1.0.0.so", app=None)["errors"])

    def test_abi_diff(self):
        self.install("colour-1.4.0", "colour-1.6.2", "blur-1.2.0")
        colour = "plugins/colour-1.4.0.so"
        expect(self.output(0, "abi", "diff", colour, "plugins/colour-1.6.2.so")["due"] == "patch")
        expect(self.output(1, "abi", "diff", "plugins/colour-1.6.2.so", colour)["error"])

    def test_for_host(self):
        self.install("colour-1.4.0")
        for version, standard in (("1.0", []), ("2.0", ["source@1"])):
            (self.directory / version).mkdir()
            (self.directory / version / "app.json").write_text(
                json.dumps({"app": "photo", "standard": standard}))
        words = ["inspect", "--for-host", "1.0", "2.0"]
        hosts = self.output(0, *words, "plugins/colour-1.4.0.so", app=None)["hosts"]
        expect([host["loads"] for host in hosts] == [False, True], hosts)
        expect(self.output(3, *words, "nowhere.so", app=None)["hosts"][0]["errors"])

    def test_pack(self):
        self.install("colour-1.4.0")
        words = ["pack", "plugins/colour-1.4.0.so", "-o", "packages"]
        expect(self.output(0, *words, app=None)["packed"])
        expect(self.output(1, *words, app=None)["errors"])

    def test_builtins(self):
        expect(self.output(0, "list", app=None)["plugins"])
        expect(self.output(0, "inspect", "tenon.dev/file", app=None)["plugins"])

    def test_files_that_are_no_modules(self):
        (self.directory / "text.so").write_text("text")
        expect(self.output(1, "inspect", "text.so", app=None)["manifest"] is None)
        expect(self.output(3, "inspect", "nowhere.so", app=None)["errors"])

    def test_dll(self):
        expect(self.output(1, "inspect", self.dll, app=None)["file"]["format"] == "PE")

    def test_codes_and_types(self):
        expect(len(self.output(0, "explain", app=None)["codes"]) > 50)
        for kind in ("tenon.dev/source@2", "tenon.dev/destination"):
            expect(self.output(0, "explain", kind, "--specs", self.specs, app=None)["kind"])
        expect(any(one["steps"] for one in self.output(0, "types", app=None)["types"]))

    def test_release(self):
        record = self.directory / ".local/state/tenon/photo/quarantined-1"
        record.parent.mkdir(parents=True, mode=0o700)
        record.write_text("record of tenon, version 1\npackage: a.b/c\nversion: 1.0.0\n"
                          "file: /nowhere/c.so\nidentity: 1 2 3 4\ntime: 5\nquarantine: why\n")
        expect(self.output(0, "release", "photo", "a.b/c", app=None)["released"])
        expect(self.output(1, "release", "photo", "a.b/c", app=None)["error"])

    def test_settings(self):
        self.install("blur-1.2.0", "colour-1.4.0", "colour-1.6.2")
        expect(self.output(0, "disable", "me.example/blur")["changed"])
        expect(self.output(0, "pin", "example.io/colour@1.4.0")["package_version"] == "1.4.0")
        expect(len(self.output(1, "list", "--why")["settings"]["packages"]) == 2)
        self.output(0, "enable", "me.example/blur")
        self.output(0, "unpin", "example.io/colour")
        expect(self.output(1, "disable", "me.example/blurr")["error"])

    def test_running_hosts(self):
        expect(self.output(0, "ps", app=None)["hosts"] == [])
        hosted = self.directory / "hosted"
        hosted.mkdir()
        shutil.copy(self.counter, hosted)
        environment = {**self.command.environment, "PHOTO_PLUGIN_PATH": ""}
        with subprocess.Popen([self.host, hosted], cwd=self.directory, env=environment, text=True,
                              stdout=subprocess.PIPE) as host:
            try:
                ready = host.stdout.readline()
                expect(ready == "ready\n", "the host prints", ready)
                self.check_running_host(str(host.pid))
            finally:
                host.kill()

    def check_running_host(self, host):
        command = self.command
        expect(command.output(0, "ps")["hosts"][0]["modules"])
        expect(command.output(0, "status", host)["status"]["modules"][0]["methods"])
        expect(command.output(0, "restart", host)["restarts"][0]["modules"])
        for name in ("colour-1.4.0", "broken-1.0.0"):
            shutil.copy(self.modules / f"{name}.so", self.directory / "hosted")
        expect(command.output(1, "rescan", host)["added"])
        (self.directory / "hosted/counter-1.so").write_text("text")
        expect(command.output(1, "restart", host)["restarts"][0]["error"])
        events = command.run(0, "events", host, "--json").splitlines()
        expect(any("restarted" in event for event in events), events)
        for event in events:
            command.expect_valid(json.loads(event), "event", event)

    def test_verify(self):
        self.install("colour-1.4.0")
        self.output(1, "verify", "plugins/colour-1.4.0.so", app=None)
        self.output(3, "verify", "plugins", "nowhere.so", app=None)


def main(source, *paths):
    with tempfile.TemporaryDirectory() as directory:
        tap.run(Tests(*map(pathlib.Path, [source, *paths, directory])))


main(*sys.argv[1:])
