# SPDX-License-Identifier: BSL-1.0
"""Measures runs of tenon-pipeline and of hand-written loops. The build directory must be on a disk."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PACKAGES = 200_000
LINES = 500_000
GENERATED = 2_000_000
SINGLE = 500_000
LARGE = 2_000  # records of 1 MB
REPETITIONS = 3
WINDOW = 32 << 20  # bytes in flight, by default


def write_packages(path):
    """Writes a package database of PACKAGES packages in the format of Debian."""
    with open(path, "w") as status:
        for number in range(PACKAGES):
            status.write(
                f"Package: package-{number}\nStatus: install ok installed\nPriority: optional\n"
                f"Section: libs\nInstalled-Size: {number % 9973}\n"
                "Maintainer: Somebody <somebody@example.org>\nArchitecture: amd64\n"
                f"Version: 1.{number % 89}-1\nDepends: libc6 (>= 2.36), package-{number // 2}\n"
                "Description: package of a measurement\n It holds nothing.\n\n")


def write_lines(path, size):
    """Writes LINES JSON objects, each of `size` bytes including its newline."""
    with open(path, "w") as lines:
        for number in range(LINES):
            start = f'{{"id":{number},"name":"name-{number}","fill":"'
            lines.write(start + "x" * (size - len(start) - 3) + '"}\n')


def run(command, cwd):
    """Returns the duration of a process in seconds, and its peak memory in bytes."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command} failed")
    return time.perf_counter() - begin, usage.ru_maxrss * 1024


class World:
    """A directory with inputs and outputs. Each output has its own name."""

    def __init__(self, build, directory):
        self.build = build.resolve()
        self.directory = pathlib.Path(directory)
        self.outputs = 0

    def output(self):
        self.outputs += 1
        return str(self.directory / f"out-{self.outputs}.jsonl")

    def pipeline(self, source, destination):
        path = self.directory / f"pipeline-{self.outputs}.json"
        out = self.output()
        path.write_text(json.dumps({
            "name": path.stem, "source": source, "destinations": [destination(out)],
            "position": f"{out}.position"}))
        return path

    def run_pipelines(self, source, destination, count=1):
        files = [self.pipeline(source, destination) for _ in range(count)]
        directories = ["plugins/examples/dpkg", "tools/bench"]
        path = [word for directory in directories for word in ("--plugin-path", self.build / directory)]
        return run([self.build / "tools/pipeline/tenon-pipeline", "run", *path, *files],
                   self.directory)

    def run_loop(self, what, path):
        out = self.output()
        return run([self.build / "tools/bench/tenon-plain-pipeline", what, path, out,
                    f"{out}.position"], self.directory)


def file_of(out):
    return {"plugin": "tenon.dev/file", "config": {"path": out}}


def table_of(out):
    return {"plugin": "tenon.dev/sqlite", "config": {"path": f"{out}.db", "table": "records"}}


def log_of(_):
    return {"plugin": "tenon.dev/log", "config": {"level": "trace"}}


def slow(_):
    return {"plugin": "bench.example/slow"}


def generator(count, size):
    return {"plugin": "tenon.dev/generator", "config": {"count": str(count), "size": str(size)}}


def rate_row(what, records, runs, goal=None):
    rate = records / statistics.median(seconds for seconds, _ in runs)
    return {"what": what, "unit": "records/s", "goal": goal, "at_least": True, "measured": rate,
            "ratio": rate / goal if goal else 1}


def loop_row(what, runs, loops, share):
    rate = LINES / statistics.median(seconds for seconds, _ in runs)
    floor = LINES / statistics.median(seconds for seconds, _ in loops)
    return {"what": what, "unit": "records/s", "goal": share * floor, "at_least": True,
            "measured": rate, "floor": "tenon-plain-pipeline", "floor_measured": floor,
            "ratio": rate / floor}


def repeated(body):
    return [body() for _ in range(REPETITIONS)]


def rows(build):
    """Yields the rows. Each run of a pipeline is followed by a run of the loop for comparison."""
    with tempfile.TemporaryDirectory(dir=build) as directory:
        world = World(build, directory)
        packages = world.directory / "status"
        write_packages(packages)
        dpkg = {"plugin": "example.io/dpkg", "config": {"path": str(packages)}}
        yield rate_row("dpkg to SQLite", PACKAGES,
                       repeated(lambda: world.run_pipelines(dpkg, table_of)))
        yield rate_row("dpkg to a file", PACKAGES,
                       repeated(lambda: world.run_pipelines(dpkg, file_of)))
        for size in (1000, 100):
            made = generator(GENERATED, size)
            generated = rate_row(f"generator to log, {size} B", GENERATED,
                                 repeated(lambda: world.run_pipelines(made, log_of)), 2_000_000)
            yield generated
        yield rate_row("two pipelines, each of them", GENERATED,
                       repeated(lambda: world.run_pipelines(made, log_of, 2)))
        single = {"plugin": "bench.example/single", "config": {"count": str(SINGLE)}}
        yield rate_row("source of version 1 to log", SINGLE,
                       repeated(lambda: world.run_pipelines(single, log_of)),
                       generated["measured"] / 4)
        for size in (100, 1000):
            lines = world.directory / f"lines-{size}.jsonl"
            write_lines(lines, size)
            source = {"plugin": "tenon.dev/file", "config": {"path": str(lines)}}
            for what, destination, share in [("file", file_of, 0.5), ("sqlite", table_of, 0.7)]:
                both = repeated(lambda: (world.run_pipelines(source, destination),
                                         world.run_loop(what, lines)))
                yield loop_row(f"file to {what}, {size} B", [one for one, _ in both],
                               [other for _, other in both], share)
        large = repeated(lambda: world.run_pipelines(generator(LARGE, 1_000_000), slow))
        yield {"what": "memory, 1 MB records, slow destination", "unit": "MiB",
               "goal": (WINDOW + (32 << 20)) >> 20,
               "measured": max(memory for _, memory in large) >> 20,
               "ratio": max(memory for _, memory in large) / (WINDOW + (32 << 20))}
