#!/usr/bin/env python3
"""Compares `boxscore encode` and `decode` of imported events with the reader of expected.py.
usage: compare.py BOXSCORE COPY FOLDER=MACHINE...   COPY: a copy of perfmon with mapfile.csv"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import expected

ROOM = 400  # events of one call
PAGE = pathlib.Path(__file__).parents[2] / 'docs' / 'how-to' / 'import-other-cpus.md'
DIFFERENCES = set(re.findall(r'^\| `([A-Z][^`]*)` \|', PAGE.read_text(encoding='utf-8'), re.M))


def run(boxscore, *args):
    return subprocess.run([boxscore, *args], capture_output=True, text=True)


def spelled(row, core):
    return f'{core}/{row["EventName"]}/' if core.startswith('cpu_') else row['EventName']


def unpack(pmus, to):
    """The PMUs as a folder that --root takes: packed machines would be unpacked by each call."""
    for pmu, files in pmus.items():
        for file, text in files.items():
            path = pathlib.Path(to + expected.DEVICES + pmu) / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + '\n')
    return to


def compare(boxscore, copy, folder, machine, known):
    pmus, cpu = expected.machine(machine), folder.lower()
    name = pathlib.Path(machine).stem
    with tempfile.TemporaryDirectory() as root:
        return compare_in(boxscore, copy, folder, name, pmus, cpu, known, unpack(pmus, root))


def compare_in(boxscore, copy, folder, name_of_machine, pmus, cpu, known, machine):
    wanted, bits, seen = [], 0, {}
    for row, core in expected.rows(copy, folder):
        if 'EventName' not in row:
            bits += 1
            continue
        try:
            wanted.append((spelled(row, core), expected.expected(pmus, row, folder, core)))
        except expected.Refused as why:
            wanted.append((spelled(row, core), str(why)))
    faults, encoded, refused, back = [], 0, 0, []
    for at in range(0, len(wanted), ROOM):
        part = wanted[at:at + ROOM]
        done = run(boxscore, 'encode', '--json', '--cpu', cpu, '--root', machine, *(n for n, _ in part))
        try:
            answers = json.loads(done.stdout)
        except json.JSONDecodeError:
            faults.append(f'encode: {done.stderr[:400]}')
            continue
        for (name, want), answer in zip(part, answers, strict=True):
            if isinstance(want, str):
                refused += 1
                if 'error' not in answer:
                    faults.append(f'{name}: {want}, but {answer.get("config")}')
                continue
            got = [int(answer.get(k, '-1'), 0) for k in ('config', 'config1', 'config2')]
            encoded += 1
            if name in known:
                continue
            if got != want[1] or answer['pmu'] != want[0]:
                faults.append(f'{name}: {[hex(w) for w in want[1]]} on {want[0]}, but '
                              f'{answer.get("error") or [hex(g) for g in got]} on {answer["pmu"]}')
            else:
                back.append((name, want))
    decoded = 0
    for at in range(0, len(back), ROOM):
        part = back[at:at + ROOM]
        done = run(boxscore, 'decode', '--json', '--cpu', cpu, '--root', machine,
                   *(f'{p}/config={w[0]:#x},config1={w[1]:#x},config2={w[2]:#x}/' for _, (p, w) in part))
        answers = json.loads(done.stdout or '[]')
        if len(answers) != len(part):
            faults.append(f'decode: {len(answers)} of {len(part)}: {done.stderr[:600]}')
            continue
        again = run(boxscore, 'encode', '--json', '--cpu', cpu, '--root', machine,
                    *(a['event'] for a in answers))
        for (name, want), answer in zip(part, json.loads(again.stdout or '[]')):
            got = [int(answer.get(k, '-1'), 0) for k in ('config', 'config1', 'config2')]
            decoded += got == want[1]
            if got != want[1]:
                faults.append(f'{name}: decoded to {answer["event"]}, which has {[hex(g) for g in got]}')
    print(f'{folder} on {name_of_machine}: {encoded} encoded, {refused} refused, '
          f'{decoded} decoded, {bits} bits, {len(faults)} faults')
    for fault in faults[:40]:
        print('  ' + fault)
    return not faults


def main(arguments):
    boxscore, copy, *pairs = arguments
    with tempfile.TemporaryDirectory() as data:
        os.environ['XDG_DATA_HOME'] = data
        done = run(boxscore, 'import', 'perfmon', copy, '--cpu', 'all', '-v')
        print(done.stdout, done.stderr)
        known, cpu = {}, ''
        for line in done.stdout.split('\n'): # "ivt  version …", then lines about its events
            cpu = line.split()[0] if ' version ' in line else cpu
            if ': other bits than' in line:
                known.setdefault(cpu, set()).add(line.split(': ')[0])
        fine = done.returncode == 0
        for cpu, events in known.items():
            for event in sorted(events - DIFFERENCES):
                print(f'{cpu}: the table of differences lacks {event}')
                fine = False
        for pair in pairs:
            folder, machine = pair.split('=')
            fine &= compare(boxscore, copy, folder, machine, known.get(folder.lower(), set()))
    return 0 if fine else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
