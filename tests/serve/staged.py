"""The server on a host with counters: a virtual machine that `boxscore stage` shows as one. What it exports lies between
what rdmsr reads from the same registers before and after, for each slice, on all machines that have an uncore.
usage: staged.py BOXSCORE BOXSCORE_SERVE"""
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request

# The addresses of the count of counter 0, as Intel's documents have them.
MACHINES = {
    # Software Developer's Manual, volume 4, 6th generation: MSR_UNC_CBO_n_PERFCTR0
    "virtual:skl,part=plain": ("UNC_CBO_CACHE_LOOKUP:ANY_MESI", "skl_unc_cbo", [0x706, 0x716, 0x726, 0x736]),
    # E5 v2 uncore manual, table 2-9: Cn_MSR_PMON_CTR0
    "virtual:ivbep": ("UNC_C_LLC_LOOKUP:ANY:STATE_MESIF", "ivbep_unc_cbo", [0xd16 + 0x20 * n for n in range(4)]),
    # Xeon 7500 uncore manual, table 2-11: CBn_CR_C_MSR_PMON_CTR_0 of C-Boxes 0, 1, 2, 3
    "virtual:nhmex": ("LLC_MISSES:ALL", "nhmex_unc_cbox", [0xd11, 0xd91, 0xd51, 0xdd1]),
}
ROUNDS = 3
# What the stage loads into a program comes before a sanitizer.
SANITIZED = "verify_asan_link_order=0:detect_leaks=0"


def read_registers(addresses):
    return [int(subprocess.run(["rdmsr", "-p", "0", "-u", hex(address)], capture_output=True, text=True, check=True).stdout)
            for address in addresses]


def scrape(url, pmu):
    with urllib.request.urlopen(url + "metrics", timeout=30) as answer:
        text = answer.read().decode()
    seconds = float(re.search(r"^boxscore_clock_seconds_total (\S+)$", text, re.M)[1])
    found = {int(unit): int(value) for unit, value in re.findall(rf'^boxscore_\w+_total{{pmu="{pmu}",package="0",unit="(\d+)"}} (\d+)$', text, re.M)}
    return seconds, found


def later(url, pmu, seconds):
    """Values that were read after that time: the second reading from there on, as one could have been under way."""
    end = time.monotonic() + 60
    newer = set()
    while len(newer) < 2:
        assert time.monotonic() < end, "it does not count"
        time.sleep(0.05)
        now, found = scrape(url, pmu)
        if now > seconds:
            newer.add(now)
    return found


def compare(server, event, pmu, addresses):
    process = subprocess.Popen([server, "--machine", "host", "-I", "100ms", "-e", event, "--listen", "127.0.0.1:0"],
                               stderr=subprocess.PIPE, text=True, env={**os.environ, "ASAN_OPTIONS": SANITIZED})
    line = process.stderr.readline()
    assert "serving http://" in line, line
    url = line.split()[-1]
    try:
        seconds, before = scrape(url, pmu)
        for _ in range(ROUNDS):
            earlier = later(url, pmu, seconds)
            registers = read_registers(addresses)
            seconds, _ = scrape(url, pmu)
            after = later(url, pmu, seconds)
            for unit, value in enumerate(registers):
                assert 0 < earlier[unit] <= value <= after[unit], (event, unit, earlier[unit], value, after[unit])
        assert after[0] > before[0], "the workload runs"
    finally:
        process.terminate()
        status = process.wait(60)
    assert status == 128 + 15, status
    print(f"{event}: {ROUNDS} times, {len(addresses)} units")


def main():
    boxscore, server = (os.path.abspath(word) for word in sys.argv[1:3])
    if len(sys.argv) > 3: # on stage
        event, pmu, addresses = MACHINES[sys.argv[3]]
        compare(server, event, pmu, addresses)
        return
    if not shutil.which("rdmsr"):
        print("skipped: it needs msr-tools")
        sys.exit(77)
    for machine in MACHINES:
        run = subprocess.run([boxscore, "stage", "--machine", machine, "-w", "stream,size=64M", "--", sys.executable,
                              os.path.abspath(__file__), boxscore, server, machine], capture_output=True, text=True, check=False, timeout=250)
        if run.returncode and "is no mount point" in run.stderr:
            print("skipped: nothing can be put on stage here")
            sys.exit(77)
        assert run.returncode == 0, (machine, run.stdout, run.stderr)
        print(f"{machine}: {run.stdout.strip()}")


main()
