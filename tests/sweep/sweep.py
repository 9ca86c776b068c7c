"""Sweeps: each point has the values of `stat` to the last digit; a sweep that is killed goes on; programs are traced once
for all machines that look the same; combinations that no machine has are named. Python reads the file without our code.
usage: sweep.py BOXSCORE PROGRAM_WITH_THREADS"""
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

boxscore, threads = (os.path.abspath(word) for word in sys.argv[1:])
FOLDER = tempfile.TemporaryDirectory() # removed when this ends
os.chdir(FOLDER.name)
PLAIN = "virtual:skl,part=plain"
EVENTS = "DRAM_DATA_READS,UNC_CBO_CACHE_LOOKUP:ANY_I,INSTR_RETIRED_ANY"


def run(*words, status=0):
    done = subprocess.run([boxscore, *words], capture_output=True, text=True, check=False)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done


def query(path, sql):
    base = sqlite3.connect(path)
    rows = base.execute(sql).fetchall()
    base.close()
    return rows


def stat(machine, *words):
    """The values of a point as `stat` gives them: name to value, unit and state."""
    run("stat", "-j", "-o", "stat.json", "--machine", machine, *words)
    values = {}
    for line in pathlib.Path("stat.json").read_text(encoding="utf-8").splitlines():
        line = json.loads(line)
        for row in [{**line, "name": line["event"]}, *line["metrics"]] if "event" in line else line.get("metrics", []):
            state = row.get("state") or "counted"
            values[row["name"]] = (row["value"], row["unit"], state)
    return values


def check_values(path, *words):
    """Compares all points of a file with `stat`."""
    points = query(path, "SELECT id, machine FROM point WHERE state = 'done'")
    for number, machine in points:
        settings = dict(query(path, f"SELECT key, value FROM setting WHERE point = {number}"))
        work = [word + "".join(f",{key[9:]}={value}" for key, value in settings.items() if key.startswith("workload."))
                if i and words[i - 1] == "-w" else word for i, word in enumerate(words)]
        expected = stat(machine, *work)
        found = {name: (value, unit, state) for name, value, unit, state
                 in query(path, f"SELECT name, value, unit, state FROM value WHERE point = {number}")}
        assert set(expected) <= set(found), (machine, set(expected) - set(found))
        for name, wanted in expected.items():
            assert found[name] == wanted, (machine, name, found[name], wanted)
    return points


# A workload over keys of the machine and its own.
said = run("sweep", "--machine", PLAIN, "--vary", "llc=1M..4M*2,5000", "--vary", "workload.size=512K,1M", "-w", "random",
           "-e", EVENTS, "-o", "w.sweep")
assert len(check_values("w.sweep", "-e", EVENTS, "-w", "random")) == 6
assert query("w.sweep", "PRAGMA user_version") == [(1,)] and query("w.sweep", "PRAGMA application_id") == [(0x62787377,)]
assert query("w.sweep", "SELECT value FROM sweep WHERE key = 'complete'") == [(1,)]
refused = query("w.sweep", "SELECT message, count(*) FROM point WHERE state = 'refused' GROUP BY message")
assert len(refused) == 1 and refused[0][1] == 2, refused
try:
    stat(PLAIN + ",llc=5000", "-w", "random,size=512K")
except AssertionError as error:
    assert refused[0][0] in str(error), (refused, error)
else:
    assert False, "llc=5000 is taken"
assert "2 points refused, such as llc=5000,workload.size=512K:\n  " + refused[0][0] in said.stdout, said.stdout
# By hand: lines of 1 MiB are each read from memory once.
assert query("w.sweep", "SELECT v.value, typeof(v.value) FROM value AS v JOIN setting AS s USING (point) JOIN setting AS l USING (point) "
             "WHERE v.name = 'skl_unc_imc::DRAM_DATA_READS' AND s.key = 'workload.size' AND s.value = '1M' AND l.key = 'llc' "
             "AND l.value = '4M'") == [(16384, "integer")]

# Charts: dots and cells of all points that have the value; the front as it is by its definition.
SVG = "{http://www.w3.org/2000/svg}"


def point_messages(path):
    """(its settings, message) of each point."""
    settings = {}
    for number, key, value in query(path, "SELECT point, key, value FROM setting ORDER BY rowid"):
        settings.setdefault(number, []).append(f"{key}={value}")
    return [(",".join(settings[number]), message) for number, message in query(path, "SELECT id, message FROM point ORDER BY id")]


def chart(*words):
    run("sweep", "--show", "w.sweep", "--chart", "chart.svg", *words)
    return xml.etree.ElementTree.parse("chart.svg").getroot()


def classes(drawing, tag):
    return [item.get("class", "") for item in drawing.iter(SVG + tag)]


