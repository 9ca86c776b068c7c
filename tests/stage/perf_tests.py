#!/usr/bin/env python3
"""Runs perf's own tests on stage and without it, and writes docs/reference/stage-perf-tests.md.

usage: perf_tests.py BOXSCORE PAGE [FOLDER]

FOLDER keeps what perf printed, one file for each machine; a file that is there is not made again.
Exit status 1: a test fails on stage that passes without it, or fails without a reason below.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# As many CPUs as most hosts have: an event of a task on a CPU that only the machine has counts nothing, though
# the task may be bound to it ("Detect openat syscall event on all cpus").
MACHINES = ["skl,cores=2", "ivbep,packages=1,cores=2", "nhmex,packages=1,cores=2"]

# Why a test fails on stage. Tests that fail without stage, too, need no reason.
REASONS = {
    "perf record tests": "it samples `br_inst_retired.near_call`, which perf lists for the processor: the machine's "
                         "counters take no samples",
}

RESULT = re.compile(r"^ *(\d+(?:\.\d+)?): (.+?) *: (Ok|Skip|FAILED!)(?: \((.*)\))?$")


def run(boxscore, machine, kept):
    file = kept / f"{machine}.txt"
    if not file.exists():
        stage = [] if machine == "none" else [boxscore, "stage", "--machine", f"virtual:{machine}", "-w",
                                              "stream,size=8M", "--"]
        done = subprocess.run(stage + ["perf", "test"], cwd="/", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        file.write_text(done.stdout)
    results = {}
    for line in file.read_text().splitlines():
        found = RESULT.match(line)
        if found:
            results[found[2]] = {"Ok": "passes", "Skip": "skipped", "FAILED!": "fails"}[found[3]]
    if len(results) < 50:
        sys.exit(f"perf_tests.py: {machine}: perf printed {len(results)} results only: {file}")
    return results


def main():
    boxscore, page = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    kept = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp())
    kept.mkdir(exist_ok=True)
    columns = ["none"] + MACHINES
    results = {machine: run(str(boxscore), machine, kept) for machine in columns}
    version = subprocess.run(["perf", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    bad, rows = [], []
    cut = [f"{test} ({', '.join(missing)})" for test in results["none"]
           if (missing := [m.split(",")[0] for m in MACHINES if test not in results[m]])]
    for test in dict.fromkeys(test for machine in columns for test in results[machine]):
        each = [results[machine].get(test, "–") for machine in columns]
        if "fails" not in each:
            continue
        lost = each[0] == "passes"
        why = "the same without stage" if each[0] == "fails" else REASONS.get(test)
        if lost or not why:
            bad.append(f"{test}: {dict(zip(columns, each))}")
        rows.append(f"| {test} | {' | '.join(each)} | {why or '?'} |")
    counts = " | ".join(str(sum(r == what for r in results[m].values()))
                        for what in ["passes"] for m in columns)
    failing = " | ".join(str(sum(r == "fails" for r in results[m].values())) for m in columns)
    skipped = " | ".join(str(sum(r == "skipped" for r in results[m].values())) for m in columns)
    page.write_text(f"""# perf's own tests on stage

What `perf test` says on stage, and without it on the same host. The host has no counters, as most
virtual machines. No test fails on [stage](stage.md) that passes without it.

`tests/stage/perf_tests.py` makes this page by running `boxscore stage --machine virtual:NAME -w
stream,size=8M -- perf test`, here with {version} of Debian 12 and machines of two CPUs, as
the host has. On a machine with more CPUs than the host, test 3 (openat on all CPUs) fails, too: a
task that is bound to a CPU that the host lacks runs on another one, and perf's events of the task on
that CPU count nothing.

| results | without stage | {' | '.join('`virtual:' + m + '`' for m in MACHINES)} |
| --- | --- | {' | '.join('---' for _ in MACHINES)} |
| pass | {counts} |
| are skipped by perf | {skipped} |
| fail | {failing} |

Those that fail anywhere:

| test | without stage | {' | '.join('`' + m.split(',')[0] + '`' for m in MACHINES)} | reason |
| --- | --- | {' | '.join('---' for _ in MACHINES)} | --- |
""" + "\n".join(rows) + "\n" + (f"\nNot run to its end within 15 minutes, on a busy host: {'; '.join(cut)}.\n" if cut else ""))
    for line in bad:
        print(f"perf_tests.py: {line}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
