#!/usr/bin/env python3
"""Imports the small copy beside this file, and compares all of its events and metrics with readers of
Python's own; then files that must not be used.
usage: small.py SOURCE_ROOT BOXSCORE"""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BOXSCORE = sys.argv[2]
FAULTS = []


def run(*args):
    return subprocess.run([BOXSCORE, *args], capture_output=True, text=True)


def must(what, holds, ran=None):
    if not holds:
        FAULTS.append(f'{what}: {ran.stdout[-300:] + ran.stderr[-300:] if ran else ""}')


def words(ran):
    return [(a['pmu'], a['config'], a['config1'], a['config2']) if 'config' in a else a['error']
            for a in json.loads(ran.stdout)]


def encode(cpu, machine, *events):
    return run('encode', '--json', '--cpu', cpu, '--root', str(HERE / f'{machine}.machine'), *events)


def figures():
    """Values typed by hand: what expected.py might have wrong as well."""
    done = encode('spr', 'spr', 'UNC_CHA_TOR_INSERTS.WIDE', 'UNC_U_EVENT', 'UNC_IIO_BANDWIDTH_IN.PART5_FREERUN',
                  'OCR.SECOND', 'UOPS_SMALL.STALLS', 'UOPS_SMALL.STALLS:c=3', 'TOPDOWN.SLOTS',
                  'OCR.SMALL:request=DEMAND:response=ANY_DATA', 'UNC_CHA_TOR_INSERTS.WIDE:t=2:e=1')
    must('typed words', words(done) == [
        ('uncore_cha_0', '0x78cc6ffe00000135', '0x0', '0x0'), ('uncore_type_5', '0x842', '0x0', '0x0'),
        ('uncore_iio_free_running_0', '0x25ff', '0x0', '0x0'), ('cpu', '0x2b7', '0x10', '0x0'),
        ('cpu', '0x18401ae', '0x0', '0x0'), ('cpu', '0x38401ae', '0x0', '0x0'), ('cpu', '0x400', '0x0', '0x0'),
        ('cpu', '0x1b7', '0x10003', '0x0'), ('uncore_cha_0', '0x78cc6ffe02040135', '0x0', '0x0')], done)
    done = encode('spr', 'spr', 'UOPS_SMALL.STALLS:c3', 'UOPS_SMALL.STALLS:c3:e1', 'UOPS_SMALL.STALLS:SUP', 'OCR.SECOND:ocr_msr_val=0x20')
    must("options of Intel's metric files", words(done)[:2] == [('cpu', '0x38401ae', '0x0', '0x0')] * 2 and
         words(done)[2:] == [('cpu', '0x18401ae', '0x0', '0x0'), ('cpu', '0x2b7', '0x20', '0x0')], done)
    for option in ('retire_latency', 'c', 'cx', 'c70000'):
        done = encode('spr', 'spr', f'UOPS_SMALL.STALLS:{option}')
        must(f'no option {option}', done.returncode == 1 and option in done.stderr, done)
    done = encode('spr', 'spr-old-kernel', 'UNC_CHA_TOR_INSERTS.WIDE')
    must('an old kernel', done.returncode == 1 and 'Linux 6.10 and later' in done.stderr and 'error' in done.stdout, done)
    done = encode('jkt', 'jkt', 'UNC_Q_EXT', 'UNC_P_OCCUPANCY.C3', 'UNC_P_EXT')
    must('bit 21', words(done)[:2] == [('uncore_qpi_0', '0x200138', '0x0', '0x0'), ('uncore_pcu', '0x8080', '0x0', '0x0')]
         and 'out of range' in words(done)[2], done)
    done = run('encode', '--cpu', 'adl', 'BOTH.SAME')
    must('an event of two PMUs', done.returncode == 1 and 'more than one PMU' in done.stderr, done)
    done = encode('adl', 'adl', 'cpu_core/BOTH.SAME/', 'cpu_atom/BOTH.SAME/')
    must('hybrid', words(done) == [('cpu_core', '0xf11', '0x0', '0x0'), ('cpu_atom', '0x231', '0x0', '0x0')], done)
    done = run('decode', '--json', '--cpu', 'spr', '--root', str(HERE / 'spr.machine'),
               'uncore_cha/config=0x78cc6ffe02000135/')
    must('decode', 'UNC_CHA_TOR_INSERTS.WIDE:t=2' in done.stdout, done)
    done = run('info', '--cpu', 'spr', 'LOADS.SLOW')
    must('info', 'errata: XXX01' in done.stdout and done.returncode == 0, done)
    done = run('list', '--cpu', 'spr', 'TOR_INSERTS')
    must('list', done.stdout.count('spr_unc_cha::UNC_CHA_TOR_INSERTS') == 2, done)
    for event, why in [('OLD.FIXED', 'Linux has no code'), ('MSR.UNKNOWN', 'its MSR has no term'),
                       ('UMASK.WIDE', 'more than 8 bits')]:
        done = encode('spr', 'spr', event, 'TOPDOWN.SLOTS')
        must(f'{event} is known, with the reason', done.returncode == 1 and why in words(done)[0] and
             words(done)[1] == ('cpu', '0x400', '0x0', '0x0') and why in run('info', '--cpu', 'spr', event).stdout, done)
    done = run('decode', '--cpu', 'spr', '--root', str(HERE / 'spr.machine'), 'cpu/config=0x0,config1=0x0,config2=0x0/')
    must('no refused event is decoded', 'OLD.FIXED' not in done.stdout, done)
    done = encode('spr', 'spr', 'UNC_CHA_LOOKUP.FILTERED')
    must('a filter is said', 'CHAFilter0[26:17]' in done.stdout, done)


