"""What watching machines costs: one `boxscore serve`, and Prometheus with many of them, which this script imitates. The
figures of docs/explanation/sizing.md. usage: fleet.py BOXSCORE_SERVE [HOSTS [SECONDS]]; it needs Debian's prometheus"""
import http.server
import json
import os
import pathlib
import random
import re
import shutil
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

EACH = 15 # seconds between scrapes
DAY = 24 * 3600
SERIES = 100 # of a machine
TICKS = os.sysconf("SC_CLK_TCK")


def cpu(pid):
    """Seconds that the process has used."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid, which="VmHWM"):
    """Bytes."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.search(rf"{which}:\s+(\d+)", status)[1]) * 1024


def text_of(address):
    with urllib.request.urlopen(address, timeout=30) as answer:
        return answer.read().decode()


def is_sample(line):
    return line and not line.startswith("#")


def host(server):
    """One server, of a host and then of a virtual machine with more series. Returns the latter's samples."""
    for words in (["--machine", "host", "-I", "1s"], ["--machine", "virtual:ivbep", "-w", "stream,size=256K", "-I", "1s"]):
        process = subprocess.Popen([server, *words, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
        port = int(re.search(r":(\d+)/", process.stderr.readline())[1])
        address = f"http://127.0.0.1:{port}/metrics"
        text = text_of(address)
        if "host" in words:
            before = cpu(process.pid)
            time.sleep(20)
            print(f"host, a reading a second: {100 * (cpu(process.pid) - before) / 20:.2f} % of a core, {memory(process.pid) / 1e6:.1f} MB")
        times = []
        for _ in range(5):
            begin = time.perf_counter()
            for _ in range(20):
                text = text_of(address)
            times.append((time.perf_counter() - begin) / 20)
        n = len(list(filter(is_sample, text.splitlines())))
        print(f"{words[1]}: {n} series, {len(text) / 1e3:.1f} kB, a scrape in {1e3 * min(times):.2f} ms, {memory(process.pid) / 1e6:.1f} MB")
        process.terminate()
        process.wait()
        process.stderr.close()
    return list(filter(is_sample, text.splitlines()))


def day(samples, folder):
    """A day of one machine as Prometheus stores it: bytes of a sample, and of a series' names."""
    names = [line.rsplit(" ", 1)[0] for line in samples][:SERIES]
    random.seed(1)
    rate = [random.choice((0, 1e3, 1e6, 1e9)) * random.random() for _ in names]
    file, now = pathlib.Path(folder, "day.om"), int(time.time()) // DAY * DAY - DAY
    with file.open("w", encoding="utf-8") as to:
        for name, each in zip(names, rate):
            total = 0
            for i in range(DAY // EACH):
                total += int(each * EACH * random.uniform(0.8, 1.2))
                to.write(f"{name} {total} {now + EACH * i}\n")
        to.write("# EOF\n")
    subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", "--max-block-duration=24h", file, pathlib.Path(folder, "blocks")],
                   check=True, stdout=subprocess.DEVNULL)
    parts = {kind: sum(path.stat().st_size for path in pathlib.Path(folder, "blocks").rglob(kind)) for kind in ("0*[0-9]", "index")}
    n = len(names) * DAY // EACH
    print(f"a day of {len(names)} series each {EACH} s: {sum(parts.values()) / 1e6:.1f} MB, {parts['0*[0-9]'] / n:.2f} bytes a sample "
          f"and {parts['index'] / len(names):.0f} bytes of index a series")


class Exporter(http.server.BaseHTTPRequestHandler):
    """All machines: each has a path of its own."""

    names, protocol_version = [], "HTTP/1.1"

    def do_GET(self):
        total = int(time.time() * 1e6) * (1 + int(self.path[1:]) % 7)
        text = "".join(f"{name} {total + i}\n" for i, name in enumerate(self.names)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads, request_queue_size = True, 512


def fleet(samples, hosts, seconds, folder):
    """Prometheus that scrapes that many machines."""
    Exporter.names = [line.rsplit(" ", 1)[0] for line in samples][:SERIES]
    exporter = Server(("127.0.0.1", 0), Exporter)
    threading.Thread(target=exporter.serve_forever, daemon=True).start()
    address = f"127.0.0.1:{exporter.server_address[1]}"
    targets = [{"targets": [address], "labels": {"__metrics_path__": f"/{n}", "instance": f"host{n}"}} for n in range(hosts)]
    pathlib.Path(folder, "targets.json").write_text(json.dumps(targets), encoding="utf-8")
    pathlib.Path(folder, "prometheus.yml").write_text(
        f"global: {{scrape_interval: {EACH}s}}\nscrape_configs:\n  - job_name: boxscore\n    file_sd_configs: [{{files: [targets.json]}}]\n",
        encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        own = f"127.0.0.1:{free.getsockname()[1]}"
    process = subprocess.Popen(["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data", f"--web.listen-address={own}"],
                               cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def metric(name):
        return float(re.search(rf"^{name}(?:{{.*}})? (\S+)$", text_of(f"http://{own}/metrics"), re.M)[1])

    try:
        time.sleep(2 * EACH + 5)
        begin, used, appended = time.monotonic(), cpu(process.pid), metric("prometheus_tsdb_head_samples_appended_total")
        time.sleep(seconds)
        took, used = time.monotonic() - begin, cpu(process.pid) - used
        appended = metric("prometheus_tsdb_head_samples_appended_total") - appended
        series = metric("prometheus_tsdb_head_series")
        print(f"{hosts} machines of {len(Exporter.names)} series each {EACH} s: {appended / took:.0f} samples a second, "
              f"{100 * used / took:.0f} % of a core, {1e6 * used / appended:.1f} us a sample; "
              f"{memory(process.pid, 'VmRSS') / 1e6:.0f} MB for {series:.0f} series, {memory(process.pid, 'VmRSS') / series / 1e3:.1f} kB each")
    finally:
        process.terminate()
        process.wait()
        exporter.shutdown()


def main():
    server, hosts = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    if not shutil.which("prometheus") or not shutil.which("promtool"):
        sys.exit("fleet.py: it needs Debian's prometheus")
    with tempfile.TemporaryDirectory() as folder:
        samples = host(server)
        day(samples, folder)
        fleet(samples, hosts, seconds, folder)


main()
