#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""check.py holds|faults [SPIN [CC...]]: checks the models of the call guard with spin.

holds: searches all states of each configuration and expects no fault. faults: removes one step of
the protocol in each configuration, and expects that spin finds the fault that the step prevents.
Prints TAP, a line for each configuration with the number of states.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# Safety: no assertion of the model fails, and no process is blocked forever.
# Progress: every call and every restart ends if each thread is scheduled again and again.
HOLDS = [
    # model, goal, macros, description
    ("guard", "safety", "", "calls of two threads while a restart replaces the module"),
    ("guard", "safety", "RESTARTS=2 STORES=1", "the same with two restarts, one under way"),
    ("guard", "safety", "STATE", "calls while a restart transfers state at the closed gate"),
    ("guard", "safety", "ORDERED", "calls that order their own slots"),
    ("guard", "safety", "ORDERED STATE", "the same with state"),
    ("guard", "safety", "REFUSES RESTARTS=2 READERS=1 CALLS=3",
     "the system refuses the barrier during one of two restarts"),
    ("guard", "safety", "REFUSES RESTARTS=2 CALLS=1 STORES=1", "the same with two threads"),
    ("guard", "safety", "REFUSES RESTARTS=2 READERS=1 STATE STORES=1", "the same with state"),
    ("guard", "safety", "DEEPEST=2", "calls inside calls, the inner ones without a slot"),
    ("guard", "safety", "DEEPEST=2 STATE STORES=1", "the same with state"),
    ("guard", "safety", "DEEPEST=3 LEVELS=2 CALLS=4 READERS=1 STATE",
     "calls three deep, which pass the closed gate"),
    ("guard", "safety", "WEAK DEEPEST=2 LEVELS=2",
     "calls inside calls whose slots are stored in any order"),
    ("guard", "safety", "WEAK DEEPEST=2 LEVELS=2 READERS=1 CALLS=3 STATE",
     "the same with state"),
    ("guard", "safety", "FULL", "calls of a thread without a free slot"),
    ("guard", "safety", "FULL STATE", "the same with state"),
    ("guard", "safety", "GROWS", "an instance that needs a larger array of targets"),
    ("guard", "safety", "GROWS STATE STORES=1", "the same with state"),
    ("guard", "safety", "SIGNALS LEVELS=2 CALLS=1", "calls in a signal handler"),
    ("guard", "safety", "THREADS_END", "threads that end, whose records are reused"),
    ("guard", "safety", "THREADS_END STATE STORES=1", "the same with state"),
    ("guard", "safety", "DEADLINES STATE CALLS=1 STORES=1", "a gate whose deadline passes"),
    ("guard", "safety", "DEADLINES STATE CALLS=1 STORES=1 SAVING_HANGS",
     "the same, and save_state hangs or returns late"),
    ("guard", "progress", "CALLS=1", "calls and a restart end"),
    ("guard", "progress", "CALLS=1 STATE", "the same with state"),
    ("guard", "progress", "READERS=1 STATE DEEPEST=2 LEVELS=2",
     "calls inside a call end at a closed gate without a deadline"),
    ("guard", "progress", "READERS=1 REFUSES RESTARTS=2",
     "restarts end if the barrier is refused"),
    ("guard", "progress", "READERS=1 STATE DEADLINES SAVING_HANGS",
     "calls and the restart end although save_state hangs"),
    ("guard", "progress", "READERS=1 STATE DEADLINES DEEPEST=2 FULL",
     "calls inside a call without a slot end at the deadline of the gate"),
    ("guard", "progress", "CALLS=1 STORES=1 STATE DEADLINES HANGS",
     "a restart and other calls end although a call never does"),
    ("blocking", "safety", "RESTARTS=2", "a restart cancels calls that block, and no others"),
    ("blocking", "safety", "READERS=2 CALLS=1", "the same with two threads"),
    ("blocking", "safety", "REFUSES RESTARTS=2", "the same if the system refuses the barrier"),
]

