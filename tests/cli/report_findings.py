"""The rules of docs/reference/findings.md on recordings made here: each fires where its cause is planted, and not on its
near misses. Rows, filters and sums of `report` on the same recordings. usage: report_findings.py BOXSCORE
"""

import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

WAITS = "l2 flight llc core package memory remote-memory turn tlb kernel buffer stores lock branch end fetch data"
EVENTS = ["skl_unc_imc::DRAM_DATA_READS", "skl_unc_cbo::UNC_CBO_XSNP_RESPONSE:HITM_XCORE",
          "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_MESI", "issue"] + [f"wait:{w}" for w in WAITS.split()]
SNOOP, READS, LOOKUPS = EVENTS[1], EVENTS[0], EVENTS[2]
SCHEMA = """
PRAGMA application_id = 0x62787263; PRAGMA user_version = 1;
CREATE TABLE run (key TEXT PRIMARY KEY, value);
CREATE TABLE event (id INTEGER PRIMARY KEY, name TEXT, unit TEXT, total INTEGER, attributed INTEGER);
CREATE TABLE binary (id INTEGER PRIMARY KEY, path TEXT, build_id TEXT);
CREATE TABLE code (id INTEGER PRIMARY KEY, binary INTEGER, address INTEGER, function TEXT, file TEXT, line INTEGER);
CREATE TABLE inlined (code INTEGER, depth INTEGER, function TEXT, file TEXT, line INTEGER);
CREATE TABLE context (id INTEGER PRIMARY KEY, parent INTEGER, code INTEGER);
CREATE TABLE object (id INTEGER PRIMARY KEY, kind TEXT, name TEXT, bytes INTEGER, allocations INTEGER, context INTEGER);
CREATE TABLE thread (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, process TEXT);
CREATE TABLE span (id INTEGER PRIMARY KEY, "begin" INTEGER, "end" INTEGER);
CREATE TABLE cost (event INTEGER, code INTEGER, context INTEGER, object INTEGER, thread INTEGER, core INTEGER, span INTEGER,
                   count INTEGER, by_prefetch INTEGER);
CREATE TABLE unit_cost (event INTEGER, pmu TEXT, package INTEGER, unit INTEGER, span INTEGER, count INTEGER);
CREATE TABLE line (event INTEGER, address INTEGER, pid INTEGER, offset INTEGER, object INTEGER, code INTEGER,
                   thread INTEGER, core INTEGER, role TEXT, count INTEGER);
CREATE TABLE series ("begin" INTEGER, "end" INTEGER);
CREATE TABLE series_column ("column" TEXT PRIMARY KEY, event INTEGER, pmu TEXT, package INTEGER, unit INTEGER);
"""
# By number. Codes 3 and 4 are of one function; 5 is a lock's.
CODES = {0: ("(not an instruction)", None, None), 1: ("left", "/s/a.c", 10), 2: ("right", "/s/a.c", 20), 3: ("walk", "/s/b.c", 30),
         4: ("walk", "/s/b.c", 31), 5: ("pthread_mutex_lock", None, None), 6: ("take", "/s/c.c", 40)}
OBJECTS = {1: ("none", "(none)"), 2: ("global", "pair"), 3: ("heap", "make a.c:5"), 4: ("global", "mutex")}


class Recording:
    """What is put into it adds up: totals are made of the rows."""

    def __init__(self, path, complete=1):
        if os.path.exists(path):
            os.unlink(path)
        self.base = sqlite3.connect(path)
        self.base.executescript(SCHEMA)
        self.put("run", ("machine", "virtual:skl"), ("work", "'./p'"), ("cycles_per_second", 1e9), ("complete", complete),
                 ("missing", None if complete else "a process"), ("names", "libdw"), ("allocators", "followed"))
        self.put("code", *[(n, None, n, *is_) for n, is_ in CODES.items()])
        self.put("object", *[(n, *is_, 64, 1, None) for n, is_ in OBJECTS.items()])
        self.put("thread", (1, 7, 1, "/p"), (2, 7, 2, "/p"))
        self.put("span", *[(n, 1000 * (n - 1), 1000 * n) for n in range(1, 5)])
        self.put("context", (1, None, 6))

    def put(self, table, *rows):
        for row in rows:
            self.base.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)

    def more_columns(self):
        """Those that recordings of boxscore have, and the rules can do without."""
        self.base.executescript("ALTER TABLE cost ADD COLUMN chained INTEGER; ALTER TABLE object ADD COLUMN loads INTEGER; "
                                "ALTER TABLE object ADD COLUMN stores INTEGER; UPDATE object SET loads = 5, stores = 5")

    def cost(self, event, code, count, object_=1, thread=1, span=1, prefetched=0, context=None):
        self.put("cost", (EVENTS.index(event) + 1, code, context, object_, thread, thread, span, count, prefetched))

    def line(self, address, offset, thread, count, role="requester", object_=2, code=1, event=SNOOP):
        self.put("line", (EVENTS.index(event) + 1, address, 7, offset, object_, code, thread, thread, role, count))

    def end(self):
        for number, name in enumerate(EVENTS, 1):
            total = self.base.execute("SELECT coalesce(sum(count), 0) FROM cost WHERE event = ?", (number,)).fetchone()[0]
            self.put("event", (number, name, "core cycles" if "::" not in name else "times", total, 1))
        self.base.commit()
        self.base.close()


