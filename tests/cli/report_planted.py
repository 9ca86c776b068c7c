"""Findings of programs: planted.c has each cause, and a near miss. usage: report_planted.py SOURCE BOXSCORE"""

import json
import os
import subprocess
import sys
import tempfile

source, boxscore = (os.path.abspath(path) for path in sys.argv[1:3])
SHARING = {"apart": [("false-sharing", "time", "shared")], "same": [("true-sharing", "time", "shared")], "alone": []}


def main():
    bad = 0
    subprocess.run(["cc", "-O1", "-g", "-pthread", "-o", "planted", source], check=True)
    for how, should in SHARING.items():
        subprocess.run([boxscore, "record", "-o", "r", "--machine", "virtual:skl", "--", "./planted", how], capture_output=True, check=True)
        shown = json.loads(subprocess.run([boxscore, "report", "r", "--json"], capture_output=True, check=True).stdout)
        found = [(f["rule"], f["of"], f["object"]) for f in shown["findings"]]
        if found != should or any(not 0.05 <= f["share"] <= 1 or not f["function"].startswith("go_") for f in shown["findings"]):
            print(f"{how}: {shown['findings']}")
            bad += 1
        for event in shown["events"]:
            if event["total"] != sum(row["values"].get(event["name"], 0) for row in shown["rows"]) + shown["other"][event["name"]]:
                print(f"{how}: {event} is not what its rows are")
                bad += 1
    print(f"{len(SHARING)} programs, {bad} bad")
    return bool(bad)


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    sys.exit(main())
