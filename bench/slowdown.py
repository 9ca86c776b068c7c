#!/usr/bin/env python3
"""How many times slower programs are on virtual machines: the table of docs/reference/limits.md.

usage: slowdown.py BUILD_ROOT [--write]      --write puts the table into the page

A figure is CPU time, of all processes and threads, divided by that of the program alone: the least of
the rounds, in which all ways take turns. The time of `true`, which is that of the start, is subtracted
from both. CPU time depends much less than time on what else runs."""
import os
import resource
import subprocess
import sys
import tempfile

ROUNDS = 2
PAGE = os.path.join(os.path.dirname(__file__), '..', 'docs', 'reference', 'limits.md')
MARK = '<!-- made by bench/slowdown.py --write -->\n'

PYTHON = 'd = {}\nfor i in range(60000): d[i % 5000] = d.get(i % 5000, 0) + i'
SQL = ('create table t(a integer primary key, b text);'
       "with recursive n(i) as (select 1 union all select i + 1 from n where i < 15000)"
       " insert into t select i, hex(i * 7919 % 15013) from n;"
       'select count(*) from t x join t y on y.a = x.a * 7919 % 15013;')


def programs(text):
    yield '`gzip`, 1 MB of text', ['gzip', '-c', text]
    yield '`sort`, 1 MB of text', ['sort', '--parallel=1', '-o', '/dev/null', text]
    yield '`python3`, a loop over a dictionary', ['python3', '-S', '-c', PYTHON]
    yield '`sqlite3`, an insert and a join', ['sqlite3', ':memory:', SQL]


def ways(build):
    def stat(machine):
        return [os.path.join(build, 'boxscore'), 'stat', '--machine', machine, '--']
    tracer = os.path.join(build, 'tracer', 'boxscore-tracer-amd64-linux')
    yield 'alone', []
    yield 'Valgrind, tool none', ['valgrind', '--tool=none', '-q']
    yield 'tracer alone', [tracer, '--tool=boxscore-tracer', '--drop=yes', '-q', '--']
    yield '`virtual:skl,part=plain`', stat('virtual:skl,part=plain')
    yield '`virtual:skl,part=i7-6700k`', stat('virtual:skl,part=i7-6700k')
    yield '`virtual:ivbep,part=plain`', stat('virtual:ivbep,part=plain')
    yield 'cachegrind, with caches', ['valgrind', '--tool=cachegrind', '--cache-sim=yes',
                                      '--cachegrind-out-file=/dev/null', '-q']


def cpu_time(command, environment):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
                   env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(build, command):
    """The least CPU time of each way."""
    tracer = os.path.join(build, 'tracer', 'boxscore-tracer-amd64-linux')
    environment = dict(os.environ, VALGRIND_LAUNCHER=tracer)
    least = {}
    for _ in range(ROUNDS):
        for way, before in ways(build):
            taken = cpu_time(before + command, environment)
            least[way] = min(taken, least.get(way, taken))
    return least


def figure(ratio):
    return f'{ratio:.1f}' if ratio < 10 else f'{ratio:.0f}'


def table(build):
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, 'text')
        with open(text, 'w') as to:
            for i in range(24000):
                to.write(f'{i * 7919 % 60013:05} {i * 104729 % 99991} a line of words for the programs\n')
        names = [way for way, _ in ways(build)][1:]
        yield '| program | alone | ' + ' | '.join(names) + ' |\n'
        yield '| --- | ---: |' + ' ---: |' * len(names) + '\n'
        start = measure(build, ['true'])
        for name, command in programs(text):
            taken = measure(build, command)
            alone = taken['alone'] - start['alone']
            ratios = ' | '.join(figure((taken[way] - start[way]) / alone) + ' x' for way in names)
            yield f'| {name} | {1000 * alone:.0f} ms | {ratios} |\n'
        starts = ' | '.join(f'{start[way]:.2f} s' for way in names)
        yield f'| the start of a program | {1000 * start["alone"]:.0f} ms | {starts} |\n'


def main():
    lines = []
    for line in table(sys.argv[1]):
        print(line, end='', flush=True)
        lines.append(line)
    if '--write' in sys.argv[2:]:
        with open(PAGE) as page:
            before, _, after = page.read().split(MARK)
        with open(PAGE, 'w') as page:
            page.write(before + MARK + ''.join(lines) + MARK + after)


if __name__ == '__main__':
    main()