lines = chart("--of", "DRAM_DATA_READS", "--over", "llc")
assert sorted(classes(lines, "circle")) == ["s0"] * 3 + ["s1"] * 3
heat = chart("--of", "DRAM_DATA_READS", "--chart-kind", "heat")
assert len(classes(heat, "rect")) == 8 and "".join(heat.itertext()).count("refused") == 2
of = ("skl_unc_imc::DRAM_DATA_READS", "skl_core::INSTR_RETIRED_ANY")
front = chart("--of", "-DRAM_DATA_READS,INSTR_RETIRED_ANY", "--chart-kind", "pareto")
points = {}
for number, name, value in query("w.sweep", "SELECT point, name, value FROM value"):
    points.setdefault(number, {})[name] = value
better = {(-point[of[0]], point[of[1]]) for point in points.values()}
best = [a for a in ((-p[of[0]], p[of[1]]) for p in points.values()) if not any(b != a and b[0] <= a[0] and b[1] <= a[1] for b in better)]
assert sum("best" in name for name in classes(front, "circle")) == len(best) and len(classes(front, "circle")) == 6
assert "no value 'nothing'" in run("sweep", "--show", "w.sweep", "--chart", "chart.svg", "--of", "nothing", status=1).stderr
assert "does not vary 'ways'" in run("sweep", "--show", "w.sweep", "--chart", "chart.svg", "--of", "DRAM_DATA_READS", "--over", "ways",
                                     status=1).stderr

# A complete sweep is run again, and the older file stays.
before = pathlib.Path("w.sweep").read_bytes()
run("sweep", "--machine", PLAIN, "--vary", "llc=2M", "-w", "random,size=64K", "-o", "w.sweep")
assert pathlib.Path("w.sweep.old").read_bytes() == before

# CSV has all digits.
rows = run("sweep", "--show", "w.sweep.old", "-x", ",").stdout.splitlines()
assert rows[0].startswith("llc,workload.size,skl_unc_imc::DRAM_DATA_READS,") and len(rows) == 1 + 8, rows
assert rows[0].endswith(",machine,state,message")

# kill -9: what ended is there, the same command goes on, and nothing runs twice.
many = ["sweep", "--machine", PLAIN, "--vary", "cores=1,2,4", "--vary", "workload.size=1M..8M*2", "-w", "random", "-o", "k.sweep",
        "--jobs", "2"]
with open("said", "w", encoding="utf-8") as said, subprocess.Popen([boxscore, *many], stdout=said, stderr=said) as sweep:
    while not os.path.exists("k.sweep") or not query("k.sweep", "SELECT count(*) FROM sqlite_master WHERE name = 'point'")[0][0] \
            or query("k.sweep", "SELECT count(*) FROM point")[0][0] < 3:
        assert sweep.poll() is None, pathlib.Path("said").read_text(encoding="utf-8")
        time.sleep(0.02)
    sweep.send_signal(signal.SIGKILL)
there = query("k.sweep", "SELECT id, seconds FROM point")
assert query("k.sweep", "SELECT value FROM sweep WHERE key = 'complete'") == [(0,)] and 3 <= len(there) < 12
said = run(*many)
assert f"{len(there)} of 12 points were there before" in said.stderr, said.stderr
assert set(there) <= set(query("k.sweep", "SELECT id, seconds FROM point"))
assert len(check_values("k.sweep", "-w", "random")) == 12
assert not os.path.exists("k.sweep.work")

