# SPDX-License-Identifier: BSL-1.0
"""Measures tenon-backup with many items and actions, compared with tar of the same files."""
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

ITEMS = 50_000
REPETITIONS = 3
EXTRACT = "tar xzf, sync -f"  # a restore is on the disk when it ends


def write_items(directory):
    """Writes pods of about 2 kB, and their service accounts."""
    for number in range(ITEMS):
        pod = {
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"pod-{number}", "namespace": f"space-{number % 10}",
                         "labels": {"app": f"app-{number % 97}", "tier": "backend"}},
            "spec": {"serviceAccountName": "default", "containers": [
                {"name": f"c{i}", "image": f"registry.example.org/team/image-{number * 7 + i}:1.{i}",
                 "env": [{"name": f"KEY_{j}", "value": f"{hash((number, i, j)):x}"}
                         for j in range(10)]} for i in range(3)]},
            "status": {"phase": "Running", "podIP": f"10.{number % 200}.{number % 199}.7"},
        }
        (directory / f"pod-{number}.json").write_text(json.dumps(pod))
    for number in range(10):
        account = {"apiVersion": "v1", "kind": "ServiceAccount",
                   "metadata": {"name": "default", "namespace": f"space-{number}"}}
        (directory / f"account-{number}.json").write_text(json.dumps(account))


def seconds(command, cwd):
    begin = time.perf_counter()
    subprocess.run(command, check=True, cwd=cwd, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def measure(build):
    """Returns the items/s of each command, and of tar for the same files: two dictionaries."""
    build = build.resolve()
    backup = [build / "tools/backup/tenon-backup", "--plugin-path", build / "plugins/examples/redact"]
    times = {name: [] for name in ("create", "restore", "delete", "tar czf", EXTRACT)}
    with tempfile.TemporaryDirectory() as name:
        world = pathlib.Path(name)
        (world / "items").mkdir()
        write_items(world / "items")
        (world / "store").mkdir()
        (world / "tenon-backup.json").write_text(json.dumps({
            "store": {"plugin": "filesystem", "config": {"directory": "store"}},
            "restore_actions": [{"plugin": "remap-labels", "config": {"tier": "set frontend"}}]}))
        # No file is removed in the loop: ext4 avoids inodes that were freed recently, and searches
        # long for others.
        for repetition in range(REPETITIONS):
            for what, command in [
                    ("create", [*backup, "create", "pods", "--from", "items"]),
                    ("tar czf", ["tar", "czf", "items.tar.gz", "items"]),
                    ("restore", [*backup, "restore", "pods", "--to", f"restored-{repetition}",
                                 "--map-namespace", "space-1=space-2a"]),
                    (EXTRACT, ["sh", "-c", f"tar xzf items.tar.gz --one-top-level=unpacked-{repetition}"
                               f" && sync -f unpacked-{repetition}"]),
                    ("delete", [*backup, "delete", "pods"])]:
                times[what].append(seconds(command, world))
    return {what: ITEMS / statistics.median(taken) for what, taken in times.items()}


def rows(rates):
    """Yields the rows. Two actions are executed for each item of a backup and of a restore."""
    for what, floor in [("create", "tar czf"), ("restore", EXTRACT), ("delete", EXTRACT)]:
        yield {"what": f"tenon-backup {what}, {ITEMS:,} items", "unit": "items/s",
               "goal": rates[floor], "at_least": True, "measured": rates[what],
               "floor": floor, "floor_measured": rates[floor],
               "ratio": rates[what] / rates[floor]}
