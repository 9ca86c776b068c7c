#!/usr/bin/env python3
"""Compares what `stat -M` shows with an evaluator of Python's own. The machine is a gathered one on stage, where
signals drive the counters. So each count is known: level x cycles of its signal, on each CPU or unit.
usage: staged.py BOXSCORE COPY FOLDER=MACHINE..."""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import expected
from metrics import FUNCTIONS, UNREADABLE, same

# What boxscore refuses to count, by name, or asks of the CPU that it runs on.
REFUSED = r':retire_latency|:percore|^SYSTEM_TSC_FREQ$'
# The kernel's event of an energy, and how many of its units of 2^-32 J are one of the register that formulas mean.
ENERGIES = {'FREERUN_PKG_ENERGY_STATUS': ('ENERGY_PKG', 2, 2**18), 'UNC_PKG_ENERGY_STATUS': ('ENERGY_PKG', 2, 2**18),
            'FREERUN_DRAM_ENERGY_STATUS': ('ENERGY_RAM', 3, 2**16)}
BATCH = 12  # metrics of one run


class Machine:
    """The facts that formulas ask of a gathered machine."""

    def __init__(self, path):
        files, name = {}, None
        for line in pathlib.Path(path).read_text(encoding='utf-8').splitlines():
            if line.startswith('> '):
                name = line[2:]
                files[name] = ''
            elif line.startswith('|') and name:
                files[name] += line[1:] + '\n'
        self.files = files
        cpus = self.numbers(files['/sys/devices/system/cpu/online'])
        self.cpus = len(cpus)
        topology = '/sys/devices/system/cpu/cpu%d/topology/'
        siblings = [files.get(topology % c + 'thread_siblings_list', str(c)) for c in cpus]
        packages = {files.get(topology % c + 'physical_package_id', '0') for c in cpus}
        cores = {(files.get(topology % c + 'physical_package_id', '0'), files.get(topology % c + 'core_id', str(c)))
                 for c in cpus}
        threads = max(len(self.numbers(s)) for s in siblings)
        chas = [f for f in files if re.search(r'/uncore_cha_\d+/type$', f)]
        self.constants = {'SOCKET_COUNT': len(packages), 'CHAS_PER_SOCKET': len(chas), 'THREADS_PER_CORE': threads,
                          'HYPERTHREADING_ON': int(threads > 1),
                          'CORES_PER_SOCKET': max(sum(c[0] == p for c in cores) for p in packages)}

    def units(self, selects, unit):
        """How many units of all packages count what was selected: ('uncore_cha_0', …). unit: perfmon's name; of
        clients the clock is one, which older kernels have in the first C-Box."""
        whole, stem = re.match(r"\('((\w+?)(?:_\d+)?)',", selects).groups()
        stem = whole if unit == 'NCU' else stem + r'(_\d+)?'
        found = [f for f in self.files if re.search(rf'/{stem}/cpumask$', f)]
        return sum(len(self.numbers(self.files[f])) for f in found)

    @staticmethod
    def numbers(text):
        found = []
        for part in text.strip().split(','):
            lo, _, hi = part.partition('-')
            found += range(int(lo), int(hi or lo) + 1)
        return found


def split(name, rows):
    """An event's name and its modifiers; OFFCORE_RESPONSE has names with colons of their own."""
    base, modifiers = name, []
    while base not in rows and not base.startswith('PERF_METRICS.') and ':' in base:
        base, _, last = base.rpartition(':')
        modifiers.insert(0, last)
    return base, modifiers


