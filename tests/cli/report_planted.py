"""Findings of programs: planted.c has each cause, and a near miss. usage: report_planted.py SOURCE BOXSCORE"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

source, boxscore = (os.path.abspath(path) for path in sys.argv[1:3])
SHARING = {"apart": [("false-sharing", "time", "shared")], "same": [("true-sharing", "time", "shared")], "alone": []}
# The near misses read the same items in the same order, by an array of indexes or of pointers; or read what they have
# written once.
SINGLE = {"chase": [("pointer-chase", "time", "item")], "gather": [], "pointers": [],
          "lost": [("written-never-read", "time", "go_write (planted.c:LINE)")], "kept": []}
ALL = {**SHARING, **SINGLE}
PLANTED = {rule for should in ALL.values() for rule, _, _ in should}


def is_compared(finding):
    """Each finding of the program's own functions, whatever its rule, and each of a planted rule, wherever it is. What
    else the loader does is not planted."""
    return (finding["function"] or "go_").startswith("go_") or finding["rule"] in PLANTED


def shown_instructions():
    """annotate --asm of one function: its instructions are where objdump has them, and all their counts are there."""
    bad = []
    ended = subprocess.run([boxscore, "annotate", "--asm", "--sort", "issue", "r", "go_left"], capture_output=True, text=True, check=False)
    if "apt-get install libcapstone" in ended.stderr:
        return []
    shown = re.findall(r"^(.{7}) .{27} +([0-9a-f]+)  (\S+)", ended.stdout, re.MULTILINE)
    if ended.returncode or not shown or [text for _, _, text in shown if text.startswith("(")]:
        bad.append(f"annotate --asm: {ended}")
    if shutil.which("objdump"):
        code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "planted"], capture_output=True, text=True, check=True).stdout
        of = dict(re.findall(r"^ +([0-9a-f]+):\t(\S+)", code[code.index("<go_left>:"):code.index("\n\n", code.index("<go_left>:"))], re.MULTILINE))
        # One may have a suffix for the width that the other leaves out.
        bad += [f"annotate --asm: {at} {text}" for _, at, text in shown if not text.startswith(of.get(at, "none").rstrip("lqbw"))]
    rows = json.loads(subprocess.run([boxscore, "report", "r", "--json", "--by", "instruction", "--function", "go_left"],
                                     capture_output=True, check=True).stdout)["rows"]
    counted = {row["address"] for row in rows}
    if counted != {f"0x{at}" for share, at, _ in shown if share.strip()}:
        bad.append(f"annotate --asm: {sorted(counted)}, not {shown}")
    return bad


def main():
    bad = 0
    subprocess.run(["cc", "-O1", "-g", "-pthread", "-o", "planted", source], check=True)
    for how, should in ALL.items():
        events = ["-e", "DRAM_DATA_READS"] if how in SINGLE else []
        options = [*events, "--machine", "virtual:skl,part=i7-6700k"]
        subprocess.run([boxscore, "record", "-o", "r", *options, "--", "./planted", how], capture_output=True, check=True)
        shown = json.loads(subprocess.run([boxscore, "report", "r", "--json"], capture_output=True, check=True).stdout)
        findings = [f for f in shown["findings"] if is_compared(f)]
        found = [(f["rule"], f["of"], re.sub(r"[.]c:\d+", ".c:LINE", f["object"] or "")) for f in findings]
        if found != should or any(not 0.05 <= f["share"] <= 1 or not (f["function"] or "").startswith("go_") for f in findings):
            print(f"{how}: {shown['findings']}")
            bad += 1
        for line in shown_instructions() if how == "apart" else []:
            print(line)
            bad += 1
        for event in shown["events"]:
            if event["total"] != sum(row["values"].get(event["name"], 0) for row in shown["rows"]) + shown["other"][event["name"]]:
                print(f"{how}: {event} is not what its rows are")
                bad += 1
    print(f"{len(ALL)} programs, {bad} bad")
    return bool(bad)


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    sys.exit(main())
