#!/usr/bin/env python3
"""How fast virtual machines are: the tables of docs/explanation/speed.md.

usage: speed.py BUILD_ROOT [--base BUILD_ROOT] [--write]
    --base: a build of commit 71c06c06, with which the figures are compared
    --write: puts the tables into the page

Times are CPU time, the least of the rounds in which all ways take turns. Two idle processors take half of
it, or the time of its slowest thread if that is more. Instructions are those that
Valgrind's cachegrind counts; they do not depend on what else runs."""
import argparse
import os
import re
import resource
import subprocess
import tempfile
import time

from slowdown import PYTHON, SQL

ROUNDS = 2
PAGE = os.path.join(os.path.dirname(__file__), '..', 'docs', 'explanation', 'speed.md')
MARK = '<!-- {}: made by bench/speed.py --write -->\n'
MACHINES = {
    'skl, plain': 'virtual:skl,part=plain',
    'i7-6700k': 'virtual:skl,part=i7-6700k',
    'e5-2680v2': 'virtual:ivbep,part=e5-2680v2',
    'x7560': 'virtual:nhmex,part=x7560',
    'p6': 'virtual:p6',
}
TICK = os.sysconf('SC_CLK_TCK')
# The least that cachegrind's time is to be, divided by that of the machine, on two idle processors.
SERVERS = {'true': 1.25, 'sort': 0.6, 'python3': 0.6}
GOALS = {
    'skl, plain': {'true': 1.25, 'gzip': 1.1, 'sort': 1.1, 'python3': 1.1, 'sqlite3': 1.1, 'cc1 -O2': 1.1},
    'i7-6700k': {'true': 1.25, 'gzip': 0.65, 'sort': 0.8, 'sort, two threads': 0.65, 'python3': 0.9,
                 'sqlite3': 0.95, 'cc1 -O2': 1.1},
    'e5-2680v2': SERVERS,
    'x7560': SERVERS,
    'p6': {'true': 1.25},
}


# ---- times of programs ----

def programs(folder):
    """Names and commands. Their input is in the folder."""
    text, source = os.path.join(folder, 'text'), os.path.join(folder, 'many.c')
    with open(text, 'w') as to:
        for i in range(24000):
            to.write(f'{i * 7919 % 60013:05} {i * 104729 % 99991} a line of words for the programs\n')
    with open(source, 'w') as to:
        for i in range(20):
            to.write(f'int f{i}(int n, int *a) {{ int s = {i}; for (int i = 0; i < n; i++)'
                     f' s += a[i] * (s ^ {i * 7919 % 101}) + (a[i] > s ? {i} : i); return s; }}\n')
    cc1 = subprocess.run(['cc', '-print-prog-name=cc1'], check=True, capture_output=True,
                         text=True).stdout.strip()
    return {
        'true': ['true'],
        'gzip': ['gzip', '-c', text],
        'sort': ['sort', '--parallel=1', '-o', '/dev/null', text],
        'sort, two threads': ['sort', '--parallel=2', '-S', '8M', '-o', '/dev/null', text],
        'python3': ['python3', '-S', '-c', PYTHON],
        'sqlite3': ['sqlite3', ':memory:', SQL],
        'cc1 -O2': [cc1, '-quiet', '-O2', '-o', '/dev/null', source],
    }


def tracer_of(build):
    return os.path.join(build, 'tracer', 'boxscore-tracer-amd64-linux')


def ways(build, base):
    """Names, commands and the build whose tracer they use."""
    yield 'alone', [], build
    yield 'none', ['valgrind', '--tool=none', '-q'], build
    yield 'tracer', [tracer_of(build), '--tool=boxscore-tracer', '--drop=yes', '-q', '--'], build
    yield 'cachegrind', ['valgrind', '--tool=cachegrind', '--cache-sim=yes',
                         '--cachegrind-out-file=/dev/null', '-q'], build
    for name, machine in MACHINES.items():
        yield name, [os.path.join(build, 'boxscore'), 'stat', '--machine', machine, '--'], build
    if base:
        yield '71c06c06', [os.path.join(base, 'boxscore'), 'stat', '--machine', 'virtual:skl',
                           '--'], base


def threads_of(pid):
    """The CPU seconds of each thread of a process, and of those that it has started."""
    seconds = {}
    try:
        tasks = os.listdir(f'/proc/{pid}/task')
    except OSError:
        return seconds
    for task in tasks:
        try:
            with open(f'/proc/{pid}/task/{task}/stat') as file:
                fields = file.read().rsplit(')', 1)[1].split()
            with open(f'/proc/{pid}/task/{task}/children') as file:
                children = file.read().split()
        except OSError:
            continue
        seconds[task] = (int(fields[11]) + int(fields[12])) / TICK
        for child in children:
            seconds.update(threads_of(child))
    return seconds