class Counter:
    """How an event's counter is set: what it selects, and how it counts a level."""

    def __init__(self, name, cpu):
        self.part = 1
        if name in ENERGIES:
            self.plain, code, self.part = ENERGIES[name]
            self.selects, self.unit, self.of_core = f"('power', {code})", 'power', False
            self.least = self.edge = self.invert = 0
            return
        base, modifiers = split(name, cpu.rows)
        self.plain = base + ''.join(':' + m for m in modifiers if '_msr_val=' in m)
        row, core = cpu.rows.get(base, ({}, 'cpu'))
        numbers = {m[0]: int(m[1:]) for m in modifiers if re.fullmatch(r'[cei]\d+', m)}
        self.least = numbers.get('c', expected.get(row, 'CounterMask'))
        self.edge = numbers.get('e', expected.get(row, 'EdgeDetect'))
        self.invert = numbers.get('i', expected.get(row, 'Invert'))
        self.unit = row.get('Unit')
        self.of_core = not self.unit
        if not row:
            self.selects = base  # PERF_METRICS: a name of Linux's
            return
        values = [m.partition('=')[2] for m in modifiers if '_msr_val=' in m]
        row = row | {'CounterMask': '0', 'EdgeDetect': '0', 'Invert': '0'}
        row |= {'MSRValue': values[0]} if values else {}
        self.selects = str(expected.expected(cpu.pmus, row, cpu.folder, core))

    def count(self, signals):
        """Of one CPU or unit. signals: Counter, level, cycles, one after the other."""
        total, held = 0, False
        for signal, level, cycles in signals:
            level = level if signal.selects == self.selects else 0
            holds = (level >= self.least) != bool(self.invert) if self.least else level > 0
            if self.edge:
                total += holds and not held
            else:
                total += (cycles if holds else 0) if self.least else level * cycles
            held = holds
        return total


class Cpu:
    """A CPU's event files, and a machine of it."""

    def __init__(self, copy, folder, path):
        self.folder, self.pmus = folder, expected.machine(path)
        self.rows = {row['EventName']: (row, core) for row, core in expected.rows(copy, folder)
                     if isinstance(row, dict) and 'EventName' in row}


class Run:
    """Signals for the events of some metrics, and the counts that follow from them."""

    def __init__(self, metrics, cpu, dice):
        self.cpu, self.signals = cpu, []
        for metric in metrics:
            for event in metric['Events']:
                counter = Counter(event['Name'], cpu)
                if not any(counter.selects == c.selects for c, _, _ in self.signals):
                    self.signals.append((counter, dice.randint(1, 16), dice.randint(1, 10 ** dice.randint(1, 6))))

    def lines(self):
        return ''.join(f'signal {c.plain} {level} {cycles}\n' for c, level, cycles in self.signals)


def measure(boxscore, machine, names, lines):
    with tempfile.NamedTemporaryFile('w') as signals:
        signals.write(lines)
        signals.flush()
        return subprocess.run(
            [boxscore, 'stage', '--root', machine, '--pace', '0', '--', boxscore, 'stat', '-a', '-j', '-M',
             ','.join(names), '--', 'sh', '-c', f'cat {signals.name} >/dev/boxscore/dialogue'],
            capture_output=True, text=True)


def read(done):
    """The metrics, the sums of events without modifiers, and the seconds."""
    values, sums, seconds = {}, {}, None
    for line in done.stderr.splitlines():
        if not line.startswith('{'):
            continue
        row = json.loads(line)
        if 'run' in row:
            seconds = row['run']['seconds']
            continue
        values |= {m['name']: m['value'] for m in row.get('metrics', [])}
        if 'value' in row:
            sums[row['event'].split('::', 1)[-1]] = row['value']
    return values, sums, seconds


def value_of(metric, run, machine, sums, seconds):
    """The value of the formula; None if it is divided by 0. A fault is a text."""
    scope = FUNCTIONS | machine.constants | {'DURATIONTIMEINSECONDS': seconds, 'NA': float('nan')}
    for constant in metric['Constants']:
        name = constant['Name']
        scope[constant['Alias']] = int(name) if name.isdigit() else \
            seconds * 1000 if name == 'DURATIONTIMEINMILLISECONDS' else machine.constants[name]
    for event in metric['Events']:
        name = event['Name']
        counter = Counter(name, run.cpu)
        one = counter.count(run.signals)
        places, shown = machine.cpus, sums.get(counter.plain)
        if counter.part == 1 and counter.plain != name and shown is not None:
            one_plain = Counter(counter.plain, run.cpu).count(run.signals)
        else:
            one_plain = one
        if counter.of_core and shown not in (None, places * one_plain):
            return f'{counter.plain} counts {shown} instead of {places * one_plain}'
        if not counter.of_core:  # the same number of units for each event: it must divide what is shown
            places = machine.units(counter.selects, counter.unit)
            if shown not in (None, places * one_plain):
                return f'{counter.plain} counts {shown} instead of {places * one_plain}'
        scope[event['Alias']] = (one if name.endswith(':one_unit') else one * places) / counter.part
    formula = metric['Formula'].replace('> =', '>=').replace('#NA', 'NA')
    try:
        return eval(formula, {'__builtins__': {}}, scope)
    except ZeroDivisionError:
        return None


