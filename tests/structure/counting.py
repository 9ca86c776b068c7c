"""docs/reference/not-modelled.md says of each PMU how many events and unit masks its model counts, and how many of
them count in one of the runs of `list --workloads`. What counts in none of them is in a row there. The pages of the
manual tell it of the same runs. `list --workloads` is run for two of the CPUs, and says the same.
usage: counting.py SOURCE_ROOT BOXSCORE PAGES (the folder with man7) [--write]"""
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

import manual_pages

root, boxscore, pages = sys.argv[1:4]
pmus_pages = manual_pages.of_pmus(manual_pages.read(pathlib.Path(pages).glob("man7/*")))
page = pathlib.Path(root, "docs/reference/not-modelled.md")
text = page.read_text(encoding="utf-8")
BEGIN, END = "<!-- counted: tests/structure/counting.py --write -->\n", "<!-- end -->\n"
NEVER = "## Events that count in none of the runs"


def events(*options):
    out = subprocess.run([boxscore, "list", "--json", *options], capture_output=True, check=True)
    return json.loads(out.stdout)


def counts_in(event):
    """Whether some run makes the event count, by its page."""
    runs = manual_pages.runs_of(pmus_pages, event)
    if runs is None:
        bad.append(f"{event}: its page does not say which runs make it count")
    return bool(runs)


def of_cpu(cpu):
    """(PMU, all, counted, not 0, those that are always 0) of the uncore's PMUs, or of all if there are no others."""
    machine = f"virtual:{cpu},part=plain"  # the page is of these machines
    every, counted = events("--cpu", cpu), events("--modelled", "--machine", machine)
    pmus = list(dict.fromkeys(e["pmu"] for e in every))
    pmus = [p for p in pmus if not p.endswith("_core")] or pmus
    for pmu in pmus:
        own = [e["event"] for e in counted if e["pmu"] == pmu]
        zero = [event for event in own if not counts_in(event)]
        yield pmu, sum(e["pmu"] == pmu for e in every), len(own), len(own) - len(zero), zero


def list_says_the_same(cpu):
    machine = f"virtual:{cpu},part=plain"
    for e in events("--modelled", "--workloads", "--machine", machine):
        said = manual_pages.runs_of(pmus_pages, e["event"])
        if said != ", ".join(e["counts-in"]):
            bad.append(f"{e['event']} counts in {e['counts-in']}, its page says {said}")


bad = []
found = [row for cpu in ["skl", "ivbep", "nhmex", "p6"] for row in of_cpu(cpu)]
for simulated in ["skl", "p6"]:
    list_says_the_same(simulated)
table = "| PMU | events and unit masks | modelled | not 0 in a run |\n| --- | --- | --- | --- |\n"
table += "".join(f"| `{pmu}` | {n} | {modelled} | {seen} |\n" for pmu, n, modelled, seen, _ in found)

before, rest = text.split(BEGIN)
stated, after = rest.split(END)
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
