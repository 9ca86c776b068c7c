"""Runs of `boxscore stat` on virtual machines, and what they counted."""

import functools
import json
import os
import re
import subprocess
import tempfile

BOXSCORE = os.environ.get("BOXSCORE", "build/boxscore")


class Failure(Exception):
    """A run that gave no counts; its text is what boxscore said."""


def stat(machine, events, *work):
    """Counts of the events, in their order, and the virtual time in ns."""
    with tempfile.TemporaryDirectory() as folder:
        counts = os.path.join(folder, "counts")
        command = [BOXSCORE, "stat", "--machine", machine, "--json", "-e", ",".join(events), "-o", counts, *work]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"{' '.join(command)}: {done.stderr.strip()}")
        with open(counts, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file if line.startswith('{"counter-value"')]
    if len(rows) != len(events):
        raise Failure(f"{' '.join(command)}: {len(rows)} counts of {len(events)} events")
    return [float(row["counter-value"]) for row in rows], float(rows[0]["event-runtime"])


def canonical(machine):
    """The name that boxscore prints for a machine; None if it does not understand it."""
    command = [BOXSCORE, "stat", "--json", "--machine", machine, "-w", "chase,size=4K", "-o", "/dev/stdout"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r'"machine" : "([^"]*)"', done.stdout)
    return found.group(1) if done.returncode == 0 and found else None


@functools.lru_cache
def cycle(machine):
    """The length of an uncore cycle, in ns."""
    command = [BOXSCORE, "stat", "--all", "--machine", machine, "-w", "chase,size=1M", "-o", "/dev/stdout"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    seconds, cycles = re.search(r"([0-9.]+) seconds.*virtual time: ([0-9,]+) ", text).groups()
    return float(seconds) * 1e9 / int(cycles.replace(",", ""))


def model(machine):
    """virtual:skl,cores=4: skl."""
    return machine.split(":")[1].split(",")[0]


def lacks(machine, key):
    """Whether the machine has no such key, or the key has nothing switched on."""
    name = canonical(machine)
    without = [canonical(f"{machine},{key}={off}") for off in ("0", "off")]
    return all(other is None or other == name for other in without)
