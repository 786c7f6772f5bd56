#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""report.py BUILD [--long | --windows WINE]: runs the benchmarks of a build and compares them with
the goals.

Each measurement is the median of several repetitions. Prints a line for each, and writes the same
to BUILD/measure.json and as a chart to BUILD/measure.svg. With --long, memory is measured after
100,000 restarts instead of 5,000. With --windows, only calls are measured, by programs that WINE
runs, and nothing is written.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from base64 import b64encode

sys.dont_write_bytecode = True  # keep the source directory clean
import backups
import chart
import pipelines


def at_most(nanoseconds):
    return lambda floor: nanoseconds


def over(nanoseconds):
    return lambda floor: floor + nanoseconds


def times_floor(factor):
    return lambda floor: factor * floor


def none(floor):
    return None


# what, goal, benchmark, floor
TIMES = [
    ("call", over(2), "check/latest", "check_pointer"),
    ("call, plain form", over(3.4), "check_plain", "check_pointer"),
    ("call, plugin of the C++ SDK", over(3.4), "check/sdk", "check_pointer"),
    ("call, counted", over(3.4), "check_counted", "check_pointer"),
    ("call, crashes contained", over(6.4), "check_contained", "check_pointer"),
    ("call, method of an older version", over(0.4), "check/older", "check/latest"),
    ("call by two threads", over(2), "check_shared/real_time/threads:2",
     "check_shared_pointer/real_time/threads:2"),
    ("copy of a shared_ptr and call", none, "check_shared_ptr", "check_pointer"),
    ("copy and call by two threads", none, "check_shared_ptr/real_time/threads:2",
     "check_shared_pointer/real_time/threads:2"),
    ("call with a response", over(2.4), "next", "next_pointer"),
    ("blocking call", over(3.4), "next_blocking", "next_pointer"),
    ("blocking call by two threads", over(1.3), "next_blocking/real_time/threads:2",
     "next_shared_pointer/real_time/threads:2"),
    ("read 4 KiB of a stream", over(5), "read_stream", "read_pointer"),
    ("create, call, destroy", at_most(80), "create_call_destroy/1",
     "create_call_destroy_pointer"),
    ("create, call, destroy beside 10,000", at_most(80), "create_call_destroy/10000",
     "create_call_destroy_pointer"),
    ("load, first instance, unload", at_most(70_000), "load_and_first_instance/process_time",
     "dlopen_dlsym_dlclose"),
    ("restart, loading the new generation", none, "restart/real_time:loading",
     "dlopen_dlsym_dlclose:real"),
    ("restart, draining the old generation", none, "restart/real_time:draining",
     "dlopen_dlsym_dlclose:real"),
    ("read the manifest of one file", at_most(5000), "read_manifest", "open_pread_close"),
    ("discover 500 modules", at_most(2_500_000), "discover/500/real_time",
     "read_pages/500"),
    ("the same with an index", times_floor(2), "discover_flat_indexed/500/real_time",
     "stat_flat/500/real_time"),
    ("the same in directories of versions", times_floor(2),
     "discover_nested_indexed/500/real_time", "stat_nested/500/real_time"),
    ("rescan of 500 modules", none, "rescan/500/real_time", "read_pages/500"),
    ("rescan of 2000 modules", none, "rescan/2000/real_time", "read_pages/2000"),
    ("tenon list of 500 modules", times_floor(1.3), "list_process/500/real_time",
     "start_process/real_time"),
    ("find one of 1000 by name", at_most(80), "find/1000", "find_in_table/1000"),
    ("resolve 1000 packages x 10 versions", at_most(2_000_000), "resolve_packages/whole",
     "libsolv_packages/whole"),
    ("the same with a missing package", at_most(80_000_000), "resolve_packages/broken",
     "libsolv_packages/broken"),
    ("create a host with these packages", at_most(30_000_000), "discover_packages/real_time",
     "read_pages_of_packages"),
    ("the same with an index", times_floor(0.1), "discover_packages_indexed/real_time",
     "discover_packages/real_time"),
    ("Host::resolve of all of them", at_most(30_000_000), "resolve_by_host",
     "resolve_packages/whole"),
    ("read their 30,000 requirements", at_most(15_000_000), "read_requirements",
     "resolve_packages/whole"),
]

