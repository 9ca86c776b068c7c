"""docs/reference/not-modelled.md has every event that a machine model does not produce, and no other. The rows
of a section are those of all machines that its title names.
usage: not_modelled.py SOURCE_ROOT BOXSCORE"""
import fnmatch
import json
import re
import subprocess
import sys

root, boxscore = sys.argv[1:]


def events(*options):
    out = subprocess.run([boxscore, "list", "--json", *options], capture_output=True, check=True)
    return [e["event"] for e in json.loads(out.stdout)]


patterns = {}  # by CPU
cpus = []
for line in open(root + "/docs/reference/not-modelled.md", encoding="utf-8"):
    if line.startswith("## "):
        cpus = re.findall(r"`virtual:([\w=,]+)`", line)
        for cpu in cpus:
            patterns.setdefault(cpu, [])
    for pattern in re.findall(r"`([^`]*::[^`]*\w[^`]*)`", line.split("|")[1] if "|" in line else ""):
        for cpu in cpus:
            patterns[cpu].append(pattern)

bad = []
used = set()
for cpu in patterns:
    produced = set(events("--modelled", "--machine", "virtual:" + cpu))
    for event in events("--cpu", cpu.split(",")[0]):
        rows = [p for p in patterns[cpu] if fnmatch.fnmatchcase(event, p)]
        used.update(rows)
        if event in produced and rows:
            bad.append(f"{event} is counted, and in row {rows[0]}")
        if event not in produced and not rows:
            bad.append(f"{event} is not counted, and in no row")
# A machine of each CPU that a model imitates has a section.
bad += [f"virtual:{cpu} has no section" for cpu in sorted({e["cpu"] for e in json.loads(
    subprocess.run([boxscore, "list", "--json"], capture_output=True, check=True).stdout)} - {cpu.split(",")[0] for cpu in patterns})
        if subprocess.run([boxscore, "list", "--modelled", "--cpu", cpu], capture_output=True).returncode == 0]
bad += [f"{p} is no event" for p in sorted({p for ps in patterns.values() for p in ps} - used)]
print("\n".join(bad) or f"{len(used)} patterns of {len(patterns)} machines")
sys.exit(bool(bad))