def metrics():
    def value(name, *values):
        done = run('metric', '--json', '--cpu', 'spr', name, *(f'--value={v}' for v in values))
        return json.loads(done.stdout)
    a, b = 'INST_RETIRED.ANY', 'CPU_CLK_UNHALTED.THREAD'
    for name, values, want in [
            ('ipc', (f'{a}=6', f'{b}=4'), 1.5), ('perf:ipc', (f'{a}=6', f'{b}=4'), 1.5), ('ipc', (f'{a}=6', f'{b}=0'), None),
            ('share', (f'{a}=6', f'{b}=4'), 20), ('perf:share', (f'{a}=6', f'{b}=4'), 20), ('share', (f'{a}=3', f'{b}=4'), 0),
            ('clocks', (f'{a}=6', f'{b}=4', 'HYPERTHREADING_ON=1'), 3), ('clocks', (f'{a}=6', f'{b}=4', 'HYPERTHREADING_ON=0'), 4),
            ('nested', (f'{a}=6', f'{b}=0'), 1), ('nested', (f'{a}=5', f'{b}=3'), 2), ('nested', (f'{a}=5', f'{b}=2'), 3),
            ('spaced', (f'{a}=5', f'{b}=5'), 4), ('bandwidth', (f'{a}=1e6', 'DURATIONTIMEINMILLISECONDS=500'), 128),
            ('watts', ('FREERUN_PKG_ENERGY_STATUS=1e6', 'FREERUN_DRAM_ENERGY_STATUS=5', 'DURATIONTIMEINMILLISECONDS=1000'), 61.000078),
            ('busy', (f'{b}=3', 'TSC=4'), 75), ('weight', (f'{a}=50',), 10), ('zero', (f'{a}=7', f'{b}=7'), 0), ('bits', (f'{a}=13',), 2 | 8 ^ 1),
            ('modified', (f'{a}=8', 'UOPS_SMALL.STALLS:c1:e1=2'), 4), ('metric_nothing', (f'{a}=8',), 8),
            ('frequency', ('UNC_CHA_CLOCKTICKS=80', 'source_count(UNC_CHA_CLOCKTICKS)=4', '#num_packages=2', 'duration_time=2'), 5)]:
        must(f'{name} {values}', value(name, *values)['value'] == want)
    for name, events in [('ipc', ['INST_RETIRED.ANY', 'CPU_CLK_UNHALTED.THREAD']), ('modified', ['UOPS_SMALL.STALLS'])]:
        done = run('info', '--cpu', 'spr', name)
        must(f'info {name} has its events', all(f'spr_core::{e}' in done.stdout for e in events), done)
    done = run('info', '--cpu', 'adl', 'hybrid')
    must("a hybrid CPU's metric has the events of its cores", 'adl_core::BOTH.SAME' in done.stdout, done)
    for event, terms in [('ENERGY_PKG', 'power/event=0x2/'), ('ENERGY_RAM', 'power/event=0x3/')]:
        must(f'{event} is of the kernel', terms in run('encode', '--cpu', 'spr', event).stdout.replace('0x0', '0x'))
    must('a value is missing', 'CPU_CLK_UNHALTED.THREAD' in value('ipc', f'{a}=1').get('missing', ''))


