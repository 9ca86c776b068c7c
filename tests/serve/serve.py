"""The server of counts: what it exports is what `stat` counts, in forms that Prometheus reads; who may ask; what hostile
clients can do. usage: serve.py BOXSCORE BOXSCORE_SERVE"""
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

boxscore, server = (os.path.abspath(word) for word in sys.argv[1:])
FOLDER = tempfile.TemporaryDirectory() # removed when this ends
os.chdir(FOLDER.name)
PLAIN = "virtual:skl,part=plain"
EVENTS = "DRAM_DATA_READS,UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CLOCK:SOCKET,INSTR_RETIRED_ANY"
WORK = ["--machine", PLAIN, "-w", "stream,size=1M", "-e", EVENTS]


class Server:
    """A server that runs; its port."""

    def __init__(self, *words, **how):
        self.process = subprocess.Popen([server, *words, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True, **how)
        line = self.process.stderr.readline()
        found = re.fullmatch(r"boxscore: serving http://127\.0\.0\.1:(\d+)/\n", line)
        assert found, line + self.process.stderr.read()
        self.port = int(found[1])

    def ask(self, path, method="GET", **headers):
        """(status, content type, text)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, headers={key.replace("_", "-"): value for key, value in headers.items()})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, answer.getheader("Content-Type"), text

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        assert self.process.returncode == 128 + signal.SIGTERM, self.process.returncode
        self.process.stderr.close()


def samples(text):
    """Checks the form of each line. Returns name and labels to value."""
    found, described = {}, {}
    for line in text.splitlines():
        words = re.fullmatch(r"# (HELP|TYPE|UNIT) (\S+) (.*)", line)
        if words:
            described.setdefault(words[2], set()).add(words[1])
            continue
        if line == "# EOF":
            continue
        sample = re.fullmatch(r'([a-zA-Z_][a-zA-Z0-9_]*)(\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)+\})? ([0-9.e+]+)', line)
        assert sample, line
        assert (sample[1], sample[2]) not in found, line
        found[sample[1], sample[2] or ""] = float(sample[3])
    return found, described


# Totals of a program are those of stat, by unit. The file of --textfile is written to the end.
done = subprocess.run([boxscore, "stat", "--machine", PLAIN, "-e", EVENTS, "-j", "-o", "stat.json", "--per-unit", "--", "cat", "/etc/services"],
                      stdout=subprocess.DEVNULL, check=True)
done = subprocess.run([server, "--machine", PLAIN, "-e", EVENTS, "--textfile", "boxscore.prom", "-I", "100us", "--", "cat", "/etc/services"],
                      stdout=subprocess.DEVNULL, check=True)
found, _ = samples(pathlib.Path("boxscore.prom").read_text(encoding="utf-8"))
NAMES = {"DRAM_DATA_READS": ("boxscore_dram_data_reads_bytes_total", 64),
         "UNC_CBO_CACHE_LOOKUP:ANY_I": ("boxscore_unc_cbo_cache_lookup_any_i_lookups_total", 1),
         "UNC_CLOCK:SOCKET": ("boxscore_unc_clock_socket_cycles_total", 1),
         "INSTR_RETIRED_ANY": ("boxscore_instr_retired_any_instructions_total", 1)}
compared = 0
for line in pathlib.Path("stat.json").read_text(encoding="utf-8").splitlines():
    row = json.loads(line)
    if "event" not in row:
        continue
    pmu, event = row["event"].split("::")
    name, factor = NAMES[event]
    number = re.search(r"(\d+)$", row.get("pmu-unit", ""))
    mine = [(labels, value) for (key, labels), value in found.items()
            if key == name and f'pmu="{pmu}"' in labels and (not number or f'unit="{number[1]}"' in labels)]
    assert len(mine) == 1, (row, mine)
    assert mine[0][1] == row["value"] * factor, (row, mine)
    compared += 1
assert compared >= 4 + 4, compared
assert found["boxscore_up", ""] == 0
assert sorted(os.listdir(".")) == ["boxscore.prom", "stat.json"]

with Server(*WORK) as it:
    status, kind, text = it.ask("/metrics")
    assert status == 200 and kind.startswith("text/plain; version=0.0.4"), (status, kind)
    first, described = samples(text)
    assert first["boxscore_up", ""] == 1
    info = [labels for name, labels in first if name == "boxscore_info"]
    assert len(info) == 1 and 'cpu="skl"' in info[0] and 'clock="virtual"' in info[0], info
    names = {name for name, _ in first}
    assert names == set(described) and all(described[name] == {"HELP", "TYPE"} for name in names), names ^ set(described)
    lookups = [labels for name, labels in first if name == "boxscore_unc_cbo_cache_lookup_any_i_lookups_total"]
    assert sorted(lookups) == [f'{{pmu="skl_unc_cbo",package="0",unit="{unit}"}}' for unit in range(4)], lookups
    if shutil.which("promtool"):
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        # What promtool takes for a unit is part of an event's name: "m" of lines that are modified.
        odd = [line for line in checked.stderr.splitlines() if not re.search(r"_m_\w+ metric names should not contain abbreviated", line)]
        assert not odd, odd

    # OpenMetrics, if it is asked for: families have units and no "_total", and an end.
    status, kind, text = it.ask("/metrics", Accept="application/openmetrics-text; version=1.0.0")
    assert status == 200 and kind.startswith("application/openmetrics-text; version=1.0.0"), kind
    assert text.endswith("\n# EOF\n") and "# UNIT boxscore_dram_data_reads_bytes bytes\n" in text
    assert "# TYPE boxscore_dram_data_reads_bytes counter\nboxscore" not in text and "# TYPE boxscore info\n" in text
    second, _ = samples(text)
    key = ("boxscore_dram_data_reads_bytes_total", '{pmu="skl_unc_imc",package="0"}')
    key = key if key in first else next(pair for pair in first if pair[0] == key[0])
    assert second[key] >= first[key] > 0

    values = json.loads(it.ask("/api/v1/values")[2])
    assert values["up"] is True and values["clock"] == "virtual" and len(values["events"]) == 4, values
    # A workload begins again when it has ended: totals and clock go on.
    while json.loads(it.ask("/api/v1/values")[2])["seconds"] < 3 * values["seconds"] + 0.001:
        time.sleep(0.05)

    for path, part in (("/", "<title>boxscore</title>"), ("/page.js", "use strict"), ("/page.css", "color-scheme")):
        status, kind, text = it.ask(path)
        assert status == 200 and part in text, path
    assert it.ask("/metrics", method="HEAD")[::2] == (200, "")
    assert it.ask("/nothing")[0] == 404 and it.ask("/metrics", method="POST")[0] == 405 and it.ask("/metrics", method="DELETE")[0] == 405
    # DNS rebinding: a page of another site asks under that site's name.
    assert it.ask("/metrics", Host="evil.example")[0] == 403 and it.ask("/", Host="evil.example:80")[0] == 403
    assert it.ask("/metrics", Host="localhost:1234")[0] == 200 and it.ask("/metrics", Host="[::1]")[0] == 200

with Server(*WORK, "--allow-host", "counts.example", "--max-series", "5") as it:
    assert it.ask("/metrics", Host="counts.example")[0] == 200
    found, _ = samples(it.ask("/metrics")[2])
    exported = [name for name, labels in found if "pmu=" in labels]
    assert len(exported) == 5 and found["boxscore_series_left_out", ""] > 0, found

# The file says that the server has ended, also by a signal.
with subprocess.Popen([server, *WORK, "--textfile", "ended.prom"]) as process:
    while not os.path.exists("ended.prom"):
        time.sleep(0.05)
    process.terminate()
assert process.returncode == 128 + signal.SIGTERM, process.returncode
ended, _ = samples(pathlib.Path("ended.prom").read_text(encoding="utf-8"))
assert ended["boxscore_up", ""] == 0 and ended["boxscore_unc_clock_socket_cycles_total", '{pmu="skl_unc_clock",package="0",unit="0"}'] > 0, ended

# A trace of a program has its totals.
subprocess.run([boxscore, "trace", "--machine", PLAIN, "-o", "cat.trace", "--", "cat", "/etc/services"], capture_output=True, check=True)
subprocess.run([server, "--machine", PLAIN, "-e", EVENTS, "--textfile", "traced.prom", "--trace", "cat.trace"], check=True)
traced, program = (samples(pathlib.Path(name).read_text(encoding="utf-8"))[0] for name in ("traced.prom", "boxscore.prom"))
# A cycle is a part of a nanosecond: the sums of two and of one interval may be rounded to two sides.
CLOCK = "boxscore_clock_seconds_total", ""
assert abs(traced.pop(CLOCK) - program.pop(CLOCK)) < 1.5e-9 and traced == program, (traced, program)

# A register log has the same.
subprocess.run([boxscore, "stat", *WORK, "-I", "100us", "--log-registers", "log"], capture_output=True, check=True)
subprocess.run([server, "--replay", "log", "--textfile", "replayed.prom"], capture_output=True, check=True)
both = subprocess.run([server, *WORK, "--replay", "log"], capture_output=True, text=True, check=False)
assert both.returncode == 2 and "a register log has its machine" in both.stderr, both
replayed, _ = samples(pathlib.Path("replayed.prom").read_text(encoding="utf-8"))
run = subprocess.run([boxscore, "stat", *WORK, "-j"], capture_output=True, text=True, check=True)
for row in map(json.loads, (run.stdout + run.stderr).splitlines()):
    if "event" in row and "pmu-unit" not in row:
        name, factor = NAMES[row["event"].split("::")[1]]
        assert sum(value for (key, _), value in replayed.items() if key == name) == row["value"] * factor, (row, replayed)

# The API beyond totals. Each interval is a whole run of the workload, which stat counts alike.
once = {}
run = subprocess.run([boxscore, "stat", *WORK, "-j", "--per-unit"], capture_output=True, text=True, check=True)
for line in (run.stdout + run.stderr).splitlines():
    row = json.loads(line)
    number = re.search(r"(\d+)$", row.get("pmu-unit", ""))
    if "event" in row:
        once[row["event"], int(number[1]) if number else None] = row["value"] * NAMES[row["event"].split("::")[1]][1]
with Server(*WORK, "-I", "1s") as it:
    while len(json.loads(it.ask("/api/v1/intervals")[2])["intervals"]) < 3:
        time.sleep(0.05)
    answer = json.loads(it.ask("/api/v1/intervals")[2])
    numbers = [one["number"] for one in answer["intervals"]]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))) and len(numbers) <= 60 and answer["clock"] == "virtual"
    assert all(one["seconds"] > 0 and one["ended"] >= one["seconds"] for one in answer["intervals"])
    compared = 0
    for event in answer["events"]:
        for one in event["series"]:
            assert set(one["values"]) == {once[event["event"], one.get("unit") if len(event["series"]) > 1 else None]}, (event, once)
            compared += 1
    assert compared >= 10 and all(len(metric["values"]) == len(numbers) for metric in answer["metrics"]), compared
    machine = json.loads(it.ask("/api/v1/machine")[2])
    assert (machine["packages"], machine["cores"], machine["cpu"], machine["obstacle"]) == (1, 4, "skl", None), machine
    assert {"pmu": "skl_unc_cbo", "units": [f"C-Box {unit}" for unit in range(4)]}.items() <= machine["pmus"][0].items(), machine

    # Those who answer have no rights, the one who measures has its own.
    tasks = [dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{it.process.pid}/task/{task}/status").read_text(encoding="utf-8").splitlines()
                  if ":\t" in line) for task in os.listdir(f"/proc/{it.process.pid}/task")]
    bare = [task for task in tasks if int(task["CapEff"], 16) == int(task["CapPrm"], 16) == 0 and task["NoNewPrivs"] == "1"]
    assert len(bare) >= 2, tasks
    if os.geteuid() == 0:
        assert all(set(task["Uid"].split()) == set(task["Gid"].split()) == {"65534"} and not task["Groups"].strip() for task in bare), bare
        assert any(task["Uid"].split()[1] == "0" for task in tasks), tasks

# A host whose kernel has no PMUs has the kernel's events, and doctor's first finding.
found = {one["topic"]: one for one in json.loads(subprocess.run([boxscore, "doctor", "-j"], capture_output=True, text=True, check=True).stdout)}
none = all(found[topic]["says"] == ["the kernel offers none"] for topic in ("core PMU", "uncore PMUs")) and "not in the catalogue" in str(found["CPU"])
with Server("--machine", "host", "-I", "50ms", "-e", "page-faults,task-clock,cycles") as it:
    values = json.loads(it.ask("/api/v1/values")[2])
    events = {event["event"]: event for event in values["events"]}
    assert events["page-faults"]["series"] and events["task-clock"]["unit"] == "seconds" and values["clock"] == "real", values
    if none:
        assert values["obstacle"].startswith("no hardware counters. CPU: not in the catalogue -> count on a virtual machine"), values
        assert not events["cycles"]["series"] and events["cycles"]["unavailable"], values
        assert 'boxscore_unavailable{event="cycles"' in it.ask("/metrics")[2] and "boxscore_cycles" not in it.ask("/metrics")[2]

pathlib.Path("token").write_text("0123456789abcdef\n", encoding="utf-8")
with Server(*WORK, "--token-file", "token") as it:
    assert it.ask("/metrics")[0] == 401 and it.ask("/api/v1/values", Authorization="Bearer 0123456789abcdeX")[0] == 401
    for near in ("0123456789abcde", "0123456789abcdef0", "0123456789abcdef" * 2, "0"):
        assert it.ask("/metrics", Authorization=f"Bearer {near}")[0] == 401, near
    assert it.ask("/metrics", Authorization="Bearer ")[0] == 401 and it.ask("/metrics", Authorization="Basic 0123456789abcdef")[0] == 401
    assert it.ask("/metrics", Authorization="Bearer 0123456789abcdef")[0] == 200 and it.ask("/")[0] == 200


# A thousand clients that connect and say nothing, or a half; few descriptors. Who asks has an answer long before the idle
# ones are sent away.
def few():
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))


soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
with Server(*WORK, preexec_fn=few) as it:
    idle = []
    for i in range(1000):
        client = socket.create_connection(("127.0.0.1", it.port), timeout=20)
        if i % 2:
            client.send(b"GET /metrics HT")
        idle.append(client)
    assert it.ask("/metrics")[0] == 200
    for garbage in (b"\r\n\r\n", b"\x00\xff" * 2000 + b"\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 3000 + b"\r\n", b"GET " + b"/" * 20000 + b" HTTP/1.1\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", it.port), timeout=20) as client:
            try:
                client.sendall(garbage)
            except OSError:
                pass # it has hung up
    assert it.ask("/metrics")[0] == 200
    for client in idle:
        client.close()

# systemd's socket.
listening = socket.create_server(("127.0.0.1", 0))
activated = ("import os, sys; os.dup2(int(sys.argv[1]), 3, inheritable=True); "
             "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1'); os.execv(sys.argv[2], sys.argv[2:])")
with subprocess.Popen([sys.executable, "-c", activated, str(listening.fileno()), server, *WORK], pass_fds=[listening.fileno()],
                      stderr=subprocess.PIPE, text=True) as process:
    port = listening.getsockname()[1]
    assert process.stderr.readline() == f"boxscore: serving http://127.0.0.1:{port}/\n"
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.connect()
    time.sleep(0.5) # the server has accepted it, and must not wait for another one
    connection.request("GET", "/metrics")
    assert connection.getresponse().status == 200
    process.terminate()

# Mistakes.
for words, message in ((["--listen", "nowhere"], "is not an address with a port"), (["--listen", "host.example:80"], "is not an address"),
                       (["--listen", f"127.0.0.1:{port}"], "cannot listen on"), (["--token-file", "none"], "cannot read 'none'"),
                       (["-e", "NOTHING"], "NOTHING")):
    done = subprocess.run([server, *WORK, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and message in done.stderr, (words, done)
pathlib.Path("short").write_text("abc\n", encoding="utf-8")
done = subprocess.run([server, *WORK, "--token-file", "short"], capture_output=True, text=True, check=False)
assert done.returncode == 1 and "less than 16 characters" in done.stderr, done
for words in (["--nothing"], ["--textfile", "x", "--listen", "127.0.0.1:0"]):
    assert subprocess.run([server, *words], capture_output=True, check=False).returncode == 2, words
# The command starts it.
done = subprocess.run([boxscore, "serve", "--listen", "nowhere", *WORK], capture_output=True, text=True, check=False)
assert done.returncode == 1 and "is not an address with a port" in done.stderr, done
print("the server exports what stat counts")
