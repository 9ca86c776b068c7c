"""`-o -` is standard output in each command that has -o, and makes no file; --json-array has the objects of -j.
usage: output.py SOURCE_ROOT BOXSCORE
"""

import json
import os
import subprocess
import sys
import tempfile

root, boxscore = map(os.path.abspath, sys.argv[1:])
bad = []
SMALL = ["--machine", "virtual:skl,part=plain", "-w", "stream,size=16K"]
OLD, NEW = (f"{root}/docs/examples/{name}.json" for name in ("old", "new"))
LOG = f"{root}/docs/examples/accesses.log"


def run(*words):
    """Standard output; and nothing may be left in the folder, which was empty."""
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run([boxscore, *words], cwd=folder, capture_output=True)
        left = os.listdir(folder)
    if ended.returncode or left or not ended.stdout:
        bad.append(f"{' '.join(words)}: status {ended.returncode}, left {left}, {len(ended.stdout)} bytes, "
                   f"{ended.stderr.decode()}")
    return ended.stdout


def same(a, b, what):
    if a != b:
        bad.append(f"{what}: {a!r} is not {b!r}")


# What goes to standard output without -o is the same with it.
for words in (["stat", *SMALL], ["stat", "-j", *SMALL], ["stat", "-I", "5us", *SMALL],
              ["diff", OLD, NEW], ["explain", LOG]):
    same(run(*words), run(words[0], "-o", "-", *words[1:]), " ".join(words))
same(run("stat", "-j", *SMALL), run("stat", "-j", *SMALL, "-o", "-", "--append"), "stat --append")
# A program has standard output; the counts come after its own.
if b"DRAM_DATA_READS" not in run("stat", "--machine", "virtual:skl,part=plain", "-e", "DRAM_DATA_READS", "-o", "-", "--", "true"):
    bad.append("stat -o - -- true: no counts")
for option in ("--markdown", "--junit"):
    shown = run("diff", OLD, NEW, "--fail-if", "dram_bytes_read > +9%", option, "-")
    same(shown.endswith(run("diff", OLD, NEW, "--fail-if", "dram_bytes_read > +9%")), True, option)
same(run("trace", "-o", "-", "--", "true") != b"", True, "trace")
# A recording is a database, unless boxscore was built without SQLite.
if b"built without" not in subprocess.run([boxscore, "record", "-o", "/dev/full", *SMALL], capture_output=True).stderr:
    for words in (SMALL, ["--machine", "virtual:skl,part=plain", "--", "echo", "of the program"]):
        same(run("record", "-o", "-", *words)[:16], b"SQLite format 3\0", "record")
same(run("machine", "gather", "-o", "-") != b"", True, "machine gather")

# An array has the objects of the lines, at its end whole, also in intervals.
for words in (["stat", *SMALL], ["stat", "-I", "5us", *SMALL], ["diff", OLD, NEW]):
    lines = [json.loads(line) for line in run(*words, "-j").splitlines()]
    same(json.loads(run(*words, "--json-array")), lines, " ".join(words))
    same(len(lines) > 1, True, " ".join(words))
for wrong in (["-j"], ["-x", ","], ["-o", "file", "--append"]):
    ended = subprocess.run([boxscore, "stat", *SMALL, "--json-array", *wrong], capture_output=True)
    same(ended.returncode, 2, f"--json-array {wrong}")

print("\n".join(bad))
print(f"{len(bad)} bad")
sys.exit(bool(bad))
