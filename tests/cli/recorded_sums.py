"""Recordings of all events that models have: totals are those of `stat`, and rows add up to them, on all machines.
usage: recorded_sums.py SOURCE_ROOT BOXSCORE BUILD_ROOT. Without BX_LONG, a part of the events.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile

_, boxscore, build = map(os.path.abspath, sys.argv[1:])
EVERY = 1 if os.environ.get("BX_LONG") else 32
AT_ONCE = 100
MACHINES = {
    "virtual:skl,part=i7-6700k": "sharing,cores=3,iterations=800,write=30+dma,iterations=300+gfx,iterations=300",
    "virtual:ivbep,part=e5-2680v2": "sharing,cores=3,iterations=800,write=30+dma,iterations=300",
    "virtual:nhmex,part=plain,packages=2": "sharing,cores=10,iterations=400,write=30+dma,iterations=300",
    "virtual:p6,part=plain": "stream,size=64K+dma,iterations=300",
}
bad = []


def run(*words, folder):
    ended = subprocess.run([boxscore, *words], cwd=folder, capture_output=True, text=True)
    if ended.returncode:
        bad.append(f"{' '.join(words)}: status {ended.returncode}: {ended.stderr[:300]}")
    return ended.stdout


def events_of(machine, folder):
    listed = json.loads(run("list", "--modelled", "--machine", machine, "-j", folder=folder))
    names = list(dict.fromkeys(e["event"] for e in listed if "event" in e))[::EVERY]
    # Some need a second mask, or a filter.
    return [name for name in names if subprocess.run([boxscore, "encode", name], capture_output=True).returncode == 0]


def totals_of_stat(text):
    totals = {}
    for line in text.splitlines():
        row = json.loads(line)
        if "event" in row and row.get("state") in ("counted", "scaled"):
            totals[row["event"]] = round(float(row["counter-value"]))
    return totals


def compare(base, machine, totals):
    """Returns how many events are attributed."""
    rows = base.execute("SELECT event.id, name, total, attributed, (SELECT coalesce(sum(count), 0) FROM cost WHERE event = event.id), "
                        "(SELECT coalesce(sum(count), 0) FROM line WHERE event = event.id AND role = 'requester'), "
                        "(SELECT coalesce(sum(count), 0) FROM line WHERE event = event.id AND role = 'owner'), "
                        "(SELECT sum(count) FROM unit_cost WHERE event = event.id) FROM event").fetchall()
    told_units = {}
    for event, *unit, count in base.execute("SELECT event, pmu, package, c.unit, sum(count) FROM unit_cost AS c JOIN event ON event.id = event "
                                            "WHERE attributed GROUP BY 1, 2, 3, 4 HAVING sum(count) > 0"):
        told_units[(event, *unit)] = count
    by_core = {}
    for event, *unit, count, least in base.execute("SELECT event, pmu, package, unit, sum(count), min(count) FROM core_unit GROUP BY 1, 2, 3, 4"):
        by_core[(event, *unit)] = count
        if least < 0:
            bad.append(f"{machine} {event} {unit}: {least} in core_unit")
    if told_units != by_core:
        bad.append(f"{machine}: core_unit {by_core}, not {told_units}")
    by_core = dict(base.execute("SELECT event || ' ' || core, sum(count) FROM core_unit WHERE core IS NOT NULL GROUP BY 1"))
    of_cores = dict(base.execute("SELECT event || ' ' || core, sum(count) FROM cost WHERE core IS NOT NULL AND event IN "
                                 "(SELECT event FROM core_unit) GROUP BY 1 HAVING sum(count) > 0"))
    if by_core != of_cores:
        bad.append(f"{machine}: cores of core_unit {by_core}, not {of_cores}")
    told = 0
    for _, name, total, attributed, cost, asked, owned, units in rows:
        timed = name == "issue" or name.startswith("wait:")
        if not timed and totals.get(name) != total:
            bad.append(f"{machine} {name}: {total}, stat {totals.get(name)}")
        if attributed and cost != total:
            bad.append(f"{machine} {name}: rows of cost {cost} of {total}")
        if attributed and not owned <= asked <= total:
            bad.append(f"{machine} {name}: rows of line {owned} {asked} of {total}")
        if units is not None and units != total:
            bad.append(f"{machine} {name}: rows of unit_cost {units} of {total}")
        told += attributed and not timed
    return told


def main():
    with tempfile.TemporaryDirectory() as folder:
        for machine, workload in MACHINES.items():
            events, told = events_of(machine, folder), 0
            trace = f"{folder}/trace"
            if not os.path.exists(trace):
                run("trace", "-o", trace, "--", f"{build}/tests/tracer/traced_processes", "two-spin", folder=folder)
            for work in (["-w", workload], ["--trace", trace]):
                for at in range(0, len(events), AT_ONCE):
                    what = ["--machine", machine, "-e", ",".join(events[at:at + AT_ONCE]), *work]
                    totals = totals_of_stat(run("stat", "-j", *what, folder=folder))
                    run("record", "-o", "r", *what, folder=folder)
                    with sqlite3.connect(f"{folder}/r") as base:
                        told += compare(base, machine, totals)
            print(f"{machine}: {len(events)} events, {told} times attributed")
            if not told:
                bad.append(f"{machine}: nothing is attributed")
    print("\n".join(bad))
    print(f"{len(bad)} bad")


main()
sys.exit(bool(bad))
