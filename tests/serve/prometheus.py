"""The files of deploy/prometheus with Debian's Prometheus: it takes the configuration and the rules, scrapes five servers of
different machines, each panel of the dashboard has data, and each sample lies between what the server said before and
after it. usage: prometheus.py SOURCE_ROOT BOXSCORE_SERVE"""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

root, server = (os.path.abspath(word) for word in sys.argv[1:])
deploy = pathlib.Path(root, "deploy/prometheus")
if not shutil.which("promtool") or not shutil.which("prometheus"):
    print("skipped: it needs prometheus")
    sys.exit(77)
for words in (["check", "rules", "rules.yml"], ["check", "config", "prometheus.yml"], ["test", "rules", "rules_test.yml"]):
    done = subprocess.run(["promtool", *words], cwd=deploy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
if not os.environ.get("BX_LONG"):
    print("Prometheus takes the configuration and the rules; BX_LONG=1 runs it")
    sys.exit(0)

FOLDER = tempfile.TemporaryDirectory() # removed when this ends
os.chdir(FOLDER.name)
MACHINES = ["virtual:skl,part=plain", "virtual:skl,part=i7-6700", "virtual:ivbep", "virtual:nhmex", "virtual:p6"]
processes, ports = [], []


def text_of(address):
    with urllib.request.urlopen(address, timeout=20) as answer:
        return answer.read().decode()


def start():
    for machine in MACHINES:
        process = subprocess.Popen([server, "--machine", machine, "-w", "stream,size=256K", "--listen", "127.0.0.1:0"],
                                   stderr=subprocess.PIPE, text=True)
        processes.append(process)
        ports.append(int(re.search(r":(\d+)/", process.stderr.readline())[1]))
    config = (deploy / "prometheus.yml").read_text(encoding="utf-8")
    config = config.replace("interval: 15s", "interval: 1s").replace('"localhost:9738"', ", ".join(f'"127.0.0.1:{port}"' for port in ports))
    pathlib.Path("prometheus.yml").write_text(config, encoding="utf-8")
    shutil.copy(deploy / "rules.yml", "rules.yml")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with open("log", "w", encoding="utf-8") as log:
        processes.append(subprocess.Popen(["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data",
                                           f"--web.listen-address={address}"], stdout=log, stderr=log))
    return f"http://{address}/api/v1/query?"


def query(at, expression):
    try:
        answer = json.loads(text_of(at + urllib.parse.urlencode({"query": expression})))
    except urllib.error.URLError:
        return []
    assert answer["status"] == "success", answer
    return answer["data"]["result"]


def samples(port):
    found = {}
    for line in text_of(f"http://127.0.0.1:{port}/metrics").splitlines():
        if not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            found[name] = float(value)
    return found


def test():
    at = start()
    panels = json.loads((deploy / "grafana.json").read_text(encoding="utf-8"))["panels"]
    wanted = {target["expr"].replace("$instance", ".*") for panel in panels for target in panel["targets"]}
    begin = time.monotonic()
    while wanted and time.monotonic() < begin + 120:
        wanted = {expression for expression in wanted if not query(at, expression)}
        time.sleep(1)
    assert not wanted, wanted
    assert [row["value"][1] for row in query(at, "boxscore_up")] == ["1"] * len(MACHINES)
    assert sorted(row["metric"]["machine"].split(",")[0] for row in query(at, "boxscore_info")) == sorted(m.split(",")[0] for m in MACHINES)
    before = [samples(port) for port in ports]
    time.sleep(3)
    rows = query(at, '{__name__=~"boxscore_.*_total"}')
    after = [samples(port) for port in ports]
    compared = 0
    for row in rows:
        labels = dict(row["metric"])
        name, instance = labels.pop("__name__"), labels.pop("instance")
        labels.pop("job")
        key = name + ("{" + ",".join(f'{label}="{labels[label]}"' for label in ("pmu", "package", "unit") if label in labels) + "}" if labels else "")
        which = ports.index(int(instance.rsplit(":", 1)[1]))
        assert before[which][key] <= float(row["value"][1]) <= after[which][key], (key, before[which][key], row, after[which][key])
        compared += 1
    assert compared > 200, compared
    print(f"Prometheus has scraped {len(MACHINES)} servers, {compared} samples are between two readings, {len(panels)} panels have data")


try:
    test()
finally:
    for one in processes:
        one.terminate()
    for one in processes:
        one.wait()
