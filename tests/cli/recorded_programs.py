"""Recordings of programs of many kinds: Python, jemalloc, C++ with templates, ten processes, a stripped static program.
usage: recorded_programs.py BOXSCORE. What is not installed is skipped, and said. Python takes long: it asks for BX_LONG.
"""

import glob
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

boxscore = os.path.abspath(sys.argv[1])
bad = []
EVENT = ["--machine", "virtual:skl,part=plain", "-e", "UNC_CBO_CACHE_LOOKUP:READ_MESI"]

TEMPLATES = """
#include <vector>
template <typename T, int STEP> struct Walker {
    const T *data;
    T sum(int n) const { T all = 0; for (int i = 0; i < n; i += STEP) all += at(i); return all; }
    inline __attribute__((always_inline)) T at(int i) const { return *const_cast<const volatile T *>(data + i); }
};
template <typename T> __attribute__((noinline)) T walk_all(const std::vector<T> &v) {
    return Walker<T, 64 / sizeof(T)>{v.data()}.sum(int(v.size())); }
int main() {
    std::vector<long> longs(1 << 16, 1);
    std::vector<float> floats(1 << 16, 1.0f);
    return walk_all(longs) + long(walk_all(floats)) == 7; }
"""
TEN = """
#include <sys/wait.h>
#include <unistd.h>
static volatile char data[64 << 10];
static __attribute__((noinline)) void fill(int n) { for (int i = 0; i < n; i += 64) data[i] = 1; }
int main(void) {
    for (int i = 1; i < 10; i++)
        if (fork() == 0) { fill(i * 4096); _exit(0); }
    while (wait(0) > 0) {}
    return 0; }
"""
WRITTEN = """
enum { BYTES = 4 << 20 };
static volatile char written[BYTES] __attribute__((aligned(4096)));
static __attribute__((noinline)) void fill(void) { for (int i = 0; i < BYTES; i += 32) written[i] = 1; }
int main(void) { fill(); return 0; }
"""
# Machine, event that counts a line's write-back, bytes of a line and of the caches that keep lines at the end.
WRITE_BACKS = [
    ("virtual:skl,part=plain,llc=1M", "DRAM_DATA_WRITES", 64, 1 << 20),
    ("virtual:ivbep,part=plain,cores=1", "UNC_C_LLC_VICTIMS:STATE_M", 64, 5 << 19),
    ("virtual:nhmex,part=plain,cores=2,llc=1536K", "LLC_VICTIMS:M", 64, 3 << 19),
    ("virtual:p6,part=plain", "BUS_TRAN_WB", 32, (512 + 16) << 10),
]
LISTS = """
#include <stdlib.h>
struct item { struct item *next; long value[6]; };
static struct item *volatile first;
__attribute__((noinline)) struct item *make_item(void) { return calloc(1, sizeof(struct item)); }
int main(void) {
    for (int i = 0; i < 5000; i++) { struct item *one = make_item(); one->next = first; first = one; }
    long sum = 0;
    for (struct item *i = first; i; i = i->next) sum += i->value[0];
    return (int)sum; }
"""


def one(base, sql):
    return base.execute(sql).fetchall()


def recorded(what, folder, *command, options=(), env=None, status=0):
    ended = subprocess.run([boxscore, "record", "-o", "r", *EVENT, *options, "--", *command], cwd=folder,
                           capture_output=True, text=True, env={**os.environ, **(env or {})})
    if ended.returncode != status:
        bad.append(f"{what}: status {ended.returncode}: {ended.stderr}")
    base = sqlite3.connect(f"{folder}/r")
    for name, total, sum_of_rows in one(base, "SELECT name, total, (SELECT sum(count) FROM cost WHERE event = event.id) FROM event "
                                              "WHERE attributed AND total"):
        if total != sum_of_rows:
            bad.append(f"{what}: {name}: rows {sum_of_rows} of {total}")
    return base


def compiled(folder, name, text, *options):
    suffix = "cc" if "g++" in options else "c"
    with open(f"{folder}/{name}.{suffix}", "w", encoding="utf-8") as file:
        file.write(text)
    compiler = [o for o in options if o == "g++"] or ["cc"]
    subprocess.run([*compiler, "-g", "-O2", "-o", name, f"{name}.{suffix}", *(o for o in options if o != "g++")], cwd=folder, check=True)
    return f"./{name}"


def expect(what, got, wanted):
    if got != wanted:
        bad.append(f"{what}: {got}, not {wanted}")


def templates(folder):
    if not shutil.which("g++"):
        print("no g++: skipped")
        return
    base = recorded("templates", folder, compiled(folder, "templates", TEMPLATES, "g++"))
    chain = one(base, "SELECT DISTINCT code.function, i.function FROM cost JOIN code ON code.id = cost.code JOIN inlined i ON "
                      "i.code = code.id WHERE event = 1 AND i.depth = (SELECT max(depth) FROM inlined WHERE code = code.id) "
                      "AND i.function LIKE '%walk_all<%' AND count > 8 ORDER BY 2")
    expect("templates", [(inner.split("(")[0].split("::")[-1], outer.split("(")[0]) for inner, outer in chain if "at" in inner],
           [("at", "float walk_all<float>"), ("at", "long walk_all<long>")])


