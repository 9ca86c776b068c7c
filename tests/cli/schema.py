"""Every line of `boxscore stat -j` is valid by docs/reference/stat.schema.json, with each option
that changes the output. The schema refuses invalid lines. usage: schema.py SOURCE_ROOT BOXSCORE
PROGRAM_WITH_REGIONS"""
import copy
import json
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed: nothing was checked")
    sys.exit(77)

root, boxscore, marked = sys.argv[1:]
with open(root + "/docs/reference/stat.schema.json", encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
bad = []

SMALL = ["-w", "random,size=64K,iterations=2000"]
RUNS = [
    ["virtual:skl,part=plain", *SMALL],
    ["virtual:skl,part=plain", "--per-unit", *SMALL],
    ["virtual:skl,part=plain", "-r", "3", *SMALL],
    ["virtual:skl,part=plain", "-I", "5us", *SMALL],
    ["virtual:skl,part=plain", "--passes", "rotate", "-w", "random,size=1M,iterations=100000"],
    ["virtual:skl,part=plain", "-e", "DRAM_DATA_READS", "--sample", "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I=50", *SMALL],
    ["virtual:skl,part=plain", "-e", "UNC_CLOCK", "--until", "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I=50", *SMALL],
    ["virtual:ivbep,part=plain", *SMALL],
    ["virtual:nhmex,part=plain", "-w", "stream,size=64K"],
    ["virtual:nhmex,part=plain", "--per-unit", "-w", "stream,size=64K"],
    ["virtual:p6,part=plain", *SMALL],
    ["virtual:skl,part=plain", "-e", "DRAM_DATA_READS,UNC_ARB_COH_TRK_OCCUPANCY", *SMALL],
    ["virtual:skl,part=plain", "-e", "DRAM_DATA_READS", "--regions", "--", marked],
    ["virtual:skl,part=plain", "-e", "DRAM_DATA_READS", "--", "sh", "-c", "exit 7"],
    ["host", "-e", "page-faults,task-clock", "--", "true"],
]


def lines_of(machine, *options):
    with tempfile.NamedTemporaryFile() as file:
        command = [boxscore, "stat", "--machine", machine, "-j", "-o", file.name, *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        with open(file.name, encoding="utf-8") as counts: # the command has replaced the file
            text = counts.read()
    if "lackey sees no regions" in done.stderr:
        print("--regions was not checked:", done.stderr.strip())
        return lines_of(*RUNS[0])
    if not text:
        bad.append(f"{' '.join(command)}: {done.stderr}")
    return [json.loads(line) for line in text.splitlines()]


def without(line, *path):
    changed = copy.deepcopy(line)
    part = changed
    for key in path[:-1]:
        part = part[key]
    del part[path[-1]]
    return changed


n = 0
states = set()
for run in RUNS:
    lines = lines_of(*run)
    n += len(lines)
    if not lines or "run" not in lines[-1] or any("run" in line for line in lines[:-1]):
        bad.append(f"{run}: the last line, and no other, is that of the run")
    for line in lines:
        states.add(line.get("state"))
        for error in validator.iter_errors(line):
            bad.append(f"{run}: {error.message}: {json.dumps(line)}")

count, last = lines_of(*RUNS[0])[0], lines_of(*RUNS[0])[-1]
refused = [
    without(count, "value"), without(count, "state"), without(count, "metrics"), without(count, "event"),
    dict(count, value="5"), dict(count, value=None), dict(count, value=-1), dict(count, state="<blocked>"),
    dict(count, state="blocked"), {**count, "counter-value": 5}, dict(count, surprise=1),
    dict(count, metrics=[{"name": "x", "value": "1", "unit": ""}]), {**count, "run": last["run"]},
    without(last, "run", "environment"), without(last, "run", "environment", "machine"), without(last, "run", "work"),
    {"run": dict(last["run"], runs=0)}, {}, [], 5,
]
for line in refused:
    if validator.is_valid(line):
        bad.append(f"the schema takes {json.dumps(line)}")
if not {"counted", "scaled", "not modelled"} <= states:
    bad.append(f"only these states were seen: {states}")

print(*bad, sep="\n")
print(f"{n} lines of {len(RUNS)} runs are valid, {len(refused)} wrong ones refused" if not bad else f"{len(bad)} faults")
sys.exit(bool(bad))
