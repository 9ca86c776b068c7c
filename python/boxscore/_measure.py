"""Measurements: of a program, a workload, a trace, and of parts of this program."""

import contextlib
import ctypes
import os
import shlex
import signal
import threading

from boxscore import _library
from boxscore._library import AtInterval, MachineOptions, MeasureOptions, Progress, call, catalog, raw
from boxscore._result import Result

NANOSECONDS = 10**9
PASSES = {"auto": 0, "rotate": 1, "repeat": 2}    # enum bx_passes
DRIVERS = {"auto": 0, "perf": 1, "registers": 2}  # enum bx_driver


def _joined(value, what):
    """A list for the library: one text, or several."""
    if isinstance(value, (list, tuple)):
        value = ",".join(str(part) for part in value)
    elif isinstance(value, int):
        value = str(value)
    return raw(value, what)


def _choice(choices):
    def number(value, what):
        if value not in choices:
            raise ValueError(f"{what} is {value!r}, not one of {', '.join(choices)}")
        return choices[value]
    return number


def _time(value, what):
    """Seconds in ns."""
    if not 0 < value < 2**63 / NANOSECONDS:
        raise ValueError(f"{what} is {value!r}, not a number of seconds above 0")
    return max(1, round(value * NANOSECONDS))


def _whole(value, what):
    if not isinstance(value, int) or not 0 <= value < 2**64:
        raise ValueError(f"{what} is {value!r}, not a whole number from 0")
    return value


def _number(value, what):
    if not value > 0:
        raise ValueError(f"{what} is {value!r}, not a number above 0")
    return float(value)


def _flag(value, _):
    return bool(value)


def _not(value, _):
    return 0 if value else 1


# The keyword of count(), which is the option of `boxscore stat`; the struct's member; its reading.
MEASURE = {"events": ("events", _joined), "metrics": ("metrics", _joined),
           "workload": ("workload", raw), "trace": ("trace", raw), "pid": ("processes", _joined),
           "tid": ("threads", _joined), "all_cpus": ("all_cpus", _flag), "cpu": ("cpus", _joined),
           "cgroup": ("cgroup", raw), "for_each_cgroup": ("cgroups", _joined),
           "passes": ("passes", _choice(PASSES)), "repeat": ("runs", _whole),
           "repeat_until": ("precision", _number), "interval": ("interval", _time),
           "interval_count": ("interval_count", _whole), "timeout": ("timeout", _time),
           "delay": ("delay", raw), "control": ("control", raw), "until": ("until", raw),
           "sample": ("sample", raw), "regions": ("regions", _flag)}
MACHINE = {"root": ("root", raw), "driver": ("driver", _choice(DRIVERS)),
           "log_registers": ("log_registers", raw), "replay": ("replay", raw),
           "helper": ("helper", raw), "journal": ("journal", raw), "force": ("force", _flag),
           "threads": ("threads", raw), "kernel_accesses": ("no_kernel_accesses", _not),
           "features": ("host_features", _choice({"fixed": 0, "host": 1})),
           "turn": ("turn", _whole)}


def _fill(options, table, given):
    """Takes from `given` what the table names, and writes it to the struct."""
    options.size = ctypes.sizeof(options)
    for keyword, (member, read) in table.items():
        value = given.pop(keyword, None)
        if value is not None:
            setattr(options, member, read(value, keyword))


def _texts(values, what):
    return (ctypes.c_char_p * (len(values) + 1))(*[raw(value, what) for value in values])


class _Calls:
    """What the library calls meanwhile. An exception must not leave a call: it ends the measurement,
    and is raised when the library has returned. That of Ctrl-C would come before the first line of
    a call; so until then its handler is ours, which raises nothing."""

    def __init__(self, options, work, in_intervals):
        self.work, self.intervals, self.raised, self.handler = work, [], None, None
        options.progress = Progress(self._progress)
        if in_intervals:
            options.at_interval = AtInterval(self._at_interval)

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler):
                self.handler = handler
                signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_):
        if self.handler:
            signal.signal(signal.SIGINT, self.handler)

    def _interrupt(self, number, frame):
        self.raised = KeyboardInterrupt()

    def raise_it(self):
        """What was raised meanwhile; a handler of the program's own comes first."""
        if isinstance(self.raised, KeyboardInterrupt) and self.handler:
            self.handler(signal.SIGINT, None)
        if self.raised is not None:
            raise self.raised

    def _progress(self, _context, _accesses):
        return self.raised is None

    def _at_interval(self, _context, interval, _error):
        try:
            result = Result(interval, self.work)
            result._of = None  # it is the library's, and ends with this call
            self.intervals.append(result)
        except Exception as error:  # pylint: disable=broad-except
            self.raised = error
        return 0