def free_running():
    rows = json.loads(run('list', '--json', '--cpu', 'spr', '*_FREERUN').stdout)
    names = {r['event'] for r in rows}
    must('each free-running event has a counter of its own',
         len(names) == 2 and sorted(r['counters'] for r in rows) == [[0], [1]])


def archives(data):
    """Archives of the copy, as GitHub makes them, and of one CPU's folder; files that are no archive."""
    elsewhere = pathlib.Path(data, 'archives')
    elsewhere.mkdir()
    before = run('import', '--list', '--json').stdout
    os.environ['TMPDIR'] = str(elsewhere)
    shutil.make_archive(str(elsewhere / 'copy'), 'gztar', HERE, 'copy')
    shutil.make_archive(str(elsewhere / 'one'), 'tar', HERE / 'copy', 'JKT')
    names = ['copy.tar.gz', 'one.tar']
    if shutil.which('unzip'):
        shutil.make_archive(str(elsewhere / 'copy'), 'zip', HERE, 'copy')
        names.append('copy.zip')
    for name in names:
        run('import', '--remove', 'jkt')
        done = run('import', 'perfmon', str(elsewhere / name), '--cpu', 'jkt')
        must(f'import of {name}', done.returncode == 0 and '7 events' in done.stdout, done)
        kept = next(x for x in json.loads(run('import', '--list', '--json').stdout) if x['cpu'] == 'jkt')
        must(f'{name} is the origin', kept['source'] == str(elsewhere / name))
    run('import', 'perfmon', str(HERE / 'copy'), '--cpu', 'jkt')
    must('the same as from a folder', run('import', '--list', '--json').stdout == before)
    for name, content in [('text', b'{"no": "archive"}'), ('cut', (elsewhere / 'copy.tar.gz').read_bytes()[:900])]:
        (elsewhere / name).write_bytes(content)
        done = run('import', 'perfmon', str(elsewhere / name), '--cpu', 'jkt')
        must(f'{name} is refused', done.returncode == 1 and 'no archive that tar unpacks' in done.stderr, done)
    must('no folder is left', not [p for p in elsewhere.iterdir() if p.is_dir()])
    del os.environ['TMPDIR']


def refused(path, what, why):
    done = run('encode', '--cpu', 'spr', 'UNC_P_CLOCKTICKS')
    must(what, done.returncode == 1 and why in done.stderr, done)


def checked_once(data):
    """A file that import has checked is not checked again until it changes, whatever its time of modification says."""
    path = pathlib.Path(data, 'boxscore', 'perfmon', 'spr.catalog')
    record = path.with_suffix('.catalog.checked')
    good, was = path.read_bytes(), record.read_bytes()
    must('the record is of this file', was[8:48] == identity(path))
    with open(path, 'r+b') as file:
        file.seek(-8, os.SEEK_END)
        file.write(b'X' * 8)
    os.utime(path, ns=(0, 0))
    refused(path, 'changed in place', 'its last text does not end')
    record.write_bytes(was[:8] + identity(path) + was[48:])
    done = run('encode', '--cpu', 'spr', 'UNC_P_CLOCKTICKS')
    must('what the record is of is not checked', done.returncode == 0 and 'uncore_pcu' in done.stdout, done)
    record.chmod(0o666)
    refused(path, 'others can write the record', 'its last text does not end')
    record.chmod(0o644)
    record.rename(record.with_suffix('.other'))
    record.symlink_to(record.with_suffix('.other'))
    refused(path, 'the record is a link', 'its last text does not end')
    record.unlink()
    record.with_suffix('.other').unlink()
    record.write_bytes((was[:8] + identity(path) + was[48:])[:-1])
    refused(path, 'the record is cut off', 'its last text does not end')
    record.write_bytes(was[:8] + identity(path) + bytes(len(was) - 48))
    refused(path, 'checked beside another catalogue', 'its last text does not end')
    path.write_bytes(good)
    must('without a record it is checked, and used', run('encode', '--cpu', 'spr', 'UNC_P_CLOCKTICKS').returncode == 0)


def identity(path):
    """As src/host/imported/checked.c has it: device, inode, size, time of change."""
    is_ = path.stat()
    return struct.pack('=5Q', is_.st_dev, is_.st_ino, is_.st_size, *divmod(is_.st_ctime_ns, 10**9))


