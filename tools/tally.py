"""Adds up the results of the test programs: each cmocka test counts as one, and each script as one.
usage: tally.py FAILED_BUILDS FOLDER...; the last line printed is `N passed, N failed`.
"""

import json
import re
import sys

CMOCKA = re.compile(r"\[  (PASSED |FAILED |SKIPPED) \] (?:[^:\n]*: )?(\d+) test")


def count(result):
    """{'PASSED': n, 'FAILED': n, 'SKIPPED': n} of one test program."""
    n = {"PASSED": 0, "FAILED": 0, "SKIPPED": 0}
    for word, tests in CMOCKA.findall(result.get("stdout", "") + result.get("stderr", "")):
        n[word.strip()] += int(tests)
    if result["result"] == "SKIP":
        n["SKIPPED"] += 1
    elif result["result"] != "OK" and n["FAILED"] == 0:
        n["FAILED"] = 1  # a script, a crash or a time-out
    elif result["result"] == "OK" and sum(n.values()) == 0:
        n["PASSED"] = 1  # a script
    return n


def main():
    passed, failed, skipped = 0, int(sys.argv[1]), 0
    for folder in [] if failed else sys.argv[2:]:
        with open(folder + "/meson-logs/testlog.json", encoding="utf-8") as log:
            for line in log:
                result = json.loads(line)
                n = count(result)
                passed += n["PASSED"]
                failed += n["FAILED"]
                skipped += n["SKIPPED"]
                if n["FAILED"]:
                    print("FAILED ", folder, result["name"])
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


sys.exit(main())