# Benchmarks that do the same work without tenon. Their times are printed beside rows that miss
# their goals.
BY_HAND = {
    "check_plain": "check_by_hand/plain",
    "check/sdk": "check_by_hand_sdk",
    "check_counted": "check_by_hand/counted",
    "check_contained": "check_by_hand/marked",
    "next_blocking": "next_by_hand",
    "next_blocking/real_time/threads:2": "next_by_hand/real_time/threads:2",
    "read_stream": "read_by_hand",
    "create_call_destroy/1": "create_by_hand",
    "create_call_destroy/10000": "create_by_hand",
    "load_and_first_instance/process_time": "copy_dlopen_dlclose",
    "read_manifest": "parse_manifests/1",
    "discover/500/real_time": "parse_manifests/500",
    "list_process/500/real_time": "read_process/500/real_time",
    "discover_packages/real_time": "parse_manifests_of_packages",
}

# what, goal as a multiple of the floor or None, benchmark, floor
DOCUMENTS = [
    ("record, version 1 to 2", 2, "record_1_to_2", "copy_record_1"),
    ("record, version 2 to 1", 2, "record_2_to_1", "copy_record_2"),
    ("record as struct, 1 to 2", 2, "record_1_to_2_as_struct", "copy_record_1_as_struct"),
    ("record as struct, 2 to 1", 2, "created_2_to_1_as_struct", "copy_created_2_as_struct"),
    ("the same with a bag as text", 2, "record_2_to_1_as_struct", "copy_record_2_as_struct"),
    ("record, 1 to 2, to parsing it", None, "record_1_to_2", "parse_record_1"),
    ("record, 2 to 1, to parsing it", None, "record_2_to_1", "parse_record_2"),
    ("reading, one of four steps", 2, "reading_4_to_5", "copy_reading_4"),
    ("reading, up the whole chain", None, "reading_1_to_5", "copy_reading_1"),
    ("reading, down the whole chain", None, "reading_5_to_1", "copy_reading_5"),
    ("reading, up, to parsing it", None, "reading_1_to_5", "parse_reading_1"),
]
# what, goal as the minimum share of the floor, benchmark, floor
LINES = [
    ("lines of records, 1 to 2", 0.6, "convert_line_1_to_2", "plain_line_1"),
    ("lines of records, checked only", 0.6, "convert_line_2_to_2", "plain_line_2"),
    ("lines of records, 2 to 1", 0.6, "convert_line_2_to_1", "plain_line_2"),
    ("tenon convert, 1 to 2", 0.6, "tenon convert", "tenon-plain-lines"),
]

RECORDS = 200_000
RESTARTS = 5_000
ALL_RESTARTS = 100_000
# Number of instances of a restart, and its goal in nanoseconds.
INSTANCES = {1: 100_000, 100: None, 1_000: 1_000_000, 10_000: 10_000_000}
SECONDS = 5  # of calls with restarts, and of calls without


def run_benchmarks(program, wrapper=(), excluded=None):
    """Returns the medians by benchmark: the time in nanoseconds, and the bytes/s.

    Times are CPU times, which other processes do not affect. Benchmarks that wait for threads or
    processes use real time; their floor is `:real` of a benchmark."""
    output = program.parent / (program.name + ".json")
    subprocess.run(
        [*wrapper, program, "--benchmark_repetitions=5",
         "--benchmark_enable_random_interleaving=true",
         "--benchmark_report_aggregates_only=true", f"--benchmark_out={output.name}",
         *([f"--benchmark_filter=-{excluded}"] if excluded else [])],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=program.parent)
    benchmarks = json.loads(output.read_text())["benchmarks"]
    failed = [b["error_message"] for b in benchmarks if b.get("error_occurred")]
    if failed:
        sys.exit("\n".join(failed))
    times = {}
    rates = {}
    for benchmark in benchmarks:
        if benchmark["aggregate_name"] != "median":
            continue
        name = benchmark["run_name"]
        times[name] = benchmark["real_time" if "/real_time" in name else "cpu_time"]
        times[f"{name}:real"] = benchmark["real_time"]
        rates[name] = benchmark.get("bytes_per_second")
        for part in ("loading", "draining"):
            if part in benchmark:
                times[f"{name}:{part}"] = benchmark[part]
    return times, rates


def run_peers(build):
    """Returns the times of each other loader that is installed, by its name."""
    start = "tenon-peer-"
    targets = json.loads((build / "meson-info/intro-targets.json").read_text())
    names = [target["name"] for target in targets if target["name"].startswith(start)]
    return {name.removeprefix(start): run_benchmarks(build / "tools/bench/peers" / name)[0]
            for name in sorted(names)}