def sharing(to, sides, waits=500, reader=False):
    """sides: (thread, offsets at which it asks, offset of its last store or None)."""
    to.cost("issue", 1, 1000 - waits)
    for thread, asks, stores in sides:
        to.cost("wait:core", thread, waits // len(sides), object_=2, thread=thread)
        to.cost(SNOOP, thread, 100, object_=2, thread=thread)
        for offset in asks:
            to.line(0x1000, offset, thread, 100 // len(asks), code=thread)
        if stores is not None:
            to.line(0x1000, stores, thread, 100, role="owner", code=thread)
    if reader:
        to.line(0x1000, 0, 1, 100, role="owner")


def false_sharing(r):
    sharing(r, [(1, [0], 0), (2, [8], 8)])


def prepared(r):
    """As a program does it: a third thread prepares both, and reads the results."""
    false_sharing(r)
    for offset in 0, 8, 32:
        r.line(0x1000, offset, 3, 2, code=3)
        r.line(0x1000, offset, 3, 2, role="owner", code=3)


def taking_part(r):
    """The third thread goes on to use both."""
    false_sharing(r)
    for offset in 0, 8:
        r.line(0x1000, offset, 3, 60, code=3)


def same_word(r):
    sharing(r, [(1, [0], 0), (2, [0], 0)])


def one_reads(r):
    """The other only reads: what the writer has written elsewhere is not seen."""
    sharing(r, [(1, [0], 0), (2, [8], None)], reader=True)


def interleaved(r):
    """Each has written something between the other's."""
    sharing(r, [(1, [0], 16), (2, [8], 24)])


def merged(r):
    """Rows that were merged have no address: nothing tells that they are of one line."""
    r.cost("issue", 1, 500)
    for thread in 1, 2:
        r.cost("wait:core", thread, 250, object_=2, thread=thread)
        r.cost(SNOOP, thread, 100, object_=2, thread=thread)
        r.line(None, None, thread, 100, code=thread)
        r.line(None, None, thread, 100, role="owner", code=thread)


def short_sharing(r):
    sharing(r, [(1, [0], 0), (2, [8], 8)], waits=40)


def handed_over(r):
    """One thread made it, another goes on: each line is asked for once."""
    r.cost("issue", 1, 500)
    r.cost("wait:core", 2, 500, object_=2, thread=2)
    r.cost(SNOOP, 2, 100, object_=2, thread=2)
    for n in range(100):
        r.line(0x1000 + 64 * n, 0, 2, 1, code=2)
        r.line(0x1000 + 64 * n, 56, 1, 1, role="owner")


def apart_but_elsewhere(r):
    """A line is falsely shared, but most requests for the object are others."""
    sharing(r, [(1, [0], 0), (2, [8], 8)])
    for n in range(1, 200):
        r.line(0x1000 + 64 * n, 0, 1, 2)
        r.line(0x1000 + 64 * n, 0, 2, 1, role="owner")


def waits_of(cause, share):
    def make(r):
        r.cost("issue", 1, 1000 - share)
        r.cost(f"wait:{cause}", 3, share, object_=3)
    return make


def spread_waits(cause):
    """Much of it, but nowhere 5 % of the time."""
    def make(r):
        r.cost("issue", 1, 880)
        for code in (1, 3, 4):
            r.cost(f"wait:{cause}", code, 40, object_=3)
    return make


def reads(prefetched, cycles=1000):
    def make(r):
        r.cost("issue", 1, cycles)
        r.cost(READS, 3, 900, object_=3, prefetched=prefetched)
        r.cost(READS, 1, 100, object_=3)
    return make


def locking(contended):
    def make(r):
        r.cost("issue", 1, 500)
        r.cost("wait:core" if contended else "wait:lock", 5, 500, object_=4, context=1)
    return make


def slices(counts, waits=100, cause="llc"):
    def make(r):
        r.cost("issue", 1, 1000 - waits)
        r.cost(f"wait:{cause}", 1, waits)
        r.cost(LOOKUPS, 1, sum(counts))
        r.put("unit_cost", *[(EVENTS.index(LOOKUPS) + 1, "skl_unc_cbo", 0, n, 1, count) for n, count in enumerate(counts)])
    return make


def chain(chained, count=500):
    def make(r):
        r.cost("issue", 1, 1000 - count)
        r.cost("wait:memory", 3, count, object_=3)
        r.more_columns()
        r.base.execute("UPDATE cost SET chained = ? WHERE event = ?", (chained, EVENTS.index("wait:memory") + 1))
    return make


def never_read(loads, stores=1000, waits=100, reads_=900, kind="heap"):
    def make(r):
        r.cost("issue", 1, 1000 - waits)
        r.cost("wait:stores", 3, waits, object_=3)
        r.cost(READS, 3, reads_, object_=3)
        r.cost(READS, 1, 100, object_=2)
        r.more_columns()
        r.base.execute("UPDATE object SET loads = ?, stores = ?, kind = ? WHERE id = 3", (loads, stores, kind))
    return make


def nothing(r):
    r.cost("issue", 1, 1000)
    r.cost("wait:memory", 3, 1000, object_=3)


def of_nobody(r):
    r.cost("issue", 1, 500)
    r.cost("wait:tlb", 0, 500)


# What is planted, and all that may fire: rule, share, of, function, line, object.
CASES = [
    (false_sharing, [("false-sharing", 0.5, "time", "left", 10, "pair")]),
    (prepared, [("false-sharing", 0.5, "time", "left", 10, "pair")]),
    (taking_part, [("true-sharing", 0.5, "time", "left", 10, "pair")]),
    (same_word, [("true-sharing", 0.5, "time", "left", 10, "pair")]),
    (one_reads, []),
    (interleaved, []),
    (merged, []),
    (short_sharing, []),
    (handed_over, []),
    (apart_but_elsewhere, []),
    (waits_of("tlb", 50), [("tlb", 0.05, "time", "walk", 30, "make a.c:5")]),
    (waits_of("tlb", 49), []),
    (spread_waits("tlb"), []),
    (waits_of("kernel", 500), []),
    (waits_of("remote-memory", 300), [("remote-memory", 0.3, "time", "walk", 30, "make a.c:5")]),
    (waits_of("memory", 300), []),
    (spread_waits("remote-memory"), []),
    (reads(675), [("streaming", 0.9, READS, "walk", 30, "make a.c:5")]),
    (reads(674), []),
    (reads(900, cycles=4000000), []),
    (locking(True), [("lock", 0.5, "time", "take", 40, "mutex")]),
    (locking(False), []),
    (slices([700, 100, 100, 100]), [("one-slice", 0.7, LOOKUPS, None, None, None)]),
    (slices([600, 200, 100, 100]), []),
    (slices([700, 100, 100, 100], waits=40), []),
    (slices([700, 100, 100, 100], cause="turn"), []),  # a line is in one slice
    (slices([1000]), []),
    (chain(50), [("pointer-chase", 0.05, "time", "walk", 30, "make a.c:5")]),
    (chain(500), [("pointer-chase", 0.5, "time", "walk", 30, "make a.c:5")]),
    (chain(49), []),
    (chain(0), []),
    (chain(None), []),
    (never_read(0), [("written-never-read", 0.9, READS, "walk", 30, "make a.c:5")]),
    (never_read(0, waits=950), [("written-never-read", 0.95, "time", "walk", 30, "make a.c:5")]),
    (never_read(0, reads_=0), [("written-never-read", 0.1, "time", "walk", 30, "make a.c:5")]),
    (never_read(0, waits=49, reads_=5), []),
    (never_read(1), []),
    (never_read(0, stores=0), []),
    (never_read(None, stores=None), []),
    (never_read(0, kind="stack"), []),
    (nothing, []),
    (of_nobody, []),
]


def fields(message):
    """A message of protocol buffers: (field, value), a number or bytes."""
    at, found = 0, []

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        value = varint()
        if key & 7 == 2:
            value, at = message[at:at + value], at + value
        found.append((key >> 3, value))
    return found


def varints(packed):
    """Its numbers: as fields of number 0 with the value in front."""
    numbers, value, shift = [], 0, 0
    for byte in packed:
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(value)
            value = shift = 0
    return numbers


def check_pprof(report, expect):
    """The profile as pprof's profile.proto numbers its fields: of the recording with locking()."""
    report("--export", "pprof", "--sort", "wait:core", "-o", "pprof.out")
    with open("pprof.out", "rb") as file:
        profile = fields(file.read())
    texts = [value.decode() for field, value in profile if field == 6]
    types = [(texts[dict(fields(v))[1]], texts[dict(fields(v))[2]]) for f, v in profile if f == 1]
    functions = {dict(fields(v))[1]: (texts[dict(fields(v))[2]], texts[dict(fields(v))[4]]) for f, v in profile if f == 5}
    lines = {}
    for field, value in profile:
        if field == 4:
            place = dict(fields(value))
            line = dict(fields(place[4]))
            lines[place[1]] = (functions[line[1]][0], line[2])
    expect("pprof's texts", (texts[0], len(texts)), ("", len(set(texts))))
    expect("pprof's types", types[:2], [("wait:core", " core cycles"), (READS, " times")])
    expect("pprof's default", [texts[v] for f, v in profile if f == 14], ["wait:core"])
    samples = []
    for field, value in profile:
        if field != 2:
            continue
        sample = fields(value)
        labels = {}
        for label in (dict(fields(v)) for f, v in sample if f == 3):
            labels[texts[label[1]]] = texts[label[2]] if 2 in label else label[3]
        stack = [lines[place] for f, v in sample if f == 1 for place in varints(v)]
        samples.append((stack, varints([v for f, v in sample if f == 2][0])[0], labels))
    expect("pprof's samples", sorted((s for s in samples if s[1]), key=str),
           [([("pthread_mutex_lock", 0), ("take", 40)], 500, {"object": "mutex", "thread": 1, "process": 7}),
            ([("pthread_mutex_lock", 0), ("walk", 30), ("take", 40)], 7, {"object": "mutex", "thread": 1, "process": 7})])
    if os.environ.get("BX_LONG") and shutil.which("go"):
        ended = subprocess.run(["go", "tool", "pprof", "-top", "-cum", "pprof.out"], capture_output=True, text=True, check=False)
        expect("go tool pprof", (ended.returncode, [re.sub(r"^.*?(\d+) core cycles +\S+ +(\S+)$", r"\1 \2", line.strip()) for line in ended.stdout.splitlines()
                                                   if line.endswith((" take", " walk"))]), (0, ["507 take", "7 walk"]))
        ended = subprocess.run(["go", "tool", "pprof", "-tags", "pprof.out"], capture_output=True, text=True, check=False)
        expect("pprof's tags", "mutex" in ended.stdout, True)


def callgrind_of(text):
    """(function, line, called function or None): its first event, a list where functions of several files have it."""
    names, costs, function, called = {}, {}, None, None
    for line in text.split("\n\n", 1)[1].splitlines():
        key, _, value = line.partition("=")
        if key in ("fn", "cfn"):
            number, _, name = value.partition(" ")
            names[number] = name or names[number]
            function, called = (names[number], None) if key == "fn" else (function, names[number])
        elif line[:1].isdigit():
            at, count = (int(word) for word in line.split()[:2])
            costs.setdefault((function, at, called), []).append(count)
            called = None
    return {key: counts[0] if len(counts) == 1 else sorted(counts) for key, counts in costs.items() if any(counts)}


def inlined_frames(shown, report, expect):
    """What a function was inlined into is its caller: walk was inlined into outer, and that into run, as take was."""
    recording = Recording("r")
    recording.put("inlined", (3, 2, "run", "/s/m.c", 9), (3, 1, "outer", "/s/b.c", 5), (6, 1, "run", "/s/m.c", 3),
                  (99, 1, "of no place", "/s/m.c", 3))
    recording.put("code", (7, None, 7, "take", "/s/other.c", 2), (8, None, 8, "walk", "/s/b.c", 35))
    recording.put("inlined", (8, 1, "outer", "/s/other.c", 5), (8, 2, "run", "/s/m.c", 9), (7, 1, "run", "/s/m.c", 3))
    recording.put("context", (2, None, 7))
    recording.cost(READS, 3, 7, context=1)
    recording.cost(READS, 8, 4, context=2)  # the same names, at other lines and in another file
    recording.cost(READS, 1, 2)
    recording.end()
    expect("inlined frames in stacks", sorted(report("--export", "folded", "--sort", READS).splitlines()),
           ["left 2", "run;take;run;outer;walk 11"])
    report("--export", "pprof", "--sort", READS, "-o", "pprof.out")
    with open("pprof.out", "rb") as file:
        profile = fields(file.read())
    texts = [value.decode() for field, value in profile if field == 6]
    functions = {dict(fields(v))[1]: texts[dict(fields(v))[2]] for f, v in profile if f == 5}
    places = {}
    for message in (fields(v) for f, v in profile if f == 4):
        lines = [dict(fields(v)) for f, v in message if f == 4]
        places[dict(message)[1]] = [(functions[line[1]], line[2]) for line in lines]
    stacks = [[places[place] for f, v in fields(value) if f == 1 for place in varints(v)] for field, value in profile if field == 2]
    expect("inlined frames in pprof", sorted(stacks),
           [[[("left", 10)]], [[("walk", 30), ("outer", 5), ("run", 9)], [("take", 40), ("run", 3)]],
            [[("walk", 35), ("outer", 5), ("run", 9)], [("take", 2), ("run", 3)]]])
    rows = {row["function"]: row["children"][READS] for row in shown("--children", "--sort", READS)["rows"]}
    expect("children of inlined", {name: n for name, n in rows.items() if n}, {"run": 11, "take": 11, "outer": 11, "walk": 11, "left": 2})
    rows = {row["line"]: row["children"][READS] for row in shown("--children", "--by", "line", "--sort", READS)["rows"]}
    expect("children of inlined by line", {name: n for name, n in rows.items() if n},
           {"/s/m.c:3": 11, "/s/m.c:9": 11, "/s/b.c:5": 7, "/s/other.c:5": 4, "/s/b.c:30": 7, "/s/b.c:35": 4, "/s/c.c:40": 7,
            "/s/other.c:2": 4, "/s/a.c:10": 2})
    expect("inlined frames in callgrind", callgrind_of(report("--export", "callgrind", "--sort", READS)),
           {("walk", 30, None): 7, ("walk", 35, None): 4, ("left", 10, None): 2, ("outer", 5, "walk"): [4, 7], ("run", 9, "outer"): [4, 7],
            ("take", 40, "run"): 7, ("take", 2, "run"): 4, ("run", 3, "take"): [4, 7]})
    if os.environ.get("BX_LONG") and shutil.which("go"):
        ended = subprocess.run(["go", "tool", "pprof", "-top", "-cum", "pprof.out"], capture_output=True, text=True, check=False)
        expect("go tool pprof of inlined", (ended.returncode, sorted(line.split()[-2:] for line in ended.stdout.splitlines() if "(inline)" in line)),
               (0, [["outer", "(inline)"], ["take", "(inline)"], ["walk", "(inline)"]]))


def by_metric(shown, report, expect):
    """llc_miss_ratio is 100 * misses / lookups. walk calls take: 80 of 1100 lookups miss in both; right has few counts."""
    recording = Recording("r")
    recording.put("context", (2, None, 3))
    for function, lookups, misses, context in (1, 100, 90, None), (2, 1, 1, None), (3, 400, 50, None), (6, 700, 30, 2):
        recording.cost(LOOKUPS, function, lookups, context=context)
        recording.put("cost", (99, function, context, 1, 1, 1, 1, misses, 0))
    recording.put("event", (99, "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I", "lookups", 171, 1))
    recording.put("event", (98, "skl_unc_arb::UNC_ARB_TRK_REQUESTS:ALL", "requests", 5, 0))
    recording.end()
    shutil.copy("r", "m")
    got = shown("--sort", "llc_miss_ratio")
    expect("metric", [(row["function"], row["metric"]) for row in got["rows"]],
           [("left", 90), ("walk", 12.5), ("take", 30 / 7), ("right", 100)])
    expect("metric of all", (got["sort"], got["metric"]["unit"], got["metric"]["total"], got["metric"]["other"]),
           ("llc_miss_ratio", "%", 17100 / 1201, None))
    got = shown("--sort", "llc_miss_ratio", "--top", "1")
    expect("metric of the other rows", (got["metric"]["other"], [row["function"] for row in got["rows"]]), (8100 / 1101, ["left"]))
    rows = {row["function"]: (row["metric"], row["children-metric"]) for row in shown("--children", "--sort", "llc_miss_ratio")["rows"]}
    expect("metric with children", (rows["walk"], rows["take"]), ((12.5, 8000 / 1100), (30 / 7, 30 / 7)))
    # Rows that have none are last: no lookup has the address of these.
    expect("metric by page", shown("--by", "page", "--sort", "llc_miss_ratio")["rows"], [])
    text = report("--sort", "llc_miss_ratio").splitlines()
    start = text.index("llc_miss_ratio, by function:")
    expect("metric as text", [line.split() for line in text[start + 1:start + 6]],
           [["M", "A", "B", "function"], ["90.00", "100", "90", "left"], ["12.50", "400", "50", "walk"], ["4.29", "700", "30", "take"],
            ["100.00", "1", "1", "right"]])
    expect("the legend", [line for line in text if line.startswith("M: ") or "stand last" in line],
           ["M: llc_miss_ratio, 14.24 %", "rows with less than 1 % of each event of it stand last: 1"])
    expect("80 columns", [row for row in text + report("--sort", "llc_miss_ratio", "--children").splitlines() if len(row) > 80], [])
    table = list(csv.reader(io.StringIO(report("-x,", "--sort", "llc_miss_ratio", "--top", "1", "--children"))))
    expect("metric as csv", [row[-2:] for row in table[:3]],
           [["llc_miss_ratio", "llc_miss_ratio children"], ["90", "90"], [table[2][-2], ""]])
    expect("the other rows as csv", float(table[2][-2]), 8100 / 1101)


def main():
    boxscore, bad = sys.argv[1], []

    def report(*options):
        ended = subprocess.run([boxscore, "report", "r", *options], capture_output=True, text=True, check=False)
        if ended.returncode or ended.stderr:
            bad.append(f"{options}: status {ended.returncode} {ended.stderr}")
        return ended.stdout

    def shown(*options):
        nothing_there = '{"run": {}, "events": [], "rows": [], "findings": [], "by": [], "lacks": []}'
        return json.loads(report("--json", *options) or nothing_there)

    def expect(what, is_, should):
        if is_ != should:
            bad.append(f"{what}: {is_}, not {should}")

    for make, should in CASES:
        recording = Recording("r")
        make(recording)
        recording.end()
        found = [(f["rule"], round(f["share"], 3), f["of"], f["function"], f["line"], f["object"])
                 for f in shown()["findings"]]
        expect(make.__qualname__, found, should)

    # ---- rows, filters and sums ----
    recording = Recording("r", complete=0)
    false_sharing(recording)
    recording.cost(READS, 3, 70, object_=3, span=2, prefetched=60)
    recording.cost(READS, 4, 30, object_=3, span=3, thread=2)
    recording.cost(READS, 0, 5, thread=None)
    recording.put("unit_cost", (1, "skl_unc_imc", 0, 0, 1, 105))
    recording.end()
    for by in "function line object thread process span function,object,thread line,span".split():
        for top in ([], ["--top", "1"], ["--function", "wal*"], ["--thread", "2"], ["--span", "500-1500"]):
            got = shown("--by", by, *top)
            for event in got["events"]:
                name = event["name"]
                expect(f"{by} {top} {name}", sum(row["values"][name] for row in got["rows"]) + got["other"][name], event["total"])
    got = shown("--by", "function", "--sort", "DRAM_DATA_READS")
    expect("rows", [(row["function"], row["values"][READS], row["by-prefetch"][READS]) for row in got["rows"]][:2],
           [("walk", 100, 60), ("(not an instruction)", 5, 0)])
    expect("by", got["by"], ["function"])
    expect("run", (got["run"]["complete"], got["run"]["missing"], got["lacks"]), (0, "a process", ["incomplete: a process"]))
    expect("line", [row["line"] for row in shown("--by", "line", "--sort", READS, "--top", "2")["rows"]], ["/s/b.c:30", "/s/b.c:31"])
    expect("filters", [(row["line"], row["values"][READS]) for row in
                       shown("--by", "line", "--function", "walk", "--thread", "2", "--span", "2us-3us", "--object", "make*")["rows"]],
           [("/s/b.c:31", 30)])
    expect("threads", [(row["thread"], row["process"], row["values"][SNOOP]) for row in shown("--by", "thread")["rows"]],
           [(1, 7, 100), (2, 7, 100), (None, None, 0)])
    expect("page", [(row["page"], row["process"], row["values"]) for row in shown("--by", "page")["rows"]],
           [("0x1000", 7, {READS: 0, SNOOP: 200, LOOKUPS: 0})])
    expect("units", [(row["pmu"], row["unit"], row["values"]) for row in shown("--by", "unit")["rows"]],
           [("skl_unc_imc", 0, {READS: 105})])
    lines = shown("--by", "shared-line")["rows"]
    expect("sides", sorted((s["role"], s["offset"], s["function"], s["thread"], s["count"]) for line in lines for s in line["sides"]),
           [("owner", 0, "left", 1, 100), ("owner", 8, "right", 2, 100), ("requester", 0, "left", 1, 100),
            ("requester", 8, "right", 2, 100)])
    table = list(csv.reader(io.StringIO(report("-x,", "--by", "object,thread", "--top", "1"))))
    expect("csv", [table[0][:4], table[1][:4], table[2][0], table[3][0]],
           [["object", "kind", "thread", "process"], ["pair", "global", "1", "7"], "(left out)", "# incomplete: a process"])
    expect("width of the csv", len({len(row) for row in table[:3]}), 1)
    text = report()
    expect("text", text.splitlines()[:2],
           ["incomplete: a process", "'./p' on virtual:skl: cores wait in 50 % of 1,000 cycles: 50 % core."])
    expect("80 columns", [row for row in text.splitlines() if len(row) > 80], [])
    # ---- metrics ----
    by_metric(shown, report, expect)
    inlined_frames(shown, report, expect)
    recording = Recording("r", complete=0)
    false_sharing(recording)
    recording.cost(READS, 3, 70, object_=3, span=2, prefetched=60)
    recording.cost(READS, 4, 30, object_=3, span=3, thread=2)
    recording.cost(READS, 0, 5, thread=None)
    recording.end()
    # ---- exports ----
    stacks = report("--export", "folded", "--sort", READS).splitlines()
    expect("folded", sorted(stacks), ["(not an instruction) 5", "walk 100"])
    recording = Recording("r")
    locking(True)(recording)
    recording.put("context", (2, 1, 3))
    recording.cost("wait:core", 5, 7, object_=4, context=2)
    recording.end()
    rows = {row["function"]: (row["values"]["wait:core"], row["children"]["wait:core"]) for row in shown("--children")["rows"]}
    expect("children", rows, {"take": (0, 507), "pthread_mutex_lock": (507, 507), "walk": (0, 7), "left": (0, 0), "right": (0, 0),
                              "(not an instruction)": (0, 0)})
    rows = [(row["line"], row["children"]["wait:core"]) for row in shown("--children", "--by", "line")["rows"]]
    expect("children by line", sorted(rows[:3], key=str), [("/s/b.c:30", 7), ("/s/c.c:40", 507), (None, 507)])
    expect("order with children", [row.split()[-1] for row in report("--children", "--top", "3").splitlines()
                                    if row.strip()[:1].isdigit() and "(other" not in row],
           ["pthread_mutex_lock", "take", "walk"])
    recording.base = sqlite3.connect("r")
    recording.put("context", (3, 2, 3), (4, 3, 6))  # walk calls itself, then take
    recording.cost("wait:core", 5, 10, object_=4, context=4)
    recording.base.execute("UPDATE event SET total = total + 10 WHERE name = 'wait:core'")
    recording.base.commit()
    recording.base.close()
    rows = {row["function"]: row["children"]["wait:core"] for row in shown("--children")["rows"]}
    expect("recursion", (rows["take"], rows["walk"], rows["pthread_mutex_lock"]), (517, 17, 517))
    recording.base = sqlite3.connect("r")
    recording.base.executescript("DELETE FROM cost WHERE context = 4; UPDATE event SET total = total - 10 WHERE name = 'wait:core'")
    recording.base.close()
    expect("stacks", report("--export", "folded").splitlines(), ["take;pthread_mutex_lock 500", "take;walk;pthread_mutex_lock 7"])
    report("--export", "callgrind", "--sort", "wait:core", "-o", "callgrind.out")
    with open("callgrind.out", encoding="utf-8") as file:
        lines = file.read().splitlines()
    expect("names of callgrind's events", [line for line in lines if line.startswith("events:")][0].split()[1:3],
           ["wait_core", "skl_unc_imc__DRAM_DATA_READS"])
    costs = [line.split()[:2] for line in lines if line[:1].isdigit()]
    expect("callgrind's costs", sorted(costs), [["0", "507"], ["10", "0"], ["30", "7"], ["40", "500"], ["40", "7"]])
    check_pprof(report, expect)
    if shutil.which("callgrind_annotate"):
        ended = subprocess.run(["callgrind_annotate", "--inclusive=yes", "callgrind.out"], capture_output=True, text=True, check=False)
        expect("callgrind_annotate", (ended.returncode, ended.stderr), (0, ""))
        total = [line.split()[0] for line in ended.stdout.splitlines() if ":take" in line]
        expect("callgrind_annotate's take", total, ["507"])
    # ---- packages of debug information ----
    recording = Recording("r")
    paths = ["/usr/bin/dpkg", "/usr/bin/dpkg-deb", "/s/own", "/s/cheap"]
    recording.put("binary", *[(n, path, None) for n, path in enumerate(paths, 1)])
    recording.put("code", *[(10 + n, n, 16, f"p{n}", None, None) for n in range(1, 5)], (20, 3, 32, "with", "/s/own.c", 1))
    for code, count in (11, 400), (12, 300), (13, 200), (14, 9), (20, 91):
        recording.cost("wait:memory", code, count)
    recording.end()
    package = ": apt-get install dpkg-dbgsym" if shutil.which("dpkg-query") else ": compile it with -g"
    again = "" if package.startswith(": apt") else package
    expect("packages", shown()["lacks"], ["no debug information: dpkg (40 % of the time)" + package +
                                          ", dpkg-deb (30 % of the time)" + again + ", own (20 % of the time): compile it with -g"])
    # ---- annotate ----
    with open("b.c", "w", encoding="utf-8") as file:
        file.write("".join(f"\tline {n};\n" for n in range(1, 41)))
    there = os.path.abspath("b.c")
    recording = Recording("r")
    recording.base.execute("UPDATE code SET file = ? WHERE file = '/s/b.c'", (there,))
    waits_of("memory", 300)(recording)
    recording.cost("wait:memory", 4, 100)
    recording.cost(READS, 4, 1234567)
    recording.end()
    shows = [f"{there}: share of all wait, {READS}, {SNOOP}"]
    for n in range(27, 35):
        counts = {30: " 75.0 %             0             0", 31: " 25.0 %     1,234,567             0"}.get(n, " " * 35)
        shows.append(f"{counts} {n:5}          line {n};")
    for what in "walk", "b.c", there:
        ended = subprocess.run([boxscore, "annotate", "r", what], capture_output=True, text=True, check=False)
        expect(f"annotate {what}", (ended.returncode, ended.stderr, ended.stdout.splitlines()), (0, "", shows))
    os.unlink("b.c")
    ended = subprocess.run([boxscore, "annotate", "r", "walk"], capture_output=True, text=True, check=False)
    expect("without its source", ended.stdout.splitlines(),
           [f"# cannot be read, so lines are without their text: {there}: No such file or directory", shows[0],
            " 75.0 %             0             0    30  (no text)",
            " 25.0 %     1,234,567             0    31  (no text)"])
    ended = subprocess.run([boxscore, "annotate", "r", "nothing"], capture_output=True, text=True, check=False)
    expect("no such function", (ended.returncode, ended.stderr.splitlines()[:1]),
           (1, ["boxscore: the recording has no function or source file 'nothing'"]))

    # ---- a recording of a program, and what is none ----
    subprocess.run([boxscore, "record", "-o", "r", "--machine", "virtual:skl,part=i7-6700k", "-w", "pingpong,cores=3,iterations=2000",
                    "-e", "UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CBO_XSNP_RESPONSE:HITM_XCORE"], capture_output=True, check=True)
    with sqlite3.connect("r") as base:
        totals = dict(base.execute("SELECT name, total FROM event"))
    for by in "function thread object span unit".split():
        got = shown("--by", by, "--top", "2")
        for name, other in got["other"].items():
            expect(f"{by} {name}", sum(row["values"][name] for row in got["rows"]) + other, totals[name])
    expect("snoops", totals["skl_unc_cbo::UNC_CBO_XSNP_RESPONSE:HITM_XCORE"] > 100, True)

    # ---- a recording that grows: a report waits for the end of a commit ----
    writer = sqlite3.connect("r", isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    with subprocess.Popen([boxscore, "report", "r"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as waits:
        try:
            waits.wait(0.3)
        except subprocess.TimeoutExpired:
            pass
        writer.execute("COMMIT")
        out, err = waits.communicate()
        expect("beside a writer", (waits.returncode, err, out), (0, "", report()))
    writer.close()

    def refused(what, status, *options):
        ended = subprocess.run([boxscore, "report", *options], capture_output=True, text=True, check=False)
        message = ended.stderr.splitlines()[:1]
        expect(options, (ended.returncode, message, ended.stdout), (status, [f"boxscore: {what}"], ""))

    with open("text", "w", encoding="utf-8") as file:
        file.write("This is no database, but long enough to be taken for one by its length alone.\n" * 20)
    for name, number in ("other", 1), ("later", 0x62787263):
        with sqlite3.connect(name) as base:
            base.executescript(f"PRAGMA application_id = {number}; PRAGMA user_version = 2; CREATE TABLE a (b)")
    hint = "is no recording: it is"
    refused("cannot read 'boxscore.rec': No such file or directory", 1)
    refused(f"'text' {hint} not a database of SQLite", 1, "text")
    refused(f"'other' {hint} another database", 1, "other")
    refused(f"'.' {hint} not a regular file", 1, ".")
    refused("the recording 'later' has version 2, not 1", 1, "later")
    refused("rows cannot be by 'colour'", 1, "r", "--by", "function,colour")
    refused("counts of units do not say whose they are", 1, "r", "--by", "unit", "--function", "main")
    refused("counts by address have no spans of time", 1, "r", "--by", "page,span")
    refused("rows of this table have no 'NO_EVENT'", 1, "r", "--sort", "NO_EVENT")
    refused("rows are not sorted by 'dram_read_bandwidth': it depends on time, which is not a row's", 1, "m", "--sort", "dram_read_bandwidth")
    refused("rows are not sorted by 'snoop_hitm_ratio': the recording lacks an event of it", 1, "m", "--sort", "snoop_hitm_ratio")
    refused("an export adds up counts, which values of 'llc_miss_ratio' do not", 1, "m", "--export", "folded", "--sort", "llc_miss_ratio")
    refused("a page adds up counts, which values of 'llc_miss_ratio' do not", 1, "m", "--html", "x.html", "--sort", "llc_miss_ratio")
    refused("rows are not sorted by 'llc_miss_ratio': these rows have no counts of an event of it", 1, "m", "--sort", "llc_miss_ratio",
            "--by", "unit")
    refused("calls are of functions and lines", 1, "r", "--children", "--by", "object")
    refused("'5-3' is no span of time", 1, "r", "--span", "5-3")
    refused("--export is 'callgrind', 'pprof' or 'folded', not 'perf'", 2, "r", "--export", "perf")
    print("\n".join(bad))
    print(f"{len(CASES)} cases, {len(bad)} bad")
    return bool(bad)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work:
        sys.argv[1] = os.path.abspath(sys.argv[1])
        os.chdir(work)
        sys.exit(main())