def foreign(data):
    """Files that are not to be used. No import makes more registers writable."""
    path = pathlib.Path(data, 'boxscore', 'perfmon', 'spr.catalog')
    good = path.read_bytes()
    done = run('allowlist', '--cpu', 'spr')
    must('no MSR', '0x000' not in done.stdout, done)
    for cpu in ('skl', 'ivbep', 'nhmex', 'p6'):
        before = run('allowlist', '--cpu', cpu).stdout
        must(f'allowlist of {cpu}', before == ALLOWED[cpu])
    path.chmod(0o666)
    refused(path, 'others can write it', 'others can write it')
    path.chmod(0o644)
    elsewhere = path.with_suffix('.other')
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    refused(path, 'a link', 'it is a link')
    path.unlink()
    head = len(good) - int.from_bytes(good[8 + 16 + 24 + 32 + 400:][:8], 'little')
    for what, at, bytes_ in [('magic', 0, b'X'), ('version', 8, b'9'), ('size', len(good) - 1, b''),
                             ('a table', head + 12, b'\xff\xff\xff'), ('rows', head + 600, b'\xff' * 4000)]:
        path.write_bytes(good[:at] + bytes_ + good[at + len(bytes_):] if bytes_ else good[:at])
        refused(path, what, 'is not used')
    path.write_bytes(good)
    must('it is used again', run('encode', '--cpu', 'spr', 'UNC_P_CLOCKTICKS').returncode == 0)
    run('import', 'perfmon', str(HERE / 'copy'), '--cpu', 'spr')
    done = run('import', '--remove', 'spr')
    must('removed', done.returncode == 0 and not list(path.parent.glob('spr.catalog*')), done)
    must('again', run('import', '--remove', 'spr').returncode == 1)


COMPLETE = r'''
PATH=${B%/*}:$PATH
source <(boxscore help --generate bash)
complete_last() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _boxscore
    echo "${COMPREPLY[*]}"
}
complete_last boxscore list --cpu s
complete_last boxscore encode --cpu spr spr_core::LOADS.SL
complete_last boxscore encode --cpu = jkt jkt_perfmon_unc_pcu::UNC_P_OCC
complete_last boxscore stat --cpu spr -M mod
'''


def completion():
    """What bash completes for CPUs that were imported."""
    done = subprocess.run(['bash', '-c', COMPLETE], env={**os.environ, 'B': BOXSCORE}, capture_output=True, text=True)
    must('completion', done.stdout == 'skl snb spr\nspr_core::LOADS.SLOW\njkt_perfmon_unc_pcu::UNC_P_OCCUPANCY.C3\nmodified\n' and not done.stderr, done)


SYSTEM = r'''
mount -t tmpfs none /var/lib
say() { echo "$1: $(shift; "$@" 2>&1 | tail -n 1)"; }
other() { setpriv --reuid 65534 --clear-groups env -u XDG_DATA_HOME HOME=/nonexistent "$@"; }
file=/var/lib/boxscore/perfmon/spr.catalog
"$B" import perfmon "$COPY" --cpu spr --system >/dev/null
stat -c '%U %a' $file
say known other "$B" encode --cpu spr UNC_P_CLOCKTICKS
say completed other "$B" import --list
say refused other "$B" import perfmon "$COPY" --cpu jkt --system
XDG_DATA_HOME=/var/lib/own "$B" import perfmon "$COPY" --cpu spr >/dev/null
say own env XDG_DATA_HOME=/var/lib/own "$B" import --list
printf X | dd of=/var/lib/own/boxscore/perfmon/spr.catalog conv=notrunc status=none
say first env XDG_DATA_HOME=/var/lib/own "$B" encode --cpu spr UNC_P_CLOCKTICKS
chmod 666 $file
say writable other "$B" encode --cpu spr UNC_P_CLOCKTICKS
chmod 644 $file
chown 65534 $file
say foreign other "$B" encode --cpu spr UNC_P_CLOCKTICKS
"$B" import --remove spr --system >/dev/null
[ ! -e $file ] && echo removed
'''


def for_all_users():
    """--system, below a /var/lib of our own: root imports, everybody reads, nobody else writes."""
    if os.geteuid() != 0 or not shutil.which('setpriv') or \
            subprocess.run(['unshare', '--mount', 'true'], stderr=subprocess.DEVNULL).returncode:
        print('skipped: --system needs root and a mount namespace')
        return
    done = subprocess.run(['unshare', '--mount', '--propagation', 'private', 'sh', '-euc', SYSTEM],
                          env={**os.environ, 'B': BOXSCORE, 'COPY': str(HERE / 'copy')}, capture_output=True, text=True)
    lines = dict(line.split(': ', 1) for line in done.stdout.splitlines() if ': ' in line)
    must('--system', done.returncode == 0 and done.stdout.startswith('root 644\n') and
         done.stdout.endswith('removed\n'), done)
    for key, holds in [('known', 'uncore_pcu'), ('completed', '/var/lib/boxscore/perfmon/spr.catalog'),
                       ('refused', 'Permission denied'), ('own', '/var/lib/'), ('first', 'import it again'),
                       ('writable', 'import it again'), ('foreign', 'import it again')]:
        must(f'--system, {key}', holds in lines.get(key, ''), done)


