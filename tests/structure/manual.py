"""The pages of the manual: mandoc and groff find nothing wrong. Every event and unit mask that `boxscore
list` has is on its PMU's page, every metric on its CPU's, every register that `boxscore help names` has. Each
event and metric says which workloads make it count, or that it is not modelled, as `list --modelled` does;
commands that shall show a count other than 0 show one. Pages name only pages that are there. Their examples
run. usage: manual.py COMMAND PAGES (the folder with man1 and man7)
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys

import manual_pages
from manual_pages import ROW, sections

COMMAND, PAGES = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
bad = 0


def miss(what):
    global bad
    bad += 1
    print(what)


def boxscore(*words):
    return subprocess.run([COMMAND, *words], check=True, capture_output=True, text=True).stdout


def lint(files):
    env = dict(os.environ, LC_ALL="C.UTF-8")
    for tool in (["mandoc", "-Tlint", "-Wwarning"], ["groff", "-ww", "-man", "-Kutf8", "-Tutf8"]):
        said = subprocess.run([*tool, *files], env=env, stdout=subprocess.PIPE if tool[0] == "mandoc" else
                              subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in ((said.stdout or "") + said.stderr).splitlines():
            miss(line)


def has_all_events(pages):
    events = json.loads(boxscore("list", "-j"))
    page_of = manual_pages.of_pmus(pages)
    for entry in events:
        pmu, _, rest = entry["event"].partition("::")
        event, _, umasks = rest.partition(":")
        part = page_of.get(pmu, {}).get(f"{pmu}::{event}")
        if part is None:
            miss(f"no page has {pmu}::{event}")
            continue
        for umask in filter(None, umasks.split(":")):
            if "=" not in umask and f"\\fB{umask}\\fR" not in part:
                miss(f"{pmu}::{event}: no {umask}")
    return len(events)


def has_all_metrics(pages):
    found = 0
    for name, page in pages.items():
        cpu = re.fullmatch(r"boxscore-(\w+)-metrics\.7", name)
        if cpu:
            listed = re.findall(r"^    ([a-z0-9_]+) ", boxscore("list", "--metrics", "--cpu", cpu[1]), re.M)
            found += len(listed)
            for metric in set(listed) - set(sections(page)):
                miss(f"{name}: no {metric}")
    return found


def tells_workloads(pages):
    """Each event has its workloads, and what counts a command that shows it. Of the commands with one workload on
    one machine, one is run, and of each PMU one."""
    commands, of_run = {}, {}
    for pmu, parts in manual_pages.of_pmus(pages).items():
        for name in filter(lambda name: name.startswith(pmu + "::"), parts):
            row = re.search(ROW % "workloads", parts[name], re.M)
            shown = re.search(ROW % "see it count", parts[name], re.M)
            if not row or ("not modelled" in row[1] or "none of" in row[1]) != (shown is None):
                miss(f"{name}: no workloads, or no command for them")
            elif shown:
                commands.setdefault(pmu, []).append((name, shown[1]))
                of_run.setdefault(shown[1].rpartition(" -e ")[0], []).append((name, shown[1]))
    for name, page in pages.items():
        if name.endswith("-metrics.7"):
            parts = sections(page)
            for metric in [part for part in parts if re.search(ROW % "formula", parts[part], re.M)]:
                if not re.search(ROW % "workloads", parts[metric], re.M):
                    miss(f"{name}: {metric} has no workloads")
    draw = random.Random(40)
    drawn = {draw.choice(rows) for rows in of_run.values()}
    drawn |= {draw.choice(rows) for rows in commands.values() if not drawn & set(rows)}
    for name, line in sorted(drawn):
        out = boxscore("stat", "-x", ",", "-o", "/dev/stdout", *line.split()[2:])
        counts = [row.split(",")[0] for row in out.splitlines()]
        if not counts[0].isdigit() or int(counts[0]) == 0:
            miss(f"{name}: 0 after {line}")
    return len(commands)


def agrees_with_list(pages):
    """Whatever a machine without the mechanisms of real parts counts, the machine of the pages counts."""
    parts = manual_pages.of_pmus(pages)
    cpus = sorted({e["cpu"] for e in json.loads(boxscore("list", "-j"))})
    for cpu in cpus:
        listed = subprocess.run([COMMAND, "list", "--modelled", "--cpu", cpu, "-j"], capture_output=True, text=True)
        for entry in json.loads(listed.stdout) if not listed.returncode else []:
            part, umask = manual_pages.of_event(parts, entry["event"])
            if "not modelled" in (umask or part):
                miss(f"{entry['event']} is modelled, its page says it is not")


def has_all_registers(pages):
    named = set(re.findall(r"^(?:MSR|UNCORE|IA32|PCI)_\w+$", boxscore("help", "names"), re.M))
    there = {re.sub(r"\{unit\}", "0", part) for page in pages.values() for part in sections(page)}
    for register in sorted(named - there):
        miss(f"no page has {register}")
    return len(named)


def main():
    files = sorted(PAGES.glob("man?/*"))
    pages = manual_pages.read(files)
    lint(files)
    events, metrics, registers = has_all_events(pages), has_all_metrics(pages), has_all_registers(pages)
    shown = tells_workloads(pages)
    agrees_with_list(pages)
    lines = set()
    for name, page in pages.items():
        for reference, section in re.findall(r"\b(boxscore[a-z0-9-]*)\((\d)\)", page):
            if f"{reference}.{section}" not in pages:
                miss(f"{name} names {reference}({section})")
        if name.endswith(".7"):
            lines |= set(re.findall(r"^\\fB\$ (.*)\\fR$", page, re.M))
    for line in sorted(lines):
        words = line.split()
        ran = subprocess.run([COMMAND, *words[1:]], capture_output=True, text=True)
        if ran.returncode or ran.stderr:
            miss(f"{line}: exit status {ran.returncode}\n{ran.stderr}")
    print(f"{len(files)} pages, {events} events, {metrics} metrics, {registers} registers, {len(lines)} examples, "
          f"{shown} counts, {bad} bad")
    return bad > 0 or not (files and events and metrics and registers and lines and shown)


sys.exit(main())