def usable(metric):
    names = [x['Name'] for x in metric['Events'] + metric['Constants']]
    return not any(re.search(REFUSED, n) or ' ' in n for n in names) and \
        not any(re.search(u, metric['Formula']) for u in UNREADABLE)


def compare(boxscore, copy, folder, path, faults):
    dice, machine, compared, left = random.Random(47), Machine(path), 0, 0
    metrics, cpu = {}, Cpu(copy, folder, path)
    for file in sorted((pathlib.Path(copy) / folder / 'metrics').glob('*.json')):
        whole = json.loads(file.read_text(encoding='utf-8-sig'))
        for metric in whole.get('Metrics', []) if 'hbm' not in file.name else []:
            if isinstance(metric, dict) and metric.get('Events') and metric.get('Formula'):
                metrics.setdefault(metric['MetricName'].lower(), metric)
    todo = [m for m in metrics.values() if usable(m)]
    left = len(metrics) - len(todo)
    dice.shuffle(todo)
    if os.environ.get('BX_METRICS'):
        todo = todo[:int(os.environ['BX_METRICS'])]
    while todo:
        batch, todo = todo[:BATCH], todo[BATCH:]
        run = Run(batch, cpu, dice)
        done = measure(boxscore, path, [m['MetricName'] for m in batch], run.lines())
        if done.returncode:
            if len(batch) > 1:  # one of them is refused: each alone
                for one in batch:
                    compared += alone(boxscore, path, one, cpu, machine, dice, faults)
                continue
            faults.append(f'{folder}: {done.stderr}')
            continue
        compared += judge(batch, run, machine, done, faults)
    return compared, left


def alone(boxscore, path, metric, cpu, machine, dice, faults):
    run = Run([metric], cpu, dice)
    done = measure(boxscore, path, [metric['MetricName']], run.lines())
    if done.returncode:
        print(f'  refused: {metric["MetricName"]}: {done.stderr.splitlines()[0][:150]}')
        return 0
    return judge([metric], run, machine, done, faults)


def judge(batch, run, machine, done, faults):
    values, sums, seconds = read(done)
    for metric in batch:
        name = metric['MetricName']
        want = value_of(metric, run, machine, sums, seconds)
        if want is not None and want != want:
            want = None
        got = values.get(name, 'not shown')
        if isinstance(want, str) or isinstance(got, str) or not same_about(got, want):
            faults.append(f'{name}: {want}, but {got}')
    return len(batch)


def same_about(a, b):
    """The seconds are written to 1 ns."""
    return same(a, b) or (a is not None and b is not None and abs(a - b) <= 1e-5 * max(abs(a), abs(b)))


def main(arguments):
    boxscore, copy, *pairs = arguments
    faults, total = [], 0
    if subprocess.run([boxscore, 'stage', '--pace', '0', '--', 'true'], capture_output=True).returncode:
        print('skipped: no stage can be had here')
        return 77
    with tempfile.TemporaryDirectory() as data:
        os.environ['XDG_DATA_HOME'] = data
        for pair in pairs:
            folder, path = pair.split('=')
            subprocess.run([boxscore, 'import', 'perfmon', copy, '--cpu', folder.lower()], capture_output=True)
            compared, left = compare(boxscore, copy, folder, path, faults)
            total += compared
            print(f'{folder}: {compared} metrics of stat -M compared, {left} need what it does not count')
    for fault in faults[:30]:
        print('  ' + fault[:300])
    return 1 if faults or not total else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
