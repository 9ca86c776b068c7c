"""A sweep of 64 points over a trace, paired with 64 runs of `stat` one after the other; the least of some rounds.
usage: sweep.py BOXSCORE TRACE [ROUNDS]"""
import os
import subprocess
import sys
import tempfile
import time

boxscore, trace = (os.path.abspath(word) for word in sys.argv[1:3])
MACHINE = "virtual:skl,part=plain"
READS, SIZES = range(100, 260, 10), ("1M", "2M", "4M", "8M")


def timed(commands):
    begin = time.perf_counter()
    for command in commands:
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) # its status is the program's
    return time.perf_counter() - begin


def main():
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    folder = tempfile.TemporaryDirectory() # removed when this ends
    os.chdir(folder.name)
    events = ["-e", "DRAM_DATA_READS,INSTR_RETIRED_ANY"]
    sweep = [[boxscore, "sweep", "-o", "one.sweep", "--machine", MACHINE, "--vary", f"memory_read={','.join(map(str, READS))}",
              "--vary", f"llc={','.join(SIZES)}", *events, "--trace", trace]]
    runs = [[boxscore, "stat", "--machine", f"{MACHINE},memory_read={read},llc={size}", *events, "--trace", trace]
            for read in READS for size in SIZES]
    pairs = []
    for _ in range(rounds):
        for old in ("one.sweep", "one.sweep.old"):
            if os.path.exists(old):
                os.unlink(old)
        pairs.append((timed(sweep), timed(runs)))
    together, alone = min(one for one, _ in pairs), min(one for _, one in pairs)
    print(f"{len(runs)} points: {together:.1f} s together, {alone:.1f} s one after the other: {alone / together:.2f} times")


main()
