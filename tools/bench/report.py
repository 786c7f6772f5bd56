#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""report.py BUILD: runs the benchmarks of a build and says how they stand to the goals.

Each measurement is the median of several repetitions. Prints a line for each goal and writes the
same as BUILD/measure.json.
"""
import json
import pathlib
import subprocess
import sys

# what, goal in nanoseconds, benchmark, floor, whether the goal is over the floor
GOALS = [
    ("manifest of one file, no index", 5000, "read_manifest", "open_pread_close", False),
    ("load and first instance", 15000, "load_and_first_instance", "dlopen_dlsym_dlclose", True),
    ("call of the latest version", 2, "call_handle/latest", "call_pointer", True),
    ("unchanged method of an older version", 1, "call_handle/older", "call_handle/latest", True),
]


def run_benchmarks(build):
    """Name of each benchmark to the median of its time in nanoseconds."""
    output = build / "benchmarks.json"
    subprocess.run(
        [build / "tools/bench/tenon-bench", "--benchmark_repetitions=5",
         "--benchmark_report_aggregates_only=true", f"--benchmark_out={output}"],
        check=True, stdout=subprocess.DEVNULL)
    benchmarks = json.loads(output.read_text())["benchmarks"]
    failed = [b["error_message"] for b in benchmarks if b.get("error_occurred")]
    if failed:
        sys.exit("\n".join(failed))
    return {b["run_name"]: b["real_time"] for b in benchmarks if b["aggregate_name"] == "median"}


def time(nanoseconds):
    return f"{nanoseconds / 1000:.1f} us" if nanoseconds >= 1000 else f"{nanoseconds:.2g} ns"


def main(build):
    times = run_benchmarks(build)
    rows = []
    for what, goal, name, floor_name, over in GOALS:
        measured, floor = times[name], times[floor_name]
        rows.append({
            "what": what,
            "goal_ns": goal,
            "over_floor": over,
            "measured_ns": measured - floor if over else measured,
            "floor": floor_name,
            "floor_ns": floor,
            "ratio": measured / floor,
        })
    (build / "measure.json").write_text(json.dumps({"measure": 1, "rows": rows}, indent=2) + "\n")

    print(f"{'what':38} {'goal':>12} {'measured':>12} {'ratio':>6}  floor")
    for row in rows:
        more = "+" if row["over_floor"] else ""
        print(f"{row['what']:38} {more + time(row['goal_ns']):>12} "
              f"{more + time(row['measured_ns']):>12} {row['ratio']:6.2f}  "
              f"{row['floor']} {time(row['floor_ns'])}")


main(pathlib.Path(sys.argv[1]))
