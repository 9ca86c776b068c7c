"""Finds which events each built-in workload makes count on the virtual machines, by running it with
all events that the machine model produces."""

import csv
import json
import re
import subprocess

# Several cores, two packages where the CPU allows them, and small caches, so that small workloads
# miss them.
KEYS = {"skl": "llc=1M", "nhmex": "packages=2,cores=2,llc=1536K", "ivbep": "packages=2,cores=2"}
SMALLER = {"stream": "size=4M", "copy": "size=4M", "random": "size=4M,iterations=50000", "sharing": "iterations=50000",
           "gfx": "iterations=50000"}


def lines_of(command, *words, unless=""):
    """What a command prints; None if it fails with a message that contains `unless`."""
    ran = subprocess.run([command, *words], capture_output=True, text=True)
    if ran.returncode and not (unless and unless in ran.stderr):
        raise RuntimeError(f"boxscore {words[0]}: {ran.stderr}")
    return None if ran.returncode else ran.stdout


def workloads(command):
    """Names of the workloads, in the order of the help."""
    return re.findall(r"^  ([a-z]\w*) ", lines_of(command, "help", "workloads"), re.M)


def countable(command, cpu):
    """All events that the model produces, except those that need more than a unit mask."""
    events = [e["event"] for e in json.loads(lines_of(command, "list", "--cpu", cpu, "--modelled", "-j"))]
    return [e for e in events if lines_of(command, "encode", e, unless="needs") is not None]


def counted(command, cpu, events, workload):
    """The events that the workload makes count; none if this machine cannot run it."""
    machine = f"virtual:{cpu}" + (f",{KEYS[cpu]}" if cpu in KEYS else "")
    work = workload + (f",{SMALLER[workload]}" if workload in SMALLER else "")
    out = lines_of(command, "stat", "--machine", machine, "-w", work, "-x", ",", "-e", ",".join(events),
                   unless="cores, the machine has")
    if out is None:
        return set()
    rows = [row for row in csv.reader(out.splitlines()) if row[2]]  # the other rows are metrics
    if len(rows) != len(events):
        raise RuntimeError(f"{cpu}, {workload}: {len(events)} events, {len(rows)} lines")
    return {event for event, row in zip(events, rows) if row[0].isdigit() and int(row[0])}


def by_event(command, cpus):
    """The workloads that make each event string count."""
    found = {}
    for cpu in cpus:
        events = countable(command, cpu)
        found.update((event, []) for event in events)
        for workload in workloads(command):
            for event in counted(command, cpu, events, workload):
                found[event].append(workload)
    return found


def section(event, found):
    """Markdown for an event, "pmu::EVENT"."""
    rows = [(name[len(event) + 1:], names) for name, names in found.items()
            if name == event or name.startswith(event + ":")]
    counting = [row for row in rows if row[1]]
    if not counting:
        return "\nworkloads\n: " + ("none of the [built-in ones](boxscore-workloads.md) makes it count" if rows else
                                   "no machine model counts it, or not by a unit mask alone") + "\n"
    if counting[0][0] == "":
        return f"\nworkloads\n: {', '.join(counting[0][1])}\n"
    table = "".join(f"| `{umask}` | {', '.join(names)} |\n" for umask, names in counting)
    return f"\n**workloads that make it count**\n\n| unit mask | |\n| --- | --- |\n{table}"


def add_to(page, found):
    """Adds its workloads to each event of a PMU's page."""
    head, *parts = re.split(r"^(?=##+ )", page, flags=re.M)
    for i, part in enumerate(parts):
        event = re.match(r"### `(\w+::[^`]+)`\n", part)
        if event:
            parts[i] = part.rstrip("\n") + "\n" + section(event[1], found) + "\n"
    return head + "".join(parts)