def ten_processes(folder):
    base = recorded("ten processes", folder, compiled(folder, "ten", TEN))
    expect("ten processes", one(base, "SELECT count(DISTINCT pid), count(DISTINCT process), min(process) FROM thread"),
           [(10, 1, f"{os.path.realpath(folder)}/ten")])
    # Child i writes to i pages. A kernel zeroes each, 64 lines. They are still in its core's caches when the child
    # writes them, unless the host has made it wait and it goes on on another core: then they are read once more.
    rows = one(base, "SELECT sum(count) FROM cost JOIN code ON code.id = code JOIN thread ON thread.id = thread WHERE event = 1 AND "
                     "function = 'fill' GROUP BY pid ORDER BY pid")
    if len(rows) != 9 or not all(64 <= row[0] <= 128 * i + 200 for i, row in enumerate(rows, 1)):
        bad.append(f"ten processes: {rows}")


def write_backs(folder):
    """Each line of the array is written back once, or is in the caches at the end: its own data are charged."""
    program = compiled(folder, "written", WRITTEN)
    trace = f"{folder}/written.trace"
    subprocess.run([boxscore, "trace", "-o", trace, "--", program], cwd=folder, capture_output=True, check=True)
    for machine, event, line, kept in WRITE_BACKS:
        ended = subprocess.run([boxscore, "record", "-o", "r", "--machine", machine, "-e", event, "--trace", trace], cwd=folder,
                               capture_output=True, text=True)
        if ended.returncode:
            bad.append(f"{machine}: {ended.stderr}")
            continue
        base = sqlite3.connect(f"{folder}/r")
        charged, filled = one(base, "SELECT sum(count), sum(count * (function = 'fill')) FROM cost JOIN object ON object.id = object JOIN "
                                    "code ON code.id = code WHERE event = 1 AND name = 'written'")[0]
        rows = one(base, "SELECT sum(count), count(DISTINCT address), max(address) - min(address), count(offset), min(role = 'requester'), "
                         "max(address % :line) FROM line JOIN object ON object.id = object WHERE event = 1 AND name = 'written' AND role <> 'writer'"
                   .replace(":line", str(line)))[0]
        lines = (4 << 20) // line
        if not lines - kept // line <= charged <= lines or filled < 0.9 * charged:
            bad.append(f"{machine}: {charged} write-backs of {lines} lines, {filled} of them by fill")
        if rows[0] != charged or rows[1] != charged or rows[2] >= 4 << 20 or rows[3:] != (0, 1, 0):
            bad.append(f"{machine}: {charged} write-backs, in line {rows}")
        # A line is stored to each 32 bytes.
        writers = one(base, "SELECT sum(count), sum(count * (function = 'fill' AND offset = :line - 32 AND core = 0)) FROM line JOIN object "
                            "ON object.id = object JOIN code ON code.id = code WHERE event = 1 AND name = 'written' AND role = 'writer'"
                      .replace(":line", str(line)))[0]
        if writers != (charged, charged):
            bad.append(f"{machine}: {charged} write-backs, writers {writers}")


def stripped(folder):
    base = recorded("stripped", folder, compiled(folder, "stripped", LISTS, "-static", "-s"))
    expect("stripped", one(base, "SELECT value FROM run WHERE key = 'allocators'"), [("none was found: heap objects are named by mapping",)])
    expect("stripped", one(base, "SELECT count(*) FROM object WHERE kind = 'heap'"), [(0,)])
    expect("stripped", one(base, "SELECT count(*) > 20 FROM code WHERE function LIKE 'stripped+0x%'"), [(1,)])


def jemalloc(folder):
    found = glob.glob("/usr/lib/x86_64-linux-gnu/libjemalloc.so.2") + [p for p in [os.environ.get("JEMALLOC")] if p]
    if not found:
        print("no libjemalloc2: skipped")
        return
    base = recorded("jemalloc", folder, compiled(folder, "lists", LISTS), env={"LD_PRELOAD": found[0]})
    # make_item() jumps to calloc(), so that main() calls it.
    expect("jemalloc", one(base, "SELECT allocations, bytes FROM object WHERE kind = 'heap' AND name LIKE 'main %'"), [(5000, 5000 * 56)])


def python(folder):
    program = os.environ.get("BX_LONG") and shutil.which("python3", path="/usr/bin")
    if not program:
        print("no BX_LONG, or no Python of the system: skipped")
        return
    text = "d = {}\nfor i in range(3000): d[i] = [i]\n"
    base = recorded("Python", folder, program, "-S", "-c", text)
    most = one(base, "SELECT max(allocations) FROM object WHERE kind = 'heap'")[0][0]
    share = one(base, "SELECT 1.0 * sum(CASE kind WHEN 'heap' THEN count END) / sum(count) FROM cost JOIN object ON object.id = object "
                      "WHERE event = 1 AND kind IN ('heap', 'anonymous')")[0][0]
    if most < 3000 or share < 0.1:
        bad.append(f"Python: {most} allocations, {share} of the heap's counts are an object's")


with tempfile.TemporaryDirectory() as work:
    for test in (templates, ten_processes, write_backs, stripped, jemalloc, python):
        test(work)
print("\n".join(bad))
print(f"{len(bad)} bad")
sys.exit(bool(bad))
