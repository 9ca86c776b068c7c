"""docs/reference/not-modelled.md says of each PMU how many events and unit masks its model counts, and how many of
them count in one of the runs of `list --workloads`. What counts in none of them is in a row there.
usage: counting.py SOURCE_ROOT BOXSCORE [--write]"""
import concurrent.futures
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

root, boxscore = sys.argv[1:3]
page = pathlib.Path(root, "docs/reference/not-modelled.md")
text = page.read_text(encoding="utf-8")
BEGIN, END = "<!-- counted: tests/structure/counting.py --write -->\n", "<!-- end -->\n"
NEVER = "## Events that count in none of the runs"


def events(*options):
    out = subprocess.run([boxscore, "list", "--json", *options], capture_output=True, check=True)
    return json.loads(out.stdout)


def of_cpu(cpu):
    """(PMU, all, counted, not 0, those that are always 0) of the uncore's PMUs, or of all if there are no others."""
    machine = f"virtual:{cpu},part=plain"  # the page is of these machines
    every, counted = events("--cpu", cpu), events("--modelled", "--workloads", "--machine", machine)
    pmus = list(dict.fromkeys(e["pmu"] for e in every))
    pmus = [p for p in pmus if not p.endswith("_core")] or pmus
    for pmu in pmus:
        own = [e for e in counted if e["pmu"] == pmu]
        zero = [e["event"] for e in own if not e["counts-in"]]
        yield pmu, sum(e["pmu"] == pmu for e in every), len(own), len(own) - len(zero), zero


cpus = ["skl", "ivbep", "nhmex", "p6"]
with concurrent.futures.ThreadPoolExecutor() as pool:
    found = [row for rows in pool.map(lambda cpu: list(of_cpu(cpu)), cpus) for row in rows]
table = "| PMU | events and unit masks | modelled | not 0 in a run |\n| --- | --- | --- | --- |\n"
table += "".join(f"| `{pmu}` | {n} | {modelled} | {seen} |\n" for pmu, n, modelled, seen, _ in found)

before, rest = text.split(BEGIN)
stated, after = rest.split(END)
bad = []
if "--write" in sys.argv:
    page.write_text(before + BEGIN + table + END + after, encoding="utf-8")
elif stated != table:
    bad.append(f"{page}: the table says\n{stated}it is\n{table}")
section = text.split(NEVER)[1].split("\n## ")[0]
patterns = [p for line in section.splitlines() if "|" in line
            for p in re.findall(r"`([^`]*::[^`]*)`", line.split("|")[1])]
zero = [event for row in found for event in row[4]]
bad += [f"{event} counts in no run, and is in no row" for event in zero
        if not any(fnmatch.fnmatchcase(event, p) for p in patterns)]
bad += [f"{p} is of no event that is always 0" for p in patterns if not fnmatch.filter(zero, p)]
print("\n".join(bad) or table)
sys.exit(bool(bad))
