"""Reads perfmon's event files on its own, and computes where a kernel's format files put each event:
config, config1, config2. Nothing of boxscore is used."""
import json
import pathlib
import re

DEVICES = '/sys/bus/event_source/devices/'


def machine(path):
    """The PMUs of a gathered machine: name -> {'format/event': 'config:0-7', …}."""
    pmus, at = {}, None
    for line in pathlib.Path(path).read_text().split('\n'):
        if line.startswith('> '):
            at = None
            if line[2:].startswith(DEVICES):
                pmu, _, file = line[2 + len(DEVICES):].partition('/')
                at = pmus.setdefault(pmu, {})
                at[file] = ''
        elif line.startswith('|') and at is not None:
            at[file] += line[1:]
    return pmus


def bits(text):
    word, _, ranges = text.partition(':')
    where = []
    for part in ranges.split(','):
        lo, _, hi = part.partition('-')
        where += range(int(lo), int(hi or lo) + 1)
    return ['config', 'config1', 'config2'].index(word), where


class Refused(Exception):
    pass


def place(pmu, terms):
    """Puts the values of terms at the bits of the PMU's formats. No bit may be lost."""
    words = [0, 0, 0]
    for term, value in terms:
        names = [term] if term not in ('thresh', 'cmask') else ['thresh', 'cmask', 'threshold']
        found = next((n for n in names if 'format/' + n in pmu), None)
        if not found and term == 'umask' and 'format/occ_sel' in pmu and not value & 0x3f:
            found, value = 'occ_sel', value >> 6
        if not found:
            raise Refused(f'no term {term}')
        word, where = bits(pmu['format/' + found])
        if value >> len(where):
            raise Refused(f'{term}={value:#x} needs more than {len(where)} bits')
        for i, bit in enumerate(where):
            words[word] |= (value >> i & 1) << bit
    return words


def number(text):
    text = str(text).strip()
    return int(text, 16) if text[:2].lower() == '0x' else int(text or '0')


def numbers(row, key):
    text = row.get(key)
    return [number(x) for x in str(text if text not in (None, 'null') else '0').split(',')]


def get(row, key):
    return numbers(row, key)[0]


TYPES = {'cha': 0, 'iio': 1, 'irp': 2, 'm2pcie': 3, 'pcu': 4, 'ubox': 5, 'imc': 6, 'm2m': 7, 'upi': 8,
         'm3upi': 9, 'mdf': 11, 'cxlcm': 12, 'cxldp': 13, 'hbm': 14, 'b2hot': 15, 'b2cmi': 16,
         'b2cxl': 17, 'b2upi': 18, 'mdf_sbo': 20, 'pciex16': 21, 'pciex8': 22}
FIXED = {1: (0xc0, 0), 2: (0x3c, 0), 3: (0, 3), 4: (0, 4)}
BY_NAME = {'INST_RETIRED.ANY': 1, 'CPU_CLK_UNHALTED.THREAD': 2, 'CPU_CLK_UNHALTED.CORE': 2,
           'CPU_CLK_UNHALTED.REF': 3, 'CPU_CLK_UNHALTED.REF_TSC': 3, 'CPU_CLK_UNHALTED.BUS': 3}
MSRS = {0x1a6: 'offcore_rsp', 0x1a7: 'offcore_rsp', 0x3f6: 'ldlat', 0x3f7: 'frontend',
        0x1328: 'snoop_rsp', 0x1329: 'snoop_rsp'}


def core_terms(row):
    msrs, codes, umasks = numbers(row, 'MSRIndex'), numbers(row, 'EventCode'), numbers(row, 'UMask')
    at = 1 if msrs == [0x1a7] else 0
    code, umask = codes[min(at, len(codes) - 1)], umasks[min(at, len(umasks) - 1)]
    if str(row['Counter']).lower().startswith('fixed') and not (code and umask):
        kind = BY_NAME.get(row['EventName']) if not umask else umask
        if kind and kind not in FIXED:
            raise Refused('no code for its fixed counter')
        if kind:
            code, umask = FIXED[kind]
    terms = [('event', code)]
    umask |= get(row, 'UMaskExt') << 8
    terms += [('umask', umask)] if umask else []
    for key, term in (('EdgeDetect', 'edge'), ('AnyThread', 'any'), ('Invert', 'inv')):
        terms += [(term, 1)] if get(row, key) else []
    terms += [('cmask', get(row, 'CounterMask'))] if get(row, 'CounterMask') else []
    if msrs[0]:
        if msrs[0] not in MSRS:
            raise Refused(f'no term for MSR {msrs[0]:#x}')
        terms += [(MSRS[msrs[0]], get(row, 'MSRValue'))] if get(row, 'MSRValue') else []
    return terms