def run_restarts(build, what, *number):
    """Returns the output of tenon-restarts."""
    done = subprocess.run([build / "tools/bench/tenon-restarts", what, *map(str, number)],
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)


def write_records(path):
    """Writes RECORDS records of version 1, as a pipeline stores them."""
    def base64(value):
        return b64encode(json.dumps(value).encode()).decode()

    with open(path, "w") as lines:
        for number in range(RECORDS):
            value = {
                "position": base64(number),
                "metadata": {"opencdc.collection": "customers", "source": "eu-west"},
                "created_at": 1_700_000_000_000_000_000 + number,
                "key": base64({"id": number}),
                "payload": base64({"id": number, "name": "Ada Lovelace", "city": "London"}),
            }
            document = {"type": "tenon.dev/record", "version": 1,
                        "writer": "tenon-pipeline 0.1.0", "value": value}
            lines.write(json.dumps(document, separators=(",", ":")) + "\n")


def bytes_per_second(command, path):
    """Returns the rate at which a process reads the file, from its start to its end."""
    begin = time.perf_counter()
    subprocess.run([*command, path], check=True, stdout=subprocess.DEVNULL)
    return path.stat().st_size / (time.perf_counter() - begin)


def measure_conversion(build):
    """Returns the rates of `tenon convert` and of its floor, which run alternately."""
    convert = [build / "tools/tenon/tenon", "convert", "--to", "2"]
    plain = [build / "tools/bench/tenon-plain-lines"]
    with tempfile.TemporaryDirectory() as directory:
        records = pathlib.Path(directory) / "records.jsonl"
        write_records(records)
        rates = [(bytes_per_second(convert, records), bytes_per_second(plain, records))
                 for _ in range(5)]
    return {"tenon convert": statistics.median(rate[0] for rate in rates),
            "tenon-plain-lines": statistics.median(rate[1] for rate in rates)}


def rows_of_times(times, peers):
    """Yields a row for each time, followed by rows of the peers that have the same benchmark."""
    for what, goal, name, floor in TIMES:
        floor = floor if floor in times else None  # libsolv may not be installed
        floor_measured = times[floor] if floor else None
        by_hand = BY_HAND.get(name)
        yield {"what": what, "unit": "ns", "goal": goal(floor_measured),
               "measured": times[name], "floor": floor, "floor_measured": floor_measured,
               "ratio": times[name] / (floor_measured or goal(None)),
               "by_hand": by_hand, "by_hand_measured": times.get(by_hand)}
        for peer, measured in peers.items():
            if name in measured:
                yield {"what": f"{what}: {peer}", "unit": "ns", "goal": None,
                       "measured": measured[name], "floor": floor,
                       "floor_measured": floor_measured, "ratio": measured[name] / floor_measured}


def rows_of_windows(times):
    """Yields the rows of calls; the goal is four times the raw call."""
    for what, _, name, floor in TIMES:
        if name in times:
            yield {"what": what, "unit": "ns", "goal": 4 * times[floor],
                   "measured": times[name], "floor": floor, "floor_measured": times[floor],
                   "ratio": times[name] / times[floor]}


def rows_of_documents(times):
    for what, share, name, floor in DOCUMENTS:
        yield {"what": what, "unit": "ns", "goal": share and share * times[floor],
               "measured": times[name], "floor": floor, "floor_measured": times[floor],
               "ratio": times[name] / times[floor]}


def rows_of_lines(rates):
    for what, share, name, floor in LINES:
        measured, plain = (rates[line] / 2**20 for line in (name, floor))
        yield {"what": what, "unit": "MiB/s", "goal": share * plain, "at_least": True,
               "measured": measured, "floor": floor, "floor_measured": plain,
               "ratio": measured / plain}


def rows_of_rates(times):
    one = times["check_shared/real_time/threads:1"]
    two = times["check_shared/real_time/threads:2"]
    yield {"what": "throughput of two threads, to one", "unit": "times one thread", "goal": 2,
           "at_least": True, "measured": one / two, "ratio": one / two / 2}


def rows_of_restarts(latency, memory):
    quiet = latency["none"]["percentiles"]
    restarting = latency["restarting"]["percentiles"]
    for percent, what in [("50", "half of the calls"), ("99.99", "p99.99 of calls"),
                          ("100", "longest call")]:
        yield {"what": f"{what}, 100 restarts/s", "unit": "ns",
               "goal": quiet[percent] if percent == "99.99" else None,
               "measured": restarting[percent], "floor": "no restarts",
               "floor_measured": quiet[percent], "ratio": restarting[percent] / quiet[percent]}
    yield {"what": f"memory growth, {memory['restarts']:,} restarts", "unit": "kB", "goal": 1000,
           "measured": memory["grown_kB"], "ratio": memory["grown_kB"] / 1000}
    yield {"what": "images still mapped afterwards", "unit": "images", "goal": 0,
           "measured": memory["left_mapped"], "ratio": memory["left_mapped"]}


