#!/usr/bin/env python3
"""Compares `boxscore metric` with an evaluator of Python's own, for all metrics of a copy of perfmon in
both of its forms, and the two forms of a metric with each other.
usage: metrics.py BOXSCORE COPY [MOST]   MOST: metrics of each CPU that are compared"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

UNREADABLE = (r'\[0\]',)  # an event's first socket
FUNCTIONS = {'min': min, 'max': max, 'd_ratio': lambda a, b: a / b if b else 0}


def run(boxscore, *args):
    return subprocess.run([boxscore, *args], capture_output=True, text=True)


def guess(name, dice):
    if name in ('HYPERTHREADING_ON', '#SMT_on'):
        return dice.randint(0, 1)
    return dice.randint(1, 10 ** dice.randint(1, 9))


def intel(metric, dice):
    """The value, and the inputs by their names."""
    names = {x['Alias']: x['Name'] for x in metric['Events'] + metric['Constants']}
    inputs = {n: guess(n, dice) for n in names.values() if not n.isdigit()}
    formula = metric['Formula'].replace('> =', '>=').replace('#NA', 'NA')
    free = {w for w in re.findall(r'[A-Za-z_]\w*', re.sub(r'\d[\d.]*e\d+', '0', formula))}
    free -= set(names) | {'if', 'else', 'min', 'max', 'NA'}
    inputs |= {w: guess(w, dice) for w in free}
    scope = {a: int(n) if n.isdigit() else inputs[n] for a, n in names.items()}
    scope |= {w: inputs[w] for w in free} | FUNCTIONS | {'NA': float('nan')}
    return lambda: eval(formula, {'__builtins__': {}}, scope), inputs


def perf(metric, dice):
    formula, inputs = metric['MetricExpr'], {}
    scope = dict(FUNCTIONS)

    def name(match):
        text = match[0].replace('\\', '')
        if text in ('if', 'else', 'min', 'max', 'd_ratio'):
            return text
        value = inputs.setdefault(text, guess(text, dice))
        return repr(float(value))

    def counted(match):
        text = f'source_count {match[1].strip()}'
        return repr(float(inputs.setdefault(text, dice.randint(1, 60))))
    plain = re.sub(r'source_count\(([^)]*)\)', counted, formula)
    token = r'\d[\d.]*(?:e[-+]?\d+)?|#\w+|\w[\w.]*@[^@]*@|[A-Za-z_](?:[\w.:]|\\.)*'
    plain = re.sub(token, lambda m: m[0] if m[0][0].isdigit() else name(m), plain)
    scale = re.match(r'[\d.e-]+', metric.get('ScaleUnit', '1'))
    factor = float(scale[0]) if scale else 1
    return lambda: eval(plain, {'__builtins__': {}}, scope) * factor, inputs


def value_of(make):
    try:
        return make()
    except ZeroDivisionError:
        return None


def same(a, b):
    if a is None or b is None:
        return a is b
    return abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))


def main(arguments):
    boxscore, copy = arguments[:2]
    most = int(arguments[2]) if len(arguments) > 2 else 10 ** 9
    dice, faults, compared, refused = random.Random(47), [], 0, 0
    with tempfile.TemporaryDirectory() as data:
        os.environ['XDG_DATA_HOME'] = data
        run(boxscore, 'import', 'perfmon', copy, '--cpu', 'all')
        for folder in sorted(p for p in pathlib.Path(copy).iterdir() if (p / 'metrics').is_dir()):
            taken, todo = set(), []
            for path in sorted((folder / 'metrics').glob('*.json')) + sorted((folder / 'metrics' / 'perf').glob('*.json')):
                whole = json.loads(path.read_text(encoding='utf-8-sig'))
                form = perf if isinstance(whole, list) else intel
                for metric in whole if form is perf else whole.get('Metrics', []):
                    called = metric['MetricName']
                    prefix = ('hbm:' if 'hbm_' in path.name else '') + ('perf:' if form is perf else '')
                    called = prefix + called if called.lower() in taken else called
                    if not any(re.search(u, metric.get('Formula', '')) for u in UNREADABLE):
                        taken.add(called.lower())
                    todo.append((called, form, metric))
            dice.shuffle(todo)
            for called, form, metric in todo[:most]:
                if any(re.search(u, metric.get('Formula', '')) for u in UNREADABLE):
                    refused += 1
                    continue
                make, inputs = form(metric, dice)
                done = run(boxscore, 'metric', '--json', '--cpu', folder.name.lower(), called,
                           *(f'--value={n}={v}' for n, v in inputs.items()))
                compared += 1
                try:
                    got = json.loads(done.stdout)['value']
                except (json.JSONDecodeError, KeyError):
                    got = done.stderr
                want = value_of(make)
                if '#NA' in metric.get('Formula', '') and want != want:
                    want = None
                if isinstance(got, str) or not same(got, want):
                    faults.append(f'{folder.name} {called}: {want}, but {got}')
    print(f'{compared} metrics compared, {refused} cannot be read, {len(faults)} faults')
    for fault in faults[:30]:
        print('  ' + fault[:300])
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