def run(command, build):
    """CPU seconds of a command: all, and those of its slowest thread."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=dict(os.environ, VALGRIND_LAUNCHER=tracer_of(build)))
    threads = {}
    while process.poll() is None:
        threads.update(threads_of(process.pid))
        time.sleep(0.02)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        raise SystemExit(f'{" ".join(command)}: exit status {process.returncode}')
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, min(used, max(threads.values(), default=used))


def measure(build, base, command):
    """The least CPU time of each way, and that of its slowest thread then."""
    least = {}
    for _ in range(ROUNDS):
        for way, before, of in ways(build, base):
            taken = run(before + command, of)
            least[way] = min(taken, least.get(way, taken))
    return least


def judged(ratio, goal):
    return f'{goal:g} | {"met" if ratio >= goal else "missed"}' if goal else ' | '


def times(build, base):
    with tempfile.TemporaryDirectory() as folder:
        yield ('| program | machine | x alone | x none | x tracer |' + (' x 71c06c06 |' if base else '') +
               ' cachegrind by it | on two processors | goal | |\n')
        yield '| --- | --- |' + ' ---: |' * (7 if base else 6) + ' --- |\n'
        for name, command in programs(folder).items():
            taken = measure(build, base, command)
            cachegrind = taken['cachegrind'][0]
            for machine in MACHINES:
                own, slowest = taken[machine]
                two = cachegrind / max(own / 2, slowest)
                row = [f'{own / taken["alone"][0]:.0f}', f'{own / taken["none"][0]:.1f}',
                       f'{own / taken["tracer"][0]:.1f}']
                if base:
                    row.append(f'{own / taken["71c06c06"][0]:.2f}' if machine == 'skl, plain' else '')
                row += [f'{cachegrind / own:.2f}', f'{two:.2f}', judged(two, GOALS[machine].get(name))]
                yield f'| `{name}` | {machine} | ' + ' | '.join(row) + ' |\n'


# ---- instructions ----

def instructions(command, preload=None):
    """The instructions of a command, without those of the programs that it starts."""
    environment = dict(os.environ, LD_PRELOAD=preload) if preload else None
    done = subprocess.run(['valgrind', '--tool=cachegrind', '--cache-sim=no',
                           '--cachegrind-out-file=/dev/null', *command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
    counted = re.search(r'I +refs: +([0-9,]+)', done.stderr)
    if done.returncode or not counted:
        raise SystemExit(f'{" ".join(command)}: {done.stderr}')
    return int(counted[1].replace(',', ''))


EVENT = {'skl': 'UNC_CBO_CACHE_LOOKUP:ANY_I', 'ivbep': 'UNC_C_LLC_LOOKUP:ANY', 'nhmex': 'LLC_HITS:ALL'}


def stat(build, machine, *arguments):
    """`stat` with one event of the machine's uncore."""
    model = re.match('virtual:([a-z0-9]+)', machine)[1]
    return [os.path.join(build, 'boxscore'), 'stat', '--machine', machine, '-e', EVENT[model], *arguments]


def per_access(build, machine, workload, cores, iterations):
    """Instructions of an access. The workload has `{}` iterations for each of so many cores."""
    few, many = (instructions(stat(build, machine, '--workload', workload.replace('{}', str(n))))
                 for n in (iterations, 3 * iterations))
    return (many - few) / (2 * iterations * cores)