# A signal ends it after the points that have ended; so does a sweep of another work not go on.
with subprocess.Popen([boxscore, *many, "--turn", "7"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as sweep:
    while not os.path.exists("k.sweep.work"):
        time.sleep(0.02)
    sweep.send_signal(signal.SIGINT)
    _, errors = sweep.communicate()
    assert sweep.returncode == 128 + signal.SIGINT, sweep.returncode
    assert "interrupted: the same command goes on where it stopped" in errors, errors
assert len(query("k.sweep.old", "SELECT id FROM point")) == 12 and len(query("k.sweep", "SELECT id FROM point")) < 12

# A program is traced once for machines that look the same: the size of the cache can be seen, the latency cannot.
said = run("sweep", "--machine", PLAIN, "--vary", "memory_read=100,200", "--vary", "cores=1,2", "-e", EVENTS, "-o", "p.sweep",
           "--", "sh", "-c", "echo seen >>marks; echo out; exit 3")
assert said.stdout == "out\n" and pathlib.Path("marks").read_text(encoding="utf-8") == "seen\n" * 2, said
assert query("p.sweep", "SELECT count(*) FROM point WHERE state = 'done'") == [(4,)]
run("trace", "-o", "own.trace", "--machine", PLAIN + ",cores=2", "--", threads)
run("sweep", "--machine", PLAIN, "--vary", "memory_read=100,200", "--vary", "cores=2", "--trace", "own.trace", "-o", "t.sweep")
assert len(check_values("t.sweep", "--trace", "own.trace")) == 2

assert not any(message for _, message in point_messages("t.sweep")), "the trace is of such machines"

# Where a trace's program saw another machine, the table says so; the counts are the trace's own all the same.
shown = run("sweep", "--machine", PLAIN, "--vary", "cores=1,2,4", "--trace", "own.trace", "-o", "seen.sweep").stdout
assert point_messages("seen.sweep") == [("cores=1", "the trace is of 2 CPUs, the machine has 1"), ("cores=2", None),
                                        ("cores=4", "the trace is of 2 CPUs, the machine has 4")], point_messages("seen.sweep")
assert "1 point done, such as cores=4:\n  the trace is of 2 CPUs, the machine has 4\n" in shown, shown
assert len(check_values("seen.sweep", "--trace", "own.trace")) == 3
run("sweep", "--machine", "virtual:ivbep", "--vary", "cores=2", "--trace", "own.trace", "-o", "seen.sweep")
assert "the trace is of CPU features avx2, the machine has " in point_messages("seen.sweep")[0][1], point_messages("seen.sweep")

# A program that cannot be traced.
said = run("sweep", "--machine", PLAIN, "--vary", "cores=1,2", "-o", "n.sweep", "--", "./nothing", status=1)
assert query("n.sweep", "SELECT DISTINCT state FROM point") == [("failed",)], said
assert "nothing" in query("n.sweep", "SELECT DISTINCT message FROM point")[0][0]

# An engine: each task runs its points, and the results are those of one process. A task that is lost leaves its points out,
# and the same command goes on.
same = ["sweep", "--machine", PLAIN, "--vary", "llc=1M,2M,5000", "--vary", "workload.size=512K,1M", "-w", "random,iterations=1000",
        "-e", EVENTS]
ALL = "SELECT p.id, machine, p.state, message, name, value, unit, v.state FROM point AS p LEFT JOIN value AS v ON v.point = p.id " \
      "ORDER BY p.id, name"
run(*same, "-o", "one.sweep")
run(*same, "-o", "it's.sweep", "--engine", "{command} >task{task}.log", "--tasks", "3")
assert query("it's.sweep", ALL) == query("one.sweep", ALL) and os.path.exists("task3.log") and not os.path.exists("it's.sweep.work")
said = run(*same, "-o", "lost.sweep", "--engine", "test {task} = 2 || sh -c {quoted}", "--tasks", "4", status=1)
assert "2 points have no outcome, as tasks ended early" in said.stderr, said.stderr
run(*same, "-o", "lost.sweep", "--engine", "{command}", "--tasks", "4")
assert query("lost.sweep", ALL) == query("one.sweep", ALL)
run("sweep", "--machine", PLAIN, "--vary", "cores=1,2", "-e", EVENTS, "-o", "q.sweep", "--engine", "{command}", "--tasks", "2", "--",
    "sh", "-c", "echo seen >>marks2")
assert pathlib.Path("marks2").read_text(encoding="utf-8") == "seen\n" * 2
assert query("q.sweep", "SELECT count(*) FROM point WHERE state = 'done'") == [(2,)]

# Recordings of each point have its totals.
run(*same, "-o", "r.sweep", "--record", "recordings")
for number, name, value in query("r.sweep", "SELECT point, name, value FROM value WHERE NOT metric"):
    assert query(f"recordings/{number}.rec", f"SELECT total FROM event WHERE name = '{name}'") == [(value,)], (number, name, value)
assert sorted(os.listdir("recordings")) == ["1.rec", "2.rec", "3.rec", "4.rec"]

# What is another file stays as it is.
pathlib.Path("other").write_text("mine\n", encoding="utf-8")
said = run("sweep", "--vary", "cores=1", "-w", "stream,size=64", "-o", "other", status=1)
assert pathlib.Path("other").read_text(encoding="utf-8") == "mine\n" and "other" in said.stderr, said
said = run("sweep", "--show", "other", status=1)
said = run("sweep", "--vary", "llc=4M..2M", "-w", "stream", status=1)
assert "this range begins after its end" in said.stderr and "^^^^^^" in said.stderr, said.stderr
for words in [["--vary", "cores=1"], ["-w", "stream"], ["--show", "w.sweep", "-w", "stream"],
              ["--vary", "cores=1", "-w", "stream", "--", "true"], ["--vary", "cores=1", "-w", "stream", "--tasks", "2"],
              ["--vary", "cores=1", "-w", "stream", "--part", "1/2", "--engine", "slurm"]]:
    run("sweep", *words, status=2)
assert "no place for the command" in run("sweep", "--vary", "cores=1", "-w", "stream", "--engine", "ssh x", status=1).stderr
assert "not a part of a sweep" in run("sweep", "--vary", "cores=1", "-w", "stream", "--part", "3/2", status=1).stderr
print("sweeps are as stat counts each point")
