#!/usr/bin/env python3
"""Imports a whole copy of perfmon, and compares every event and metric with the readers beside this file, and what
`stat -M` shows of some metrics with an evaluator:
BX_PERFMON names the copy, BX_MACHINES a folder with a gathered machine of each CPU (default: `machines` beside
the copy). A copy is not part of this tree: without one, the test is skipped.
usage: whole.py BOXSCORE"""
import os
import pathlib
import sys

import compare
import metrics
import staged


def main():
    boxscore, copy = sys.argv[1], os.environ.get('BX_PERFMON', '')
    machines = pathlib.Path(os.environ.get('BX_MACHINES') or pathlib.Path(copy).parent / 'machines')
    if not copy or not machines.is_dir():
        print('skipped: BX_PERFMON names no copy of intel/perfmon with `machines` beside it')
        return 77
    pairs = []
    for folder in sorted(p.name for p in pathlib.Path(copy).iterdir() if (p / 'events').is_dir()):
        machine = machines / f'{folder.lower()}.machine'
        if machine.is_file():
            pairs.append(f'{folder}={machine}')
        else:
            print(f'skipped: {folder} has no machine')
    # Other kernels of one CPU: before Linux 6.10, without a driver, with HBM, without performance cores.
    if os.path.isdir(f'{copy}/SPR'):
        pairs += [f'SPR={m}' for m in sorted(machines.glob('spr-*.machine'))]
    if os.path.isdir(f'{copy}/ADL'):
        pairs += [f'ADL={m}' for m in machines.glob('adl-n.machine')]
    fine = compare.main([boxscore, copy, *pairs]) == 0
    fine = metrics.main([boxscore, copy]) == 0 and fine
    os.environ.setdefault('BX_METRICS', '40')  # of each CPU; an evaluation needs a run on stage
    # Events of hybrid CPUs have one name on each type of core.
    plain = [p for p in pairs if '/cpu_core/' not in pathlib.Path(p.partition('=')[2]).read_text(encoding='utf-8')]
    return 0 if staged.main([boxscore, copy, *plain]) in (0, 77) and fine and pairs else 1


if __name__ == '__main__':
    sys.exit(main())