def several():
    """One folder of perfmon is of several built-in CPUs: SKL also of Kaby Lake, whose processors mapfile.csv names."""
    rows = [{'EventCode': '0xF1', 'UMask': '0xFE', 'EventName': 'SMALL.ADDED', 'BriefDescription': 'small', 'Counter': '0,1,2,3'}]
    clock = [{'Unit': 'ARB', 'EventCode': '0x00', 'UMask': '0x01', 'EventName': 'UNC_CLOCK.SOCKET', 'BriefDescription': 'small',
              'Counter': 'Fixed'},
             {'Unit': 'ARB', 'EventCode': '0x81', 'UMask': '0x80', 'EventName': 'UNC_ARB_TRK_REQUESTS.EVICTIONS',
              'BriefDescription': 'small', 'Counter': '0,1'}]
    with tempfile.TemporaryDirectory() as copy:
        for folder, file, events in [('SKL', 'small_core', rows), ('SNB', 'small_uncore', clock)]:
            os.makedirs(f'{copy}/{folder}/events')
            pathlib.Path(copy, folder, 'events', f'{file}.json').write_text(
                json.dumps({'Header': {'Version': '1', 'DatePublished': '11/27/2026'}, 'Events': events}))
        pathlib.Path(copy, 'mapfile.csv').write_text(
            'Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name\n' +
            ''.join(f'GenuineIntel-6-{model},V1,/SKL/events/small_core.json,core,,,\n' for model in ('5E', '9E')) +
            'GenuineIntel-6-2A,V1,/SNB/events/small_uncore.json,uncore,,,\n')
        done = run('import', 'perfmon', copy, '--cpu', 'skl', '--cpu', 'snb', '-v')
    must('an event on another PMU is a difference', done.returncode == 0 and 'UNC_CLOCK.SOCKET: other bits than in the '
         'built-in catalogue: uncore_arb/event=0xff, there uncore_cbox_0/event=0xff/' in done.stdout and
         '2 are built in, 1 of them with other bits' in done.stdout, done)
    for cpu, pmu in [('skl', 'skl_perfmon_core'), ('kbl', 'kbl_perfmon_core')]:
        done = run('encode', '--cpu', 'skl', f'{pmu}::SMALL.ADDED')
        must(f'{cpu} has the event', done.returncode == 0 and 'cpu/event=0xf1,umask=0xfe/' in done.stdout, done)


def main():
    global ALLOWED
    with tempfile.TemporaryDirectory() as data:
        os.environ['XDG_DATA_HOME'] = data
        ALLOWED = {cpu: run('allowlist', '--cpu', cpu).stdout for cpu in ('skl', 'ivbep', 'nhmex', 'p6')}
        done = run('import', 'perfmon', str(HERE / 'copy'), '--cpu', 'all', '-v')
        must('import', done.returncode == 0, done)
        for part in ('spr        version 1.07 of 11/27/2026: 29 events', '2 rows are bits of events',
                     'CODE.BROKEN: its EventCode is no number', 'UMASK.WIDE: its UMask has more than 8 bits',
                     'COUNTER.BROKEN: its Counter is no list', 'MSR.UNKNOWN: its MSR has no term in Linux',
                     'EXT.WIDE: its UMaskExt is no number of 32 bits', 'OLD.FIXED: Linux has no code',
                     'metric socket: an event', 'metric broken: its formula cannot be read'):
            must(f'import says "{part}"', part in done.stdout, done)
        listed = json.loads(run('import', '--list', '--json').stdout)
        must('--list', [x['cpu'] for x in listed] == ['adl', 'jkt', 'spr'] and listed[2]['version'] == '1.07')
        figures()
        metrics()
        completion()
        free_running()
        done = run('doctor', '--root', str(HERE / 'spr.machine'))
        must('doctor knows an import', "imported as spr: Intel's event files, version 1.07" in done.stdout, done)
        archives(data)
        checked_once(data)
        foreign(data)
        for_all_users()
        several()
    for fault in FAULTS:
        print(fault)
    return 1 if FAULTS else 0


if __name__ == '__main__':
    sys.exit(main())
