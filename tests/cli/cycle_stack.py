"""The causes of cycles are the clock, exactly, for each core and in each interval: on all machines, with parts, prefetchers, threads and several
packages, of workloads, programs and their traces. docs/explanation/cycle-stack.md. The clock never stands still while instructions retire: a
part's core begins four in a cycle.
usage: cycle_stack.py BOXSCORE THREADS   (THREADS: tests/tracer/handover.c)
"""

import collections
import json
import subprocess
import sys
import tempfile

boxscore, threads = sys.argv[1:]
WIDTH = 4  # instructions that a core of a part begins in a cycle
SHARING = ["-w", "sharing,cores=4,iterations=200,write=30"]
RANDOM = ["-w", "random,size=1M,iterations=1000,write=30+dma,iterations=200"]
LIVE = ["-I", "2us"]
TURNS = ["--", threads, "mutex", "100", "8", "threads"]
PROGRAM = ["--", "true"]


def stacks(*words):
    """By interval and core: the clock, CYCLES_ALL, the sum of the causes, and instructions."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/counts"
        command = [boxscore, "stat", "-j", "-o", path, "--per-core", "-e", "cycles,instructions", "-M", "STALLS", *words]
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if ended.returncode:
            sys.exit(f"{' '.join(command)}: {ended.stderr}")
        with open(path, encoding="utf-8") as counts:
            rows = [json.loads(line) for line in counts]
    found = collections.defaultdict(lambda: [0, 0, 0, 0])
    for row in rows:
        if "counter-value" not in row:
            continue
        name = row["event"].split("::")[-1]
        place = {"cycles": 0, "CYCLES_ALL": 1, "instructions": 3}.get(name, 2)
        if place == 2 and row["state"] == "not modelled":
            continue
        found[row.get("interval"), row["package"], row["pmu-unit"]][place] += int(row["counter-value"])
    return found


def check(least_cores, *words):
    found = stacks(*words)
    bad = [f"{' '.join(words)}: {key}: clock {clock}, all {whole}, causes {causes}"
           for key, (clock, whole, causes, _) in found.items() if not clock == whole == causes]
    if any("part=" in word for word in words):
        bad += [f"{' '.join(words)}: {key}: {instructions} instructions in {clock} cycles"
                for key, (clock, _, _, instructions) in found.items() if instructions > WIDTH * clock]
    worked = {key[1:] for key, (clock, *_) in found.items() if clock}
    intervals = {key[0] for key in found}
    if len(worked) < least_cores or (LIVE[0] in words and len(intervals) < 3):
        bad.append(f"{' '.join(words)}: {len(worked)} cores worked, {len(intervals)} intervals")
    return bad


def machine(name):
    return ["--machine", f"virtual:{name}"]


bad = []
runs = [
    (4, *machine("skl,part=plain"), *SHARING),
    (1, *machine("skl,part=i7-6700k,hz=3333333333"), *RANDOM),
    (4, *machine("skl,part=i7-6700k,core_hz=4200000000"), *LIVE, *SHARING),
    (4, *machine("ivbep,part=e5-2680v2,cores=2"), *SHARING),
    (4, *machine("ivbep,part=plain,cores=3,link_rate=20000,tlb=on"), *LIVE, *SHARING),
    (4, *machine("nhmex,part=x7560,cores=2"), *SHARING),
    (1, *machine("nhmex,part=plain,packages=2"), *LIVE, *RANDOM),
    (1, *machine("p6,part=plain"), *LIVE, *RANDOM),
    (1, *machine("ppro"), *RANDOM),
    (1, *machine("pii"), *RANDOM),
    (1, *machine("pm,prefetch=on"), *RANDOM),
    (2, *machine("skl,part=i7-6700k"), *TURNS),
    (2, *machine("ivbep,part=e5-2680v2"), *LIVE, *TURNS),
    (2, *machine("nhmex,part=x7560"), *TURNS),
    (1, *machine("skl,part=i7-6700k"), *LIVE, *PROGRAM),
]
for run in runs:
    bad += check(*run)
with tempfile.TemporaryDirectory() as folder:
    trace = f"{folder}/trace"
    subprocess.run([boxscore, "trace", "-o", trace, *TURNS], check=True, stdout=subprocess.DEVNULL)
    for name in ("skl,part=i7-6700k", "ivbep,part=e5-2680v2", "nhmex,part=x7560", "p6,part=plain"):
        bad += check(1 if name.startswith("p6") else 2, *machine(name), "--trace", trace)

print("\n".join(bad))
print(f"{len(runs) + 4} runs, {len(bad)} bad")
sys.exit(bool(bad))
