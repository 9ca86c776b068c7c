"""The manual pages: mandoc and groff report nothing. Every event and unit mask of `boxscore list`
is on its PMU's page, and every metric on its CPU's. Pages name only existing pages. Their
examples run. usage: manual.py COMMAND PAGES (the folder with man1 and man7)
"""

import json
import os
import pathlib
import re
import subprocess
import sys

COMMAND, PAGES = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
bad = 0


def miss(what):
    global bad
    bad += 1
    print(what)


def boxscore(*words):
    return subprocess.run([COMMAND, *words], check=True, capture_output=True, text=True).stdout


def plain(text):
    return text.replace("\\:", "").replace("\\-", "-").replace("\\(aq", "'")


def sections(page):
    """The parts of a page that begin with .SS, by name."""
    parts = re.split(r"^\.S[SH] (.*)\n", page, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def lint(files):
    env = dict(os.environ, LC_ALL="C.UTF-8")
    for tool in (["mandoc", "-Tlint", "-Wwarning"], ["groff", "-ww", "-man", "-Kutf8", "-Tutf8"]):
        said = subprocess.run([*tool, *files], env=env, stdout=subprocess.PIPE if tool[0] == "mandoc" else
                              subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in ((said.stdout or "") + said.stderr).splitlines():
            miss(line)


def has_all_events(pages):
    events = json.loads(boxscore("list", "-j"))
    page_of = {}
    for name, page in pages.items():
        pmu = re.search(r"^\\fBPMU\\fR\n(.*)$", page, re.M)
        if pmu:
            page_of[pmu[1]] = sections(page)
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


def main():
    files = sorted(PAGES.glob("man?/*"))
    pages = {f.name: plain(f.read_text(encoding="utf-8")) for f in files}
    lint(files)
    events, metrics = has_all_events(pages), has_all_metrics(pages)
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
    print(f"{len(files)} pages, {events} events, {metrics} metrics, {len(lines)} examples, {bad} bad")
    return bad > 0 or not (files and events and metrics and lines)


sys.exit(main())
