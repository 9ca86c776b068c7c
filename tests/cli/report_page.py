"""The page of `report --html`, without a browser: it is one file that loads nothing, its tables and its data have the
sums that SQL has, foreign names change nothing in it, and it is at most 2,000,000 bytes. usage: report_page.py BOXSCORE
"""

import html.parser
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

import report_findings
from report_findings import EVENTS, LOOKUPS, READS, SNOOP, Recording

MOST = 2000000
VOID = {"meta", "br", "hr", "img", "input", "link", "wbr"}
bad = []


def expect(what, is_, should):
    if is_ != should:
        bad.append(f"{what}: {str(is_)[:600]}, not {str(should)[:600]}")


class Page(html.parser.HTMLParser):
    """Tables by the number of their section, scripts, and all tags and attributes. Tags must be closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tables, self.scripts, self.tags, self.attributes = [], {}, [], set(), []
        self.section = self.row = None
        self.words = ""
        self.feed(text)
        self.close()
        expect("tags left open", self.open, [])

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        given = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "section":
            self.section = given.get("id")
        elif tag == "tr":
            self.row = {"class": given.get("class"), "cells": []}
            self.tables.setdefault(self.section, []).append(self.row)
        elif tag in ("td", "th") and self.row is not None:
            self.row["cells"].append("")
        elif tag == "script":
            self.scripts.append([given.get("type"), ""])

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            bad.append(f"</{tag}> closes {self.open[-3:]}")
        else:
            self.open.pop()
        if tag == "tr":
            self.row = None

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1][1] += data
        elif self.row is not None and self.row["cells"]:
            self.row["cells"][-1] += data
        self.words += data if not self.open or self.open[-1] not in ("script", "style") else ""

    def data(self):
        return json.loads(next(text for kind, text in self.scripts if kind == "application/json"))


def number(text):
    return int(text.replace(",", ""))


def page_of(boxscore, name="r"):
    ended = subprocess.run([boxscore, "report", name, "--html", "page.html"], capture_output=True, text=True, check=False)
    expect(f"{name}: status and messages", (ended.returncode, ended.stdout + ended.stderr), (0, ""))
    with open("page.html", encoding="utf-8") as file:
        text = file.read()
    size = os.path.getsize("page.html")
    if size > MOST:
        bad.append(f"{name}: {size} bytes")
    for word in ("http:", "https:", "@import", "url(", "fetch(", "XMLHttpRequest", "import("):
        if re.search(re.escape(word), re.sub(r"http://www\.w3\.org/2000/svg", "", text)):
            bad.append(f"{name}: the page has {word}")
    page = Page(text)
    expect(f"{name}: attributes that load or run", [a for a, _ in page.attributes if a.startswith("on") or a in ("href", "src")], [])
    expect(f"{name}: scripts", [kind for kind, _ in page.scripts], ["application/json", None])
    return page


def totals(recording):
    with sqlite3.connect(recording) as base:
        return base, dict(base.execute("SELECT id, total FROM event"))


def check_data(page, recording="r"):
    """The cells add up to each event, and where nothing was cut to each function, line, object and thread."""
    data = page.data()
    base, total = totals(recording)
    sums, by = {}, {"function": {}, "line": {}, "object": {}, "thread": {}, "span": {}}
    events = len(data["events"])
    for place, object_, thread, _, *rest in data["cells"]:
        for event, span, count in zip(rest[::3], rest[1::3], rest[2::3]):
            sums[event] = sums.get(event, 0) + count
            function = data["places"][place] and data["functions"][data["places"][place][0]]
            keys = {"function": function and function[0], "line": function and (function[1], data["places"][place][1] or None),
                    "object": data["objects"][object_] and data["objects"][object_][0],
                    "thread": data["threads"][thread] and tuple(data["threads"][thread][:2]), "span": span}
            for key, value in keys.items():
                by[key][(event, value)] = by[key].get((event, value), 0) + count
    expect("cells", {e + 1: n for e, n in sums.items() if e < events}, {e: n for e, n in total.items() if n})
    queries = {"function": "code.function", "line": "code.file, code.line", "object": "object.name", "thread": "thread.tid, thread.pid",
               "span": "coalesce(span, 0)"}
    whole = "100 % of each event" in page.words.replace("\u00a0", " ")
    for key, columns in queries.items() if whole else ():
        should = {}
        for event, *value, count, prefetched in base.execute(
                f"SELECT event, {columns}, sum(count), sum(by_prefetch) FROM cost JOIN code ON code.id = code LEFT JOIN object ON "
                f"object.id = object LEFT JOIN thread ON thread.id = thread GROUP BY event, {columns}"):
            name = None if value[0] is None and key != "line" else tuple(value) if len(value) > 1 else value[0]
            should[(event - 1, name)] = count
            if prefetched:
                should[(event - 1 + events, name)] = prefetched
        expect(f"cells by {key}", by[key], should)
    moments = {}
    for event, _, count in data["moments"]:
        moments[event] = moments.get(event, 0) + count
    known = dict(base.execute("SELECT event - 1, sum(count) FROM cost WHERE span IS NOT NULL GROUP BY 1"))
    expect("moments", moments, known)
    return data


def check_tables(page, data, recording="r"):
    base, total = totals(recording)
    queries = {"function": ("SELECT code.function, sum(count) FROM cost JOIN code ON code.id = code WHERE event = ? GROUP BY 1"),
               "object": ("SELECT object.name || ' ' || object.kind, sum(count) FROM cost LEFT JOIN object ON object.id = object "
                          "WHERE event = ? GROUP BY 1"),
               "line": ("SELECT code.function || ' ' || replace(code.file, rtrim(code.file, replace(code.file, '/', '')), '') || ':' || "
                        "code.line, sum(count) FROM cost JOIN code ON code.id = code WHERE event = ? GROUP BY 1"),
               "thread": ("SELECT 'thread ' || tid || ' process ' || pid, sum(count) FROM cost JOIN thread ON thread.id = thread WHERE "
                          "event = ? GROUP BY 1")}
    columns = {label: event for label, event in zip(data["labels"], data["columns"])}
    checked = 0
    for section, query in queries.items():
        rows = page.tables[section]
        for at, label in enumerate(rows[0]["cells"]):
            if label not in columns:
                continue
            counts = [number(row["cells"][at]) for row in rows[1:]]
            event = columns[label] + 1
            expect(f"{section}: {label}", (sum(counts[:-1]), counts[-1]), (total[event], total[event]))
            should = dict(base.execute(query, (event,)))
            for row, count in zip(rows[1:-2], counts):
                name = row["cells"][0]
                if "(no " not in name:
                    expect(f"{section}: {name}: {label}", count, should.get(name, 0))
                    checked += 1
    if not checked:
        bad.append("no cell of a table was compared")
    cycles = sum(total[i + 1] for i, e in enumerate(data["events"]) if e["cycles"])
    at = page.tables["function"][0]["cells"].index("cycles")
    expect("cycles", number(page.tables["function"][-1]["cells"][at]), cycles)


# ---- recordings ----

def fill(r):
    report_findings.false_sharing(r)
    r.cost(READS, 3, 70, object_=3, span=2, prefetched=60)
    r.cost(READS, 4, 30, object_=3, span=3, thread=2, context=1)
    r.cost(READS, 0, 5, thread=None)
    r.cost("wait:memory", 3, 400, object_=3, span=2)
    r.cost(LOOKUPS, 1, 7, span=None)
    r.put("unit_cost", (1, "skl_unc_imc", 0, 0, 1, 105))
    for column in (1, 2):
        r.base.execute(f"ALTER TABLE series ADD COLUMN c{column} INTEGER")
    r.put("series_column", ("c1", 1, "skl_unc_imc", 0, 0), ("c2", 1, "skl_unc_imc", 0, 1))
    r.put("series", *[(10 * n, 10 * n + 10, n, 1000 if n == 777 else 0) for n in range(1001)])


EVIL = ["</script><script>alert(1)</script>", "<!--<script>", "'\"><img src=x onerror=alert(1)>", "a&amp;b</style>", "]]>\u2028\x07",
        "f" * 5000, "{\"a\": [1]}", "</td></table></section>", "${alert(1)}`\\u003c"]


def check_foreign_text(boxscore):
    recording = Recording("r")
    fill(recording)
    for at, name in enumerate(EVIL):
        recording.put("code", (100 + at, None, at, name, f"/s/{name}.c", 1))
        recording.put("object", (100 + at, "heap", name, 64, 1, None))
        recording.cost("wait:memory", 100 + at, 2000, object_=100 + at)
        recording.put("thread", (100 + at, 9, 100 + at, name))
        recording.cost(READS, 100 + at, 5, object_=100 + at, thread=100 + at)
        recording.line(0x2000, 8 * at % 64, 1, 50, role="owner", code=100 + at)
    recording.base.execute("UPDATE run SET value = ? WHERE key = 'work'", (EVIL[0],))
    recording.put("run", (EVIL[1], EVIL[2]))
    recording.end()
    page = page_of(boxscore)
    expect("tags", page.tags - {"html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "h3", "p", "section", "ul",
                                "li", "div", "noscript", "table", "thead", "tbody", "tfoot", "tr", "th", "td", "i", "b", "code", "span",
                                "footer", "script", "details", "summary", "pre"}, set())
    data = page.data()
    names = {name for name, _ in data["functions"]}
    for name in EVIL:
        if len(name) < 200 and name.isprintable() and name not in names:
            bad.append(f"the page lacks {name}")
    expect("a long name", [n for n in names if n.startswith("ffff")], ["f" * 120 + "…" + "f" * 120])
    text = " ".join(row["cells"][0] for row in page.tables["function"])
    expect("names in the table", all(name in text for name in (EVIL[0], EVIL[2], EVIL[7])), True)


def check_inlined(boxscore):
    """What a function was inlined into is a frame of the flame graph."""
    recording = Recording("r")
    recording.put("inlined", (3, 2, "run", "/s/m.c", 9), (3, 1, "outer", "/s/b.c", 5), (6, 1, "run", "/s/m.c", 3))
    recording.cost(READS, 3, 7, context=1)
    recording.cost(READS, 1, 2)
    recording.end()
    data = page_of(boxscore).data()
    name = lambda function: data["functions"][function][0]
    stacks = []
    for place, _, _, node, *_ in data["cells"]:
        stack = [name(data["places"][place][0])]
        while node > 1:
            stack.append(name(data["nodes"][node][1]))
            node = data["nodes"][node][0]
        stacks.append(stack[::-1])
    expect("inlined frames", sorted(stacks), [["left"], ["run", "take", "run", "outer", "walk"]])


def check_matrix(boxscore):
    """Cores and slices: of the event of slices with most. Recordings without the table have none."""
    recording = Recording("r")
    fill(recording)
    recording.base.executescript("CREATE TABLE core_unit (event INTEGER, core INTEGER, pmu TEXT, package INTEGER, unit INTEGER, count INTEGER)")
    recording.put("core_unit", (2, 0, "skl_unc_cbo", 0, 0, 3), (3, 0, "skl_unc_cbo", 0, 0, 5), (3, 0, "skl_unc_cbo", 0, 1, 7),
                  (3, 1, "skl_unc_cbo", 0, 1, 11), (3, None, "skl_unc_cbo", 0, 0, 2), (1, 0, "skl_unc_imc", 0, 0, 105))
    recording.end()
    expect("matrix", page_of(boxscore).data()["matrix"], [[2, None, 0, 0, 2], [2, 0, 0, 0, 5], [2, 0, 0, 1, 7], [2, 1, 0, 1, 11]])


def check_long_names(boxscore):
    """Names that are long when they are escaped, of all kinds: the page is not larger, and says what it has."""
    recording = Recording("r")
    fill(recording)
    rows = 20000
    recording.base.executemany("INSERT INTO code VALUES (?, NULL, ?, ?, ?, ?)",
                               [(1000 + n, n, f"{n}{'<' * 200}", f"/s/{'&<' * 150}{n}.c", n) for n in range(rows)])
    recording.base.executemany("INSERT INTO object VALUES (?, 'heap', ?, 1, 1, NULL)", [(1000 + n, f"{'</script>' * 100}{n}") for n in range(rows)])
    recording.base.executemany("INSERT INTO thread VALUES (?, ?, 1, ?)", [(1000 + n, 1000 + n, f"{'<&' * 100}{n}") for n in range(300)])
    recording.base.executemany("INSERT INTO context VALUES (?, ?, ?)", [(1000 + n, 1000 + n // 2 if n else None, 1000 + n) for n in range(rows)])
    recording.base.executemany("INSERT INTO cost VALUES (?, ?, ?, ?, ?, 1, ?, ?, 0)",
                               [(n % 3 + 1, 1000 + n, 1000 + n, 1000 + n, 1000 + n % 300, n % 4 + 1, 1 + 1000000 // (n + 1)) for n in range(rows)])
    for n in range(200):
        recording.line(0x2000 + 64 * n, 0, 1, 50, role="owner", code=1000 + n, object_=1000 + n)
        recording.line(0x2000 + 64 * n, 8, 2, 50, code=1000 + n, object_=1000 + n)
    recording.end()
    page = page_of(boxscore)
    data = check_data(page)
    expect("what is shown is said", bool(re.search(r"at least [\d.]+ % of each event", page.words)), True)
    expect("functions are on the page", len(data["functions"]) > 50, True)


def check_sort(boxscore):
    """What shares are of at first; an event stands in front of the columns."""
    recording = Recording("r")
    fill(recording)
    recording.end()
    for sort, measure in (None, "time"), ("time", "time"), ("wait", "wait"), ("unc_cbo_cache_lookup:any_mesi", str(EVENTS.index(LOOKUPS))):
        subprocess.run([boxscore, "report", "r", "--html", "page.html", *(["--sort", sort] if sort else [])], check=True)
        with open("page.html", encoding="utf-8") as file:
            data = Page(file.read()).data()
        expect(f"--sort {sort}", data["measure"], measure)
        if measure.isdigit():
            expect("first column", (data["columns"][0], data["columns"].count(int(measure))), (int(measure), 1))
    ended = subprocess.run([boxscore, "report", "r", "--html", "x.html", "--sort", "nothing"], capture_output=True, text=True, check=False)
    expect("--sort nothing", (ended.returncode, "rows of this table have no 'nothing'" in ended.stderr, os.path.exists("x.html")),
           (1, True, False))


def check_gains(boxscore):
    """A card says what could be won: of a share of time that share, of other shares the cycles of the place."""
    recording = Recording("r")
    false_sharing = report_findings.false_sharing
    false_sharing(recording)
    recording.cost(READS, 3, 1000, object_=3, prefetched=900)
    recording.cost("issue", 3, 100)
    recording.cost("wait:memory", 3, 150, object_=3)
    recording.end()
    words = page_of(boxscore).words.replace("\u00a0", " ")
    for text in ("To win: at most 40 % of all cycles.", "these 100 % of the reads, and at most 20 % of all cycles.", "100 % of memory reads"):
        expect(text, text in words, True)
    for text in ("1 cache line moved between cores. The first has 100 % of lines modified in another core.",):
        expect(text, text in words, True)


def check_series(data):
    series = data["series"]
    expect("intervals", (series["intervals"], series["each"], len(series["begin"])), (1001, 3, 334))
    expect("bins", (series["begin"][1], series["end"][1], series["end"][-1]), (30, 60, 10010))
    values = next(s["n"] for s in series["sums"] if s["event"] == 0)
    expect("sums of bins", (values[1], values[777 // 3], sum(values)), (3 + 4 + 5, 777 + 778 + 779 + 1000, sum(range(1001)) + 1000))


def check_sources(boxscore):
    os.makedirs(".hidden", exist_ok=True)
    paths = {"shown.c": True, "secret.key": False, ".hidden/x.c": False, ".profile.c": False}
    for path in paths:
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(f"text <{path}> {n};\n" for n in range(1, 41)))
    recording = Recording("r")
    for at, path in enumerate(paths):
        recording.put("code", (200 + at, None, at, f"f{at}", os.path.abspath(path), 20))
        recording.cost("wait:memory", 200 + at, 100)
    recording.put("code", (300, None, 9, "gone", "/nowhere/gone.c", 20), (301, None, 9, "device", "/dev/zero.c", 20))
    recording.cost("wait:memory", 300, 100)
    for n in range(45):  # those of a C library, which come first by their names
        recording.put("code", (400 + n, None, 100 + n, f"elsewhere{n}", f"/elsewhere/{n}.c", 20))
        recording.cost("wait:memory", 400 + n, 10)
    recording.end()
    page = page_of(boxscore)
    for path, shown in paths.items():
        expect(f"source of {path}", f"text <{path}> 20;" in page.words, shown)
    expect("lines of an excerpt", [(os.path.basename(path), first, text.count("\n")) for path, first, text in page.data()["sources"]],
           [("shown.c", 14, 13)])


def check_large(boxscore):
    """More rows than fit: each line has few counts, of which the dearest are kept."""
    recording = Recording("r")
    fill(recording)
    rows = 120000
    recording.base.executemany("INSERT INTO code VALUES (?, NULL, ?, ?, '/s/large.c', ?)",
                               [(1000 + n, n, f"std::function_{n % 5000}<of<many>>", n) for n in range(rows)])
    recording.base.executemany("INSERT INTO cost VALUES (?, ?, NULL, 1, 1, 1, ?, ?, 0)",
                               [(n % 3 + 1, 1000 + n, n % 4 + 1, 1 + 1000000 // (n + 1)) for n in range(rows)])
    recording.end()
    page = page_of(boxscore)
    if os.path.getsize("page.html") < MOST * 0.7:
        bad.append(f"the page of many rows has room left: {os.path.getsize('page.html')}")
    data = check_data(page)
    check_tables(page, data)
    shown = re.search(r"keep their code, data, thread, time and calls, and at least ([\d.]+) % of each event", page.words)
    kept = {}
    for place, _, _, node, *rest in data["cells"]:
        for event, count in zip(rest[::3], rest[2::3]):
            kept[event] = kept.get(event, 0) + (count if place and node != 1 else 0)
    least = min(kept.get(i, 0) / e["total"] for i, e in enumerate(data["events"]) if e["total"] and e["attributed"])
    expect("what the page says of itself", shown and shown.group(1), f"{100 * least:.1f}")


def check_host(boxscore):
    recording = Recording("r")
    recording.base.execute("ALTER TABLE series ADD COLUMN c1")
    recording.put("series_column", ("c1", 1, "imc", 0, 0))
    recording.put("series", (0, 10, 3), (10, 20, 4), (20, 30, None))
    recording.end()
    with sqlite3.connect("r") as base:
        base.execute("UPDATE event SET attributed = 0, total = CASE id WHEN 1 THEN 7 END")
    base.close()
    page = page_of(boxscore)
    data = page.data()
    expect("tables of a host", sorted(page.tables), ["event"])
    expect("series of a host", [(s["event"], s["n"], s["gaps"]) for s in data["series"]["sums"]], [(0, [3, 4, 0], True)])
    expect("words of a host", "hardware does not tell who causes" in page.words, True)


def main():
    boxscore = sys.argv[1]
    recording = Recording("r", complete=0)
    fill(recording)
    recording.end()
    page = page_of(boxscore)
    data = check_data(page)
    expect("no matrix", data["matrix"], [])
    check_tables(page, data)
    check_series(data)
    expect("first lines", [word in page.words for word in ("incomplete: a process", "cause: false-sharing", "cores wait in", SNOOP)],
           [True] * 4)
    shared = [row["cells"] for row in page.tables["shared"] if row["class"] == "side"]
    of = "100 " + SNOOP.split("::UNC_")[1]
    expect("sides", sorted(shared)[:2], [["owner byte 0, thread 1, core 1: left a.c:10", of], ["owner byte 8, thread 2, core 2: right a.c:20", of]])
    expect("events", len(page.tables["event"]), 1 + len(EVENTS))
    check_foreign_text(boxscore)
    check_inlined(boxscore)
    check_gains(boxscore)
    check_matrix(boxscore)
    check_long_names(boxscore)
    check_sources(boxscore)
    check_large(boxscore)
    check_host(boxscore)
    ended = subprocess.run([boxscore, "report", "r", "--html", "-"], capture_output=True, check=False)
    expect("to standard output", (ended.returncode, ended.stdout[:15]), (0, b"<!DOCTYPE html>"))
    check_sort(boxscore)
    for options in (["--json"], ["--by", "line"], ["-o", "x"], ["--export", "folded"], ["--top", "3"]):
        ended = subprocess.run([boxscore, "report", "r", "--html", "x", *options], capture_output=True, check=False)
        expect(f"--html {options}", ended.returncode, 2)
    print("\n".join(bad))
    print(f"{len(bad)} bad")
    return bool(bad)


with tempfile.TemporaryDirectory() as work:
    sys.argv[1] = os.path.abspath(sys.argv[1])
    os.chdir(work)
    sys.exit(main())