def traced(build, machine, command, to):
    subprocess.run([os.path.join(build, 'boxscore'), 'trace', '--machine', machine, '-o', to, '--',
                    *command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return to


def starts(build):
    for name, machine in MACHINES.items():
        n = instructions([os.path.join(build, 'boxscore'), 'stat', '--machine', machine, '--workload',
                          'chase,size=64,passes=1']) / 1e6
        yield f'`stat` of one load, {name}, default events: instructions', f'{n:.1f} million', 15, n


def sixty_four_cores(build):
    one, all_of = (per_access(build, 'virtual:nhmex,packages=8,part=plain',
                              f'random,iterations={{}},size=64M,cores={n}', n, 12800 // n) for n in (1, 64))
    yield '64 cores, instructions of an access by those of one core', f'{all_of / one:.2f}', 1.5, all_of / one


def four_cores(build, base):
    each = 'random,iterations={},size=128K'
    works = {'data of their own': '+'.join([each] + [f'{each},at={n}M' for n in (1, 2, 3)]),
             'shared data': each + ',cores=4'}
    for machine, model in {'skl': 'skl,cores=4', 'ivbep': 'ivbep', 'nhmex': 'nhmex'}.items():
        for name, workload in works.items():
            now = per_access(build, f'virtual:{model},part=plain', workload, 4, 4000)
            then = per_access(base, f'virtual:{model}', workload, 4, 4000)
            yield (f'four cores, {name}, {machine}: an access by one of 71c06c06',
                   f'{now / then:.2f}', 1.5, now / then)


def replays(build, base, folder, command):
    """A program of one thread, against 71c06c06, whose machines have no branch predictor."""
    now = traced(build, 'virtual:skl,part=plain', command, os.path.join(folder, 'now'))
    then = traced(base, 'virtual:skl', command, os.path.join(folder, 'then'))
    for machine in EVENT:
        before = instructions(stat(base, f'virtual:{machine}', '--trace', then))
        for keys, words in (('', ''), (',predictor=none', ', without a predictor')):
            ratio = instructions(stat(build, f'virtual:{machine},part=plain{keys}', '--trace', now)) / before
            yield (f'replay of `{command[0]}`, {machine}{words}: by that of 71c06c06',
                   f'{ratio:.2f}', 1.05, ratio)


def thresholds(build, trace):
    for name in ('skl, plain', 'i7-6700k'):
        without, with_one = (instructions([os.path.join(build, 'boxscore'), 'stat', '--machine',
                                           MACHINES[name], '-e', 'L2_RQSTS:MISS' + c, '--trace', trace])
                             for c in ('', ':c=1'))
        yield (f'`:c=1` on `L2_RQSTS:MISS`, {name}: by the run without', f'{with_one / without:.2f}', 1.3,
               with_one / without)


def recordings(build, folder, traces):
    """The difference of two lengths, so that what a recording does once, such as names, is left out.
    Commits come by the clock, which is as slow as the counted program."""
    clock = os.path.join(folder, 'clock.so')
    subprocess.run(['cc', '-O2', '-D_GNU_SOURCE', '-shared', '-fPIC', '-o', clock,
                    os.path.join(os.path.dirname(__file__), 'clock.c')], check=True)
    events = ('UNC_CBO_CACHE_LOOKUP:ANY_I,DRAM_DATA_READS,DRAM_DATA_WRITES,'
              'UNC_CBO_XSNP_RESPONSE:HITM_XCORE')
    to = os.path.join(folder, 'recording')
    for name in ('skl, plain', 'i7-6700k'):
        def of(*what):
            few, many = (instructions([os.path.join(build, 'boxscore'), *what, '--machine', MACHINES[name],
                                       '-e', events, '--trace', trace], clock) for trace in traces)
            return many - few
        plain = of('stat')
        rows = of('record', '-o', to, '--contexts', 'off', '--objects', 'off') / plain
        whole = of('record', '-o', to) / plain
        yield f'`record` of four events, {name}: by `stat`', f'{rows:.2f}', 1.15, rows
        yield f'the same with calls and data, {name}', f'{whole:.2f}', 1.25, whole


def figures(build, base):
    yield '| what | measured | goal | |\n| --- | ---: | ---: | --- |\n'
    with tempfile.TemporaryDirectory() as folder:
        texts = []
        for n in (60000, 180000):
            texts.append(os.path.join(folder, f'text{n}'))
            with open(texts[-1], 'w') as to:
                for i in range(n // 45):
                    to.write(f'{i * 7919 % 60013:05} {i * 104729 % 99991} a line of words for programs\n')
        traces = [traced(build, MACHINES['skl, plain'], ['gzip', '-c', text],
                         os.path.join(folder, f'trace{i}')) for i, text in enumerate(texts)]
        parts = [starts(build), sixty_four_cores(build), thresholds(build, traces[0]),
                 recordings(build, folder, traces)]
        if base:
            parts += [four_cores(build, base), replays(build, base, folder, ['gzip', '-c', texts[0]]),
                      replays(build, base, folder, ['sort', '--parallel=1', texts[1]])]
        for part in parts:
            for what, text, goal, value in part:
                yield f'| {what} | {text} | {goal:g} | {"met" if value <= goal else "missed"} |\n'


# ---- the page ----

def write(name, lines):
    mark = MARK.format(name)
    with open(PAGE) as page:
        before, _, after = page.read().split(mark)
    with open(PAGE, 'w') as page:
        page.write(before + mark + ''.join(lines) + mark + after)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument('build')
    options.add_argument('--base')
    options.add_argument('--write', action='store_true')
    options.add_argument('--only', choices=['times', 'instructions'])
    given = options.parse_args()
    for name, made in (('times', times), ('instructions', figures)):
        if given.only not in (None, name):
            continue
        lines = []
        for line in made(given.build, given.base):
            print(line, end='', flush=True)
            lines.append(line)
        if given.write:
            write(name, lines)


if __name__ == '__main__':
    main()