def _work_of(program, given):
    if program is not None:
        return shlex.join(os.fsdecode(word) for word in program)
    for kind in ("workload", "trace", "replay"):
        if given.get(kind) is not None:
            return f"{kind} '{os.fsdecode(given[kind])}'"
    return "this machine"


def count(program=None, *, machine=None, region=None, **options):
    """Counts while a program, a list of words, or a workload runs; returns a Result.

        count(["sort", "FILE"], machine="virtual:skl", events="DRAM_DATA_READS")
        count(workload="stream,size=1M", machine="virtual:ivbep", metrics=["dram_bytes"])

    The other arguments are the options of `boxscore stat`: events, metrics, workload, trace, pid,
    tid, all_cpus, cpu, cgroup, for_each_cgroup, passes, repeat, repeat_until, interval,
    interval_count, timeout, delay, control, until, sample, regions; of the machine root, driver,
    log_registers, replay, helper, journal, force, threads, kernel_accesses, features, turn. Lists may be lists of Python, times
    are in seconds. `region`: a name, or a list of them, inside which alone is counted.

    Error: the library refuses it. A program that fails is no error: look at exit_status.
    """
    if isinstance(program, (str, bytes)):
        raise TypeError("a program is a list of words: ['sort', 'FILE']")
    if program is not None and not program:
        raise ValueError("the program has no words")
    work = _work_of(program, options)
    how, what = MachineOptions(), MeasureOptions()
    in_intervals = options.get("interval") is not None or options.get("sample") is not None
    _fill(how, MACHINE, options)
    _fill(what, MEASURE, options)
    if options:
        raise TypeError(f"count() has no argument {next(iter(options))!r}")
    if what.runs == 0:
        what.runs = 1 if not what.precision else 0
    if program is not None:
        what.program = _texts(program, "a word of the program")
    if region is not None:
        names = [region] if isinstance(region, str) else list(region)
        what.inside, what.inside_n = _texts(names, "a region's name"), len(names)
    calls, to = _Calls(what, work, in_intervals), ctypes.c_void_p()
    with calls:
        try:
            call(_library.measure, catalog, raw(machine, "machine"), ctypes.byref(how),
                 ctypes.byref(what), ctypes.byref(to))
        except _library.Error:
            if calls.raised is None:
                raise
    if calls.raised is not None:
        _library.result_free(to)
        calls.raise_it()
    result = Result.owning(to, work)
    result.intervals = calls.intervals
    return result


class Part:
    """What part() counts. `result` is there when the block has ended."""

    result = None


@contextlib.contextmanager
def part(events=None, *, metrics=None, machine="host", **options):
    """Counts a part of this program on the host, or on the machine of a stage:

        with boxscore.part("page-faults") as counted:
            work()
        counted.result["page-faults"]

    Events that follow a program follow this thread; those outside the cores are the whole
    machine's. To try it without the hardware: `boxscore stage -w stream -- python3 FILE`.
    """
    how, opened, to = MachineOptions(), ctypes.c_void_p(), ctypes.c_void_p()
    _fill(how, MACHINE, options)
    if options:
        raise TypeError(f"part() has no argument {next(iter(options))!r}")
    call(_library.machine_open, catalog, raw(machine, "machine"), ctypes.byref(how),
         ctypes.byref(opened))
    counted = Part()
    try:
        call(_library.measure_begin, opened, _joined(events, "events"),
             _joined(metrics, "metrics"), ctypes.byref(to))
        try:
            yield counted
            call(_library.measure_end, to)
        except BaseException:
            _library.result_free(to)
            raise
        counted.result = Result.owning(to, "a part of this program")
    finally:
        _library.machine_close(opened)


@contextlib.contextmanager
def region(name):
    """Marks a region, as boxscore/region.h does: for `boxscore stat --regions -- python3 FILE`.

        with boxscore.region("solve"):
            solve()

    It is a decorator, too. Where nobody counts, it does nothing. The name must be the same at both
    ends; regions may nest. docs/reference/regions.md has the rules.
    """
    marked = raw(name, "a region's name")
    _library.region_begin(marked)
    try:
        yield
    finally:
        _library.region_end(marked)