def uncore_terms(row, folder):
    """The PMU's name without its number, and the terms."""
    unit, name = row['Unit'], row['EventName']
    stem = unit.removesuffix(' LL').lower().replace(' ', '_')
    stem = {'mchbm': 'hbm', 'm2hbm': 'm2m', 'imc_dclk': 'imc'}.get(stem, stem)
    if stem == 'mdf' and folder not in ('SPR', 'EMR'):
        stem = 'mdf_sbo'
    if stem == 'ncu':
        stem = next((pmu for pmu, cpus in (('cbox_0', 'SKL BDW HSW'), ('clock', 'ICL TGL RKL ADL'),
                                           ('cncu', 'MTL ARL')) if folder in cpus.split()), 'ncu')
    stem = {'cbo': 'cbox', 'sbo': 'sbox', 'hac_cbo': 'hac_cbox'}.get(stem, stem)
    if 'FREERUN' in (row.get('CounterType'), name[-7:]):
        part = re.search(r'PART(\d)', name)
        index = int(part[1]) if part else 0
        kinds = [('BANDWIDTH_IN', 0x20 + index), ('BANDWIDTH_OUT', 0x30 + index), ('CLOCKTICKS', 0x10),
                 ('RDCAS', 0x20), ('WRCAS', 0x30), ('TOTAL', 0x10), ('TCAS', 0x10), ('REQCOUNT', 0x10)]
        umask = next(value for word, value in kinds if word in name)
        box = re.match(r'UNC_MC(\d)_', name)
        return stem + '_free_running' + (f'_{box[1]}' if box else ''), [('event', 0xff), ('umask', umask)]
    if str(row['Counter']).lower().startswith('fixed'):
        return stem, [('event', 0xff)]
    terms = [('event', get(row, 'EventCode') | get(row, 'ExtSel') << 8)]
    ext, port, fc = get(row, 'UMaskExt'), get(row, 'PortMask'), get(row, 'FCMask')
    if stem == 'iio':
        if not port and not fc:
            port, fc = ext >> 4 & 0xfff, ext >> 16 & 7
        ext &= ~0x7fff0
    umask = get(row, 'UMask') | ext << 8
    terms += [(t, v) for t, v in (('umask', umask), ('ch_mask', port), ('fc_mask', fc),
                                  ('edge', get(row, 'EdgeDetect')), ('inv', get(row, 'Invert')),
                                  ('thresh', get(row, 'CounterMask'))) if v]
    return stem, terms


def pmu_of(pmus, stem):
    """The first PMU of the name in a machine."""
    names = [p for p in pmus if re.fullmatch(re.escape(stem) + r'(_\d+)?', p)]
    plain = stem.removeprefix('uncore_')
    if not names and stem == 'cpu_atom' and 'cpu_core' not in pmus:
        names = [p for p in pmus if p == 'cpu']
    if not names and plain in TYPES:
        names = [p for p in pmus if re.fullmatch(rf'uncore_type_{TYPES[plain]}(_\d+)?', p)]
    if not names:
        raise Refused(f'no PMU {stem}')
    return min(names, key=lambda p: (p != stem, len(p), p))


def expected(pmus, row, folder, core='cpu'):
    """PMU and words of a row. core: the PMU of its file."""
    if row.get('Unit'):
        stem, terms = uncore_terms(row, folder)
        pmu = pmu_of(pmus, 'uncore_' + stem)
    else:
        terms = core_terms(row)
        pmu = pmu_of(pmus, core)
    words = place(pmus[pmu], terms)
    words[1] |= get(row, 'FILTER_VALUE') << 32
    return pmu, words


ROLES = {'Core': 'cpu_core', 'Atom': 'cpu_atom', 'LowPower_Atom': 'cpu_lowpower'}


def rows(copy, folder):
    """Each event of a CPU, and the core PMU of its file."""
    roles = {}
    for line in (pathlib.Path(copy) / 'mapfile.csv').read_text().split('\n'):
        parts = line.strip().split(',')
        if len(parts) > 6 and parts[6] in ROLES:
            roles[parts[2]] = ROLES[parts[6]]
    for path in sorted((pathlib.Path(copy) / folder / 'events').glob('*.json')):
        whole = json.loads(path.read_text(encoding='utf-8-sig'))
        core = roles.get(f'/{folder}/events/{path.name}', 'cpu')
        for row in whole['Events'] if isinstance(whole, dict) else whole:
            yield row, core