UNLOADED = "assertion violated (inside[old]==0)"
SAVED = "assertion violated (inside[generation]==0)"
WAITS = "acceptance cycle"
STOPS = "invalid end state"
FAULTS = [
    # The last item is the error that spin must report.
    ("guard", "safety", "NO_BARRIER", "no barrier: unloads under a call", UNLOADED),
    ("guard", "safety", "NO_RECHECK", "no second load of the current array: the same", UNLOADED),
    ("guard", "safety", "ORDERED KEEPS_CURRENT",
     "calls rely on a barrier that does not exist", UNLOADED),
    ("guard", "safety", "ORDERED STORES_UNORDERED",
     "calls on the slow path do not order slots", UNLOADED),
    ("guard", "safety", "REFUSES READERS=1 UNLOADS_UNKNOWN", "unloads without a barrier", UNLOADED),
    ("guard", "safety", "REFUSES RESTARTS=2 READERS=1 CALLS=3 NO_PAUSE",
     "no pause after the refusal", UNLOADED),
    ("guard", "safety", "REFUSES RESTARTS=2 READERS=1 STATE STORES=1 PAUSES_ALONE",
     "a restart that does not wait for the pause of another thread", SAVED),
    ("guard", "safety", "FULL IGNORES_OVERFLOW", "calls without a slot are not counted", UNLOADED),
    ("guard", "safety", "FULL COUNTS_LAST", "such calls are counted after the load",
     "assertion violated loaded[(serving%4)]"),
    ("guard", "safety", "GROWS READERS=1 SEES_LAST_ARRAY",
     "a restart looks only for the last array", UNLOADED),
    ("guard", "safety", "SIGNALS LEVELS=2 READERS=1 TAKES_SLOT_LAST",
     "a slot is stored before it is taken", UNLOADED),
    ("guard", "safety", "THREADS_END GIVES_BACK_UNORDERED", "a record is reused at once", UNLOADED),
    ("guard", "safety", "THREADS_END STATE CALLS=1 LISTS_RECORDS_FIRST",
     "a restart lists the records before it closes the gate", SAVED),
    ("guard", "safety", "STATE SAVES_AT_ONCE", "saves state during calls", SAVED),
    ("guard", "safety", "STATE DEADLINES SAVING_HANGS READERS=1 PUBLISHES_LATE",
     "transfers state although calls have continued", "assertion violated  !(changed)"),
    ("guard", "safety", "STATE DEADLINES CALLS=1 STAYS_CLOSED", "the gate stays closed",
     "assertion violated (published!=8)"),
    ("guard", "safety", "STATE CALLS=1 WAKES_NOBODY", "calls at the gate are not woken", STOPS),
    ("guard", "progress", "STATE READERS=1 DEEPEST=2 LEVELS=2 NO_PASSAGE",
     "calls inside a call do not pass the gate", WAITS),
    ("blocking", "safety", "NO_BARRIER", "no barrier: misses a call that blocks", STOPS),
    ("blocking", "safety", "INTERRUPTS_LATE", "looks for calls before it sets its flag", STOPS),
    ("blocking", "safety", "NO_WAITING", "calls do not wait for the thread that cancels them",
     "assertion violated alive[call]"),
    ("blocking", "safety", "IGNORES_SLOT", "cancels calls of other generations",
     "assertion violated in_old[call]"),
    ("blocking", "safety", "REFUSES RESTARTS=2 NO_PAUSE", "no pause after the refusal", STOPS),
    ("blocking", "safety", "REFUSES RESTARTS=2 READS_ORDER_FIRST",
     "calls check whether to order before they store", STOPS),
]

MOST_MEMORY = 1000  # MB
MOST_DEPTH = 100_000


def search(model, goal, switches, spin, cc, optimize):
    """Returns the output of the search of a configuration, or the error of a tool."""
    with tempfile.TemporaryDirectory() as directory:
        def run(*command):
            return subprocess.run(command, cwd=directory, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)

        generated = run(spin, *(f"-D{switch}" for switch in switches.split()), "-a", str(model))
        if generated.returncode != 0 or "Error" in generated.stdout:
            return generated.stdout
        kind = ["-DNFAIR=3"] if goal == "progress" else ["-DSAFETY", "-DNOCLAIM", "-DCOLLAPSE"]
        compiled = run(*cc, optimize, "-w", f"-DMEMLIM={MOST_MEMORY}", *kind, "pan.c", "-o", "pan")
        if compiled.returncode != 0:
            return compiled.stdout
        fair = ["-a", "-f"] if goal == "progress" else []
        return run("./pan", *fair, f"-m{MOST_DEPTH}", "-w22", "-n").stdout


def verdict(printed, expected):
    """Returns whether the result is as expected, and a description."""
    states = re.search(r"^\s*(\d+) states, stored", printed, re.M)
    errors = re.search(r"errors: (\d+)", printed)
    fault = re.search(r"^pan:1: (.*?) \(at depth", printed, re.M)
    if not states or not errors:
        return False, "the tools failed"
    said = fault.group(1) if fault else None
    if expected is None:
        whole = "Search not completed" not in printed and "max search depth" not in printed
        good = errors.group(1) == "0" and said is None and whole
        return good, f"{states.group(1)} states, " + (said or ("no fault" if good else "not all"))
    return said == expected, f"{states.group(1)} states, " + (said or "no fault")


def main(what, spin="spin", *cc):
    configurations = [(*one, None) for one in HOLDS] if what == "holds" else FAULTS
    directory = pathlib.Path(__file__).resolve().parent
    print(f"1..{len(configurations)}")
    failed = False
    for number, (model, goal, switches, text, expected) in enumerate(configurations, 1):
        printed = search(directory / f"{model}.pml", goal, switches, spin, cc or ("cc",),
                         "-O1" if expected is None else "-O0")
        good, how = verdict(printed, expected)
        print(f"{'ok' if good else 'not ok'} {number} - {model} [{switches or 'plain'}], {goal}: "
              f"{text}: {how}", flush=True)
        if not good:
            failed = True
            print("\n".join(f"# {line}" for line in printed.splitlines()), flush=True)
    return failed


sys.exit(main(*sys.argv[1:]))
