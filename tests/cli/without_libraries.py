"""boxscore built without libdw names functions by the tables of ELF files; built without SQLite, record says in one
message what to install. usage: without_libraries.py SOURCE_ROOT. It builds boxscore twice, so it asks for BX_LONG.
"""

import os
import sqlite3
import subprocess
import sys
import tempfile

root = os.path.abspath(sys.argv[1])
bad = []
SOURCE = """
volatile char data[1 << 16];
static inline __attribute__((always_inline)) int inner(int i) { return data[i]; }
__attribute__((noinline)) int walk(int n) { int sum = 0; for (int i = 0; i < n; i += 64) sum += inner(i); return sum; }
int main(int argc, char **argv) { return walk(argc << 12) == (int)(long)argv; }
"""


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def build(folder, *options):
    verb = ["configure"] if os.path.isdir(folder) else ["setup"]
    for command in (["meson", *verb, folder, "-Dtests=disabled", *options], ["ninja", "-C", folder, "boxscore"]):
        ended = run(*command, cwd=root)
        if ended.returncode:
            sys.exit(ended.stdout[-3000:] + ended.stderr[-3000:])
    return os.path.join(folder, "boxscore")


def main():
    with tempfile.TemporaryDirectory() as work:
        with open(f"{work}/p.c", "w", encoding="utf-8") as file:
            file.write(SOURCE)
        run("cc", "-g", "-O1", "-o", "p", "p.c", cwd=work)
        arguments = ["record", "-o", "r", "--machine", "virtual:skl,part=plain", "-e", "UNC_CBO_CACHE_LOOKUP:ANY_I", "-w", "stream,size=64K"]
        boxscore = build(f"{work}/build", "-Dlibdw=disabled", "-Dsqlite=enabled", "-Dcapstone=disabled")
        run("ninja", "-C", f"{work}/build", "tracer/boxscore-tracer-amd64-linux")
        ended = run(boxscore, *arguments[:-2], "--", "./p", cwd=work)
        with sqlite3.connect(f"{work}/r") as base:
            names = base.execute("SELECT value FROM run WHERE key = 'names'").fetchall()
            walk = base.execute("SELECT code.function, code.file, sum(count) >= 64 FROM cost JOIN code ON code.id = code "
                                "WHERE event = 1 AND function = 'walk'").fetchall()
            inlined = base.execute("SELECT count(*) FROM inlined").fetchall()
        if walk != [("walk", None, 1)] or inlined != [(0,)] or "libdw" not in names[0][0]:
            bad.append(f"without libdw: {names} {walk} {inlined}\n{ended.stderr}")
        ended = run(boxscore, "annotate", "--asm", "r", "walk", cwd=work)
        if ended.returncode != 1 or ended.stderr != (
                "boxscore: instructions as text need capstone, and boxscore was built without it\n"
                "  hint: apt-get install libcapstone-dev, then build boxscore again\n"):
            bad.append(f"without capstone: status {ended.returncode}\n{ended.stderr}")
        boxscore = build(f"{work}/build", "-Dsqlite=disabled")
        ended = run(boxscore, *arguments, cwd=work)
        if ended.returncode != 1 or ended.stderr != (
                "boxscore: SQLite is needed, and boxscore was built without it\n"
                "  hint: apt-get install libsqlite3-dev, then build boxscore again\n"):
            bad.append(f"without SQLite: status {ended.returncode}\n{ended.stderr}")
        ended = run(boxscore, "report", "r", cwd=work)
        if ended.returncode != 1 or "boxscore was built without it" not in ended.stderr:
            bad.append(f"without SQLite: report: status {ended.returncode}\n{ended.stderr}")
        for name in ("record", "report"):
            if f"  {name} " not in run(boxscore, "help").stdout:
                bad.append(f"without SQLite: help has no {name}")
    print("\n".join(bad))
    print(f"{len(bad)} bad")


if not os.environ.get("BX_LONG"):
    print("skipped: BX_LONG is not set")
    sys.exit(77)
main()
sys.exit(bool(bad))