def rows_of_packages(memory):
    grown, manifests = memory["grown_kB"], memory["manifests_kB"]
    yield {"what": f"memory of a host, {memory['packages']:,} packages", "unit": "kB",
           "goal": 3 * manifests, "measured": grown, "floor": "size of their manifests",
           "floor_measured": manifests, "ratio": grown / manifests}


def rows_of_instances(times, runs):
    """Compares a restart with its floor: a restart of one instance, and creating the others."""
    for run in runs:
        count = run["instances"]
        for state, what in [("plain", ""), ("state", ", with state")]:
            measured = run[state]
            name = "dlopen_dlsym_dlclose:real"
            floor = times[name]
            by_hand = "replace_by_hand/real_time" if count == 1 and state == "plain" else None
            if count > 1:
                name = f"restart of 1, creating {count - 1:,}"
                floor = measured["one"] + measured["create_and_destroy"]
            yield {"what": f"restart of {count:,}{what}", "unit": "ns", "goal": INSTANCES[count],
                   "measured": measured["restart"], "floor": name, "floor_measured": floor,
                   "ratio": measured["restart"] / floor,
                   "by_hand": by_hand, "by_hand_measured": times.get(by_hand)}


def format_number(value):
    """Formats a number with three significant digits, or as an integer if it has more."""
    size = abs(value)
    return f"{value:,.{0 if size >= 100 else 1 if size >= 10 else 2}f}"


def format_value(value, unit):
    if unit == "ns":
        for factor, name in [(1e6, "ms"), (1e3, "us")]:
            if abs(value) >= factor:
                return f"{format_number(value / factor)} {name}"
        return f"{format_number(value)} ns"
    if unit in ("records/s", "items/s"):
        return f"{value:,.0f}/s"
    if unit == "MiB/s":
        return f"{value:,.0f} MiB/s"
    if unit == "times one thread":
        return f"x{value:.2f}"
    return f"{value:,} {unit}"


def format_cell(row, key):
    if row[key] is None:
        return "-"
    return format_value(row[key], row["unit"])


def print_rows(rows):
    print(f"{'what':43} {'goal':>13} {'measured':>13} {'ratio':>7}  to")
    for row in rows:
        floor = row.get("floor")
        to = f"{floor} {format_value(row['floor_measured'], row['unit'])}" if floor else "goal"
        if row.get("by_hand"):
            by_hand = format_value(row["by_hand_measured"], row["unit"])
            to += f"; {row['by_hand']} {by_hand}"
        print(f"{row['what']:43} {format_cell(row, 'goal'):>13} {format_cell(row, 'measured'):>13} "
              f"{row['ratio']:7.2f}  {to}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--windows", metavar="WINE")
    arguments = parser.parse_args()
    build = arguments.build.resolve()

    if arguments.windows:
        # Crashes are not contained there.
        times, _ = run_benchmarks(build / "tools/bench/tenon-bench.exe", [arguments.windows],
                                  "contained|marked")
        print_rows(rows_of_windows(times))
        return
    times, rates = run_benchmarks(build / "tools/bench/tenon-bench")
    times |= run_benchmarks(build / "tools/bench/tenon-bench-parts")[0]
    peers = run_peers(build)
    latency = run_restarts(build, "latency", SECONDS)
    memory = run_restarts(build, "memory", ALL_RESTARTS if arguments.long else RESTARTS)
    instances = [run_restarts(build, "instances", count) for count in INSTANCES]
    rates |= measure_conversion(build)
    rows = [*rows_of_times(times, peers), *rows_of_documents(times), *rows_of_lines(rates),
            *rows_of_restarts(latency, memory), *rows_of_instances(times, instances),
            *rows_of_packages(run_restarts(build, "packages")),
            *rows_of_rates(times), *pipelines.rows(build),
            *backups.rows(backups.measure(build))]
    (build / "measure.json").write_text(
        json.dumps({"measure": 1, "rows": rows, "latency": latency}, indent=2) + "\n")
    (build / "measure.svg").write_text(chart.draw(rows, latency, format_cell))
    print_rows(rows)


main()
