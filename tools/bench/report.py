#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""report.py BUILD: runs the benchmarks of a build and says how they stand to the goals.

Each measurement is the median of several repetitions. Prints a line for each goal and writes the
same as BUILD/measure.json.
"""
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

# what, goal in nanoseconds, benchmark, floor, whether the goal is over the floor
TIMES = [
    ("manifest of one file, no index", 5000, "read_manifest", "open_pread_close", False),
    ("load and first instance", 15000, "load_and_first_instance", "dlopen_dlsym_dlclose", True),
    ("create and destroy an instance", 60, "create_and_destroy", None, False),
    ("call of the latest version", 2, "call_handle/latest", "call_pointer", True),
    ("unchanged method of an older version", 1, "call_handle/older", "call_handle/latest", True),
]

PACKAGES = 200_000


def run_benchmarks(build):
    """Name of each benchmark to the median of its time in nanoseconds."""
    output = build / "benchmarks.json"
    subprocess.run(
        [build / "tools/bench/tenon-bench", "--benchmark_repetitions=5",
         "--benchmark_enable_random_interleaving=true",
         "--benchmark_report_aggregates_only=true", f"--benchmark_out={output}"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    benchmarks = json.loads(output.read_text())["benchmarks"]
    failed = [b["error_message"] for b in benchmarks if b.get("error_occurred")]
    if failed:
        sys.exit("\n".join(failed))
    return {b["run_name"]: b["real_time"] for b in benchmarks if b["aggregate_name"] == "median"}


def write_packages(path):
    """A package database of PACKAGES packages, like Debian's."""
    with open(path, "w") as status:
        for number in range(PACKAGES):
            status.write(
                f"Package: package-{number}\nStatus: install ok installed\nPriority: optional\n"
                f"Section: libs\nInstalled-Size: {number % 9973}\n"
                "Maintainer: Somebody <somebody@example.org>\nArchitecture: amd64\n"
                f"Version: 1.{number % 89}-1\nDepends: libc6 (>= 2.36), package-{number // 2}\n"
                "Description: package of a measurement\n It holds nothing.\n\n")


def records_per_second(build, world, name, source, destination):
    """Of whole runs of tenon-pipeline, from start to end of the process."""
    pipeline = world / f"{name}.json"
    rates = []
    for repetition in range(3):
        out = world / f"{name}-{repetition}"
        pipeline.write_text(json.dumps({
            "name": name,
            "source": source,
            "destinations": [destination(out)],
            "position": f"{out}.position.json",
        }))
        begin = time.perf_counter()
        done = subprocess.run(
            [build / "tools/pipeline/tenon-pipeline", "run", "--plugin-path",
             build / "plugins/examples/dpkg", pipeline],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        seconds = time.perf_counter() - begin
        counts = re.search(r"acknowledged (\d+)", done.stdout)
        if done.returncode != 0 or counts is None:
            sys.exit(done.stdout + done.stderr)
        rates.append(int(counts[1]) / seconds)
    return statistics.median(rates)


def measure_pipelines(build):
    with tempfile.TemporaryDirectory() as folder:
        world = pathlib.Path(folder)
        write_packages(world / "status")
        dpkg = {"plugin": "example.io/dpkg", "config": {"path": str(world / "status")}}
        generator = {"plugin": "tenon.dev/generator", "config": {"count": "2000000", "size": "100"}}

        def table(out):
            return {"plugin": "tenon.dev/sqlite", "config": {"path": str(out), "table": "packages"}}

        def lines(out):
            return {"plugin": "tenon.dev/file", "config": {"path": f"{out}.jsonl"}}

        return [
            ("dpkg to SQLite", records_per_second(build, world, "sqlite", dpkg, table)),
            ("dpkg to a file", records_per_second(build, world, "file", dpkg, lines)),
            ("builtin to builtin, 100 bytes",
             records_per_second(build, world, "builtin", generator, lines)),
        ]


def rows_of_times(times):
    for what, goal, name, floor_name, over in TIMES:
        measured = times[name]
        floor = times[floor_name] if floor_name else None
        yield {
            "what": what,
            "unit": "ns",
            "goal": goal,
            "over_floor": over,
            "measured": measured - floor if over else measured,
            "floor": floor_name,
            "floor_measured": floor,
            "ratio": measured / floor if floor else measured / goal,
        }


def rows_of_rates(times, pipelines):
    one = times["call_shared_handle/real_time/threads:1"]
    two = times["call_shared_handle/real_time/threads:2"]
    yield {"what": "calls by two threads, one instance", "unit": "times one thread", "goal": 2,
           "measured": one / two, "ratio": one / two / 2}
    for what, rate in pipelines:
        yield {"what": what, "unit": "records/s", "goal": 2_000_000, "measured": rate,
               "ratio": rate / 2_000_000}


def shown(value, unit):
    if unit == "ns":
        return f"{value / 1000:.1f} us" if abs(value) >= 1000 else f"{value:.2g} ns"
    return f"{value:,.0f}/s" if unit == "records/s" else f"x{value:.2f}"


def main(build):
    times = run_benchmarks(build)
    rows = [*rows_of_times(times), *rows_of_rates(times, measure_pipelines(build))]
    (build / "measure.json").write_text(json.dumps({"measure": 1, "rows": rows}, indent=2) + "\n")

    print(f"{'what':38} {'goal':>12} {'measured':>12} {'ratio':>6}  to")
    for row in rows:
        more = "+" if row.get("over_floor") else ""
        floor = row.get("floor")
        to = f"{floor} {shown(row['floor_measured'], 'ns')}" if floor else "goal"
        print(f"{row['what']:38} {more + shown(row['goal'], row['unit']):>12} "
              f"{more + shown(row['measured'], row['unit']):>12} {row['ratio']:6.2f}  {to}")


main(pathlib.Path(sys.argv[1]))
