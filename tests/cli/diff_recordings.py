"""`boxscore diff` of two recordings: lines matched by function and text, sums, the line in conditions, what is refused.
usage: diff_recordings.py BOXSCORE [traced]; traced: also two versions of a program, recorded.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from report_findings import EVENTS, LOOKUPS, READS, SNOOP, Recording

bad = []
TEXT = {"copy": "to[i] = from[i];", "count": "n++;", "old": "flush(to);", "new": "check(to, from);"}


def diff(*args, status=0):
    ended = subprocess.run([sys.argv[1], "diff", *args], capture_output=True, text=True, check=False)
    if ended.returncode != status:
        bad.append(f"{args}: {ended.returncode}, not {status}: {ended.stdout}{ended.stderr}")
    return ended


def rows(*args):
    lines = [json.loads(line) for line in diff(*args, "-j").stdout.splitlines()]
    return {by: [row for row in lines if row.get("by") == by] for by in ("function", "line", "object")}, lines


def expect(is_so, what):
    if not is_so:
        bad.append(str(what))


def make(path, lines, counts, objects=(), source=True, complete=1, machine="virtual:skl,part=plain", folder="/s"):
    """lines: {text's name: number}; counts: {text's name: reads}; objects: (name, line that allocates, reads)."""
    r = Recording(path, complete)
    r.base.execute("UPDATE run SET value = ? WHERE key = 'machine'", (machine,))
    r.put("run", ("exit-status", 0), ("seconds", 0.5))
    if source:
        r.base.executescript("CREATE TABLE source (file TEXT, line INTEGER, text TEXT)")
        r.put("source", ("/s/a.c", 10, "left"))
    for n, (name, line) in enumerate(lines.items(), 100):
        r.put("code", (n, None, n, "work", f"{folder}/w.c", line))
        if source:
            r.put("source", (f"{folder}/w.c", line, TEXT[name]))
        if counts.get(name):
            r.cost(READS, n, counts[name])
    for n, (name, line, count) in enumerate(objects, 200):
        r.put("code", (n, None, n, "make", f"{folder}/m.c", line))
        r.put("context", (n, None, n))
        r.put("object", (n, "heap", f"{name} (m.c:{line})", 64, 1, n))
        if source:
            r.put("source", (f"{folder}/m.c", line, f"p = malloc(sizeof *p); // {name}"))
        r.cost(READS, 0, count, object_=n)
    r.cost("issue", 1, 1000)
    r.end()
    r.base.close()


def check_sums(*args):
    """The changes of each table are those of the whole."""
    tables, lines = rows(*args, "--all")
    for event in EVENTS:
        total = next((line["new"] - line["old"] for line in lines if line.get("event") == event), None)
        for by, table in tables.items():
            change = sum(row["new"].get(event, 0) - row["old"].get(event, 0) for row in table)
            expect(total is None or change == total, f"{args}, {event} by {by}: {change}, not {total}")


def matched():
    """A comment above changes nothing; the new version is in another folder."""
    make("a", {"copy": 10, "count": 12, "old": 14}, {"copy": 500, "count": 20, "old": 30}, [("make", 7, 100)])
    make("b", {"copy": 13, "count": 15, "new": 30}, {"copy": 560, "count": 20, "new": 4}, [("make", 9, 170)], folder="/t")
    tables, _ = rows("a", "b")
    found = {(row["function"], row.get("text"), row["old-line"], row["new-line"], row["partner"]):
             (row["old"].get(READS), row["new"].get(READS)) for row in tables["line"]}
    expect(found == {("work", TEXT["copy"], "/s/w.c:10", "/t/w.c:13", "both"): (500, 560),
                     ("work", TEXT["old"], "/s/w.c:14", None, "gone"): (30, 0),
                     ("work", TEXT["new"], None, "/t/w.c:30", "new"): (0, 4),
                     ("(not an instruction)", None, None, None, "both"): (100, 170)}, found)
    functions = {row["function"]: (row["old"][READS], row["new"][READS], row["partner"]) for row in tables["function"]}
    expect(functions == {"work": (550, 584, "both"), "(not an instruction)": (100, 170, "both")}, functions)
    objects = {row["object"]: (row["old"][READS], row["new"][READS], row["partner"]) for row in tables["object"]}
    expect(objects == {"make (m.c:9)": (100, 170, "both"), "(none)": (550, 584, "both")}, objects)
    check_sums("a", "b")
    check_sums("b", "a")
    same = diff("a", "a").stdout
    expect("rows, none has changed)" in same, same)
    text = diff("a", "b", "--sort", "DRAM_DATA_READS").stdout
    for line in ("500              560              +60  work, w.c:13 (was w.c:10): to[i] = from[i];",
                 "30                0              -30  gone: work, w.c:14: flush(to);",
                 "0                4               +4  new: work, w.c:30: check(to, from);",
                 "100              170              +70  make (m.c:9)"):
        expect(line in text, f"{line}: {text}")
    # The rows that are shown, and the rest, are the whole.
    for table in re.split(r"\n by \w+:\n", text)[1:]:
        change = [int(number.replace(",", "")) for number in re.findall(r"^ *[\d,]+ +[\d,]+ +([+-]?[\d,]+)  ", table, re.MULTILINE)]
        expect(sum(change) == 104, (change, table))


def conditions():
    blame = "DRAM_DATA_READS +60 of +104 by work, w.c:13 (was w.c:10): to[i] = from[i];"
    make("c", {"copy": 10}, {"copy": 500})
    make("d", {"copy": 13}, {"copy": 560})
    line = "DRAM_DATA_READS +60 of +60 by work, w.c:13 (was w.c:10): to[i] = from[i];"
    args = ("c", "d", "--fail-if", "dram_bytes_read > +2%", "--markdown", "md", "--junit", "xml")
    ended = diff(*args, status=3)
    expect(f"dram_bytes_read > +2%: fails: 0.0320 -> 0.0358 MB (+12.00 %); skl_unc_imc::{line}" in ended.stdout, ended.stdout)
    with open("md", encoding="utf-8") as file:
        shown = file.read().replace("\\", "")
    expect("work, w.c:13" in shown and "from[i]" in shown and "**fails**" in shown, shown)
    message = xml.etree.ElementTree.parse("xml").getroot().find("testcase/failure").get("message")
    expect(line in message, message)
    _, lines = rows("c", "d")
    expect(any(each.get("metric") == "dram_bytes_read" for each in lines), lines)
    judged = [json.loads(text) for text in diff("c", "d", "-j", "--fail-if", "DRAM_DATA_READS > +2%", status=3).stdout.splitlines()]
    expect([each["by"] for each in judged if "condition" in each] == [f"skl_unc_imc::{line}"], judged)
    passes = diff("c", "d", "--fail-if", "DRAM_DATA_READS > +50%")
    expect("passes" in passes.stdout and " by work" not in passes.stdout, passes.stdout)
    # The largest change of one line, where others are in no line; and a change downwards.
    ended = diff("a", "b", "--fail-if", "dram_bytes_read > +2%", status=3)
    expect("+70 of +104 by (not an instruction)" in ended.stdout and blame not in ended.stdout, ended.stdout)
    ended = diff("d", "c", "--fail-if", "DRAM_DATA_READS < -2%", status=3)
    expect("-60 of -60 by work, w.c:10 (was w.c:13): to[i] = from[i];" in ended.stdout, ended.stdout)
    # A metric of two events: the line of each.
    misses = "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I"
    for path, lookups, missed in ("g", 400, 100), ("h", 520, 180):
        r = Recording(path)
        r.put("run", ("exit-status", 0), ("seconds", 0.5))
        r.put("code", (100, None, 100, "work", "/s/w.c", 10))
        r.cost(LOOKUPS, 100, lookups)
        r.cost(SNOOP, 100, missed)
        r.cost("issue", 1, 1000)
        r.end()
        with sqlite3.connect(path) as base:
            base.execute("UPDATE event SET name = ? WHERE name = ?", (misses, SNOOP))
        base.close()
    ended = diff("g", "h", "--fail-if", "llc_miss_ratio > +2%", status=3)
    for event, change in (misses, 80), (LOOKUPS, 120):
        expect(f"{event} +{change} of +{change} by work, w.c:10" in ended.stdout, ended.stdout)
    csv = diff("c", "d", "-x", ";").stdout
    expect(f'line work, w.c:13 (was w.c:10);{READS};;500;560;12' in csv, csv)


def without_text():
    """Then numbers tell, and this is said."""
    make("e", {"copy": 10, "count": 12}, {"copy": 500, "count": 5}, source=False)
    make("f", {"copy": 10, "count": 13}, {"copy": 560, "count": 5})
    tables, _ = rows("e", "f")
    found = [(row["old-line"], row["new-line"], row["partner"]) for row in tables["line"]]
    expect(sorted(found, key=str) == [("/s/w.c:10", "/s/w.c:10", "both"), ("/s/w.c:12", None, "gone"), (None, "/s/w.c:13", "new")], found)
    expect("lines of 2 functions are matched by their numbers" in diff("e", "f").stdout, "by numbers")
    expect("by their numbers" not in diff("a", "b").stdout, "not by numbers")
    check_sums("e", "f")


def refused():
    make("cut", {"copy": 10}, {"copy": 600}, complete=0)
    ended = diff("c", "cut", "--fail-if", "DRAM_DATA_READS > +2%", status=1)
    expect("incomplete: a process" in ended.stdout and "not judged" in ended.stdout, ended.stdout)
    expect("1 of 1 conditions are not judged: cut is incomplete: a process" in ended.stderr, ended.stderr)
    make("killed", {"copy": 10}, {"copy": 600}, complete=0)
    base = sqlite3.connect("killed")
    base.execute("UPDATE run SET value = NULL WHERE key = 'missing'")
    base.commit()
    base.close()
    expect("killed: the recording was not ended" in diff("c", "killed", status=1).stderr, "killed")
    make("other", {"copy": 10}, {"copy": 500}, machine="virtual:ivbep,part=plain")
    expect("'machine' is 'virtual:skl,part=plain' in c and 'virtual:ivbep,part=plain' in other" in diff("c", "other", status=1).stderr,
           "machine")
    with open("saved", "w", encoding="utf-8") as file:
        file.write('{"run" : {"work" : "x", "runs" : 1, "seconds" : 1, "exit-status" : 0, "environment" : {}}}\n')
    expect("'c' is a recording, 'saved' is none" in diff("saved", "c", status=1).stderr, "mixed")
    expect("recordings are compared two by two" in diff("c", "d", "c", status=1).stderr, "three")
    expect("--sort is for recordings" in diff("saved", "saved", "--sort", "time", status=1).stderr, "sort of runs")
    expect("do not tell who caused 'NO_EVENT'" in diff("c", "d", "--sort", "NO_EVENT", status=1).stderr, "no event")


PROGRAM = """#include <stdlib.h>
enum { N = 1 << 14 };
static __attribute__((noinline)) void fill(volatile long *all)
{
    for (int i = 0; i < N; i += 8)
        all[i] = i;
}
int main(void)
{
    long *all = malloc(N * sizeof *all);
    fill(all);
    return 0;
}
"""


def versions():
    """The second version has a comment above, and fills a second array. Both are built at the same path."""
    second = "/* A comment. */\n" + PROGRAM.replace("    return 0;", "    long *more = malloc(N * sizeof *more);\n    fill(more);\n    return 0;")
    for name, text in (("old.rec", PROGRAM), ("new.rec", second)):
        with open("p.c", "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run(["cc", "-O1", "-g", "-o", "p", "p.c"], check=True)
        subprocess.run([sys.argv[1], "record", "--machine", "virtual:skl,part=plain", "-o", name, "-e", "UNC_CBO_CACHE_LOOKUP:ANY_MESI", "--", "./p"],
                       check=True, capture_output=True)
    ended = diff("old.rec", "new.rec", "--fail-if", "UNC_CBO_CACHE_LOOKUP:ANY_MESI > +2%", status=3)
    # The second array has 2048 lines: each is asked for, and may be written back.
    line = "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_MESI [+]([\\d,]+) of [+][\\d,]+ by fill, p[.]c:7 [(]was p[.]c:6[)]: all\\[i\\] = i;"
    found = re.search(line, ended.stdout)
    expect(found and 2048 <= int(found[1].replace(",", "")) <= 2 * 2100, ended.stdout)
    tables, _ = rows("old.rec", "new.rec")
    texts = {row.get("text"): row["partner"] for row in tables["line"] if row["function"] in ("main", "fill")}
    expect(texts.get("fill(more);") == "new" and texts.get("all[i] = i;") == "both", texts)
    objects = {row["object"]: row["partner"] for row in tables["object"] if row["object"].startswith("main")}
    expect(objects == {"main (p.c:11)": "both", "main (p.c:13)": "new"}, objects)
    check_sums("old.rec", "new.rec")
    again = rows("old.rec", "old.rec")[0]
    expect(not any(again.values()), again)


def main():
    matched()
    conditions()
    without_text()
    refused()
    if sys.argv[2:] == ["traced"]:
        versions()
    print("\n".join(bad) or "all as it should be")
    return bool(bad)


if __name__ == "__main__":
    os.environ.pop("MALLOC_PERTURB_", None)  # meson sets it: malloc() of traced programs would write all it gives
    with tempfile.TemporaryDirectory() as work:
        sys.argv[1] = os.path.abspath(sys.argv[1])
        os.chdir(work)
        sys.exit(main())
