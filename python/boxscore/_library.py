"""The functions of libboxscore, as include/boxscore/boxscore.h and measure.h declare them."""

import ctypes
import os
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint64, c_void_p

try:
    _library = ctypes.CDLL("libboxscore.so.0", use_errno=True)
except OSError as error:
    raise ImportError(f"{error}: install the package libboxscore0, or run `sudo ldconfig` after "
                      "`sudo make install`") from None

ANY = -1     # BX_ANY
SCALED = 1   # enum bx_state: a value with a greater state is no count


class MachineOptions(ctypes.Structure):
    """bx_machine_options. `size` tells the library which members there are."""
    _fields_ = [("size", c_size_t), ("root", c_char_p), ("driver", c_uint),
                ("log_registers", c_char_p), ("replay", c_char_p), ("helper", c_char_p),
                ("journal", c_char_p), ("force", c_bool), ("threads", c_char_p),
                ("no_kernel_accesses", c_uint), ("host_features", c_uint), ("turn", c_uint64)]


AtInterval = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)
Progress = ctypes.CFUNCTYPE(c_bool, c_void_p, c_uint64)


class MeasureOptions(ctypes.Structure):
    """bx_measure_options."""
    _fields_ = [("size", c_size_t), ("events", c_char_p), ("metrics", c_char_p),
                ("workload", c_char_p), ("program", POINTER(c_char_p)), ("trace", c_char_p),
                ("processes", c_char_p), ("threads", c_char_p), ("all_cpus", c_bool),
                ("cpus", c_char_p), ("passes", c_uint), ("runs", c_uint64),
                ("precision", c_double), ("interval", c_uint64), ("interval_count", c_uint64),
                ("no_intervals", c_bool), ("timeout", c_uint64), ("delay", c_char_p),
                ("control", c_char_p), ("until", c_char_p), ("sample", c_char_p),
                ("regions", c_bool), ("inside", POINTER(c_char_p)), ("inside_n", c_size_t),
                ("at_interval", AtInterval), ("progress", Progress), ("context", c_void_p),
                ("cgroup", c_char_p), ("cgroups", c_char_p)]


def _function(name, result, *arguments):
    function = getattr(_library, name)
    function.restype, function.argtypes = result, arguments
    return function


_pointer, _text, _index, _out = c_void_p, c_char_p, c_size_t, POINTER(c_void_p)

_error_new = _function("bx_error_new", _pointer)
_error_free = _function("bx_error_free", None, _pointer)
_error_code = _function("bx_error_code", c_int, _pointer)
_error_at = _function("bx_error_at", c_size_t, _pointer)
_error_length = _function("bx_error_length", c_size_t, _pointer)
_error_in = _function("bx_error_in", _text, _pointer)
_error_message = _function("bx_error_message", _text, _pointer)
_error_hint = _function("bx_error_hint", _text, _pointer)
_machine_string = _function("bx_machine_string", c_size_t, _pointer, _index, _pointer, c_size_t)
_workload_name = _function("bx_workload_name", _text, _index)
_workload_title = _function("bx_workload_title", _text, _index)

catalog = _function("bx_catalog_builtin", _pointer)()
machine_open = _function("bx_machine_open_with", c_int, _pointer, _text, POINTER(MachineOptions),
                         _out, _pointer)
machine_close = _function("bx_machine_close", None, _pointer)
measure = _function("bx_measure", c_int, _pointer, _text, POINTER(MachineOptions),
                    POINTER(MeasureOptions), _out, _pointer)
measure_begin = _function("bx_measure_begin", c_int, _pointer, _text, _text, _out, _pointer)
measure_end = _function("bx_measure_end", c_int, _pointer, _pointer)
region_begin = _function("bx_region_begin", None, _text)
region_end = _function("bx_region_end", None, _text)

result_free = _function("bx_result_free", None, _pointer)
result_save = _function("bx_result_save", c_int, _pointer, _text, _pointer)


class ResultFunctions:
    """The functions bx_result_NAME() that tell of a whole result, or of its i-th value or metric."""
    machine = _function("bx_result_machine", _text, _pointer)
    seconds = _function("bx_result_seconds", c_double, _pointer)
    ended = _function("bx_result_ended", c_double, _pointer)
    runs = _function("bx_result_runs", c_uint64, _pointer)
    exit_status = _function("bx_result_exit_status", c_int, _pointer)
    remark = _function("bx_result_remark", _text, _pointer, _index)
    values = _function("bx_result_values", c_size_t, _pointer)
    is_sum = _function("bx_result_is_sum", c_bool, _pointer, _index)
    event = _function("bx_result_event", _text, _pointer, _index)
    where = _function("bx_result_where", _text, _pointer, _index)
    package = _function("bx_result_package", c_int, _pointer, _index)
    unit = _function("bx_result_unit", c_int, _pointer, _index)
    thread = _function("bx_result_thread", c_int, _pointer, _index)
    cpu = _function("bx_result_cpu", c_int, _pointer, _index)
    state = _function("bx_result_state", c_int, _pointer, _index)
    state_text = _function("bx_result_state_text", _text, _pointer, _index)
    value = _function("bx_result_value", c_uint64, _pointer, _index)
    counts = _function("bx_result_counts", _text, _pointer, _index)
    share = _function("bx_result_share", c_double, _pointer, _index)
    error = _function("bx_result_error", c_double, _pointer, _index)
    mean = _function("bx_result_mean", c_double, _pointer, _index)
    confidence = _function("bx_result_confidence", c_double, _pointer, _index)
    metrics = _function("bx_result_metrics", c_size_t, _pointer)
    metric = _function("bx_result_metric", _text, _pointer, _index)
    metric_where = _function("bx_result_metric_where", _text, _pointer, _index)
    metric_package = _function("bx_result_metric_package", c_int, _pointer, _index)
    metric_unit = _function("bx_result_metric_unit", _text, _pointer, _index)
    metric_value = _function("bx_result_metric_value", c_bool, _pointer, _index, POINTER(c_double))
    metric_state = _function("bx_result_metric_state", _text, _pointer, _index)
    metric_error = _function("bx_result_metric_error", c_double, _pointer, _index)
    region = _function("bx_result_region", _pointer, _pointer, _index)
    region_name = _function("bx_result_region_name", _text, _pointer)
    region_thread = _function("bx_result_region_thread", c_uint, _pointer)
    region_entered = _function("bx_result_region_entered", c_uint64, _pointer)


def text(raw):
    """A text of the library. Names that programs choose need not be UTF-8."""
    return (raw or b"").decode("utf-8", "replace")


def raw(value, what):
    """A text for the library; None stays None."""
    if value is None:
        return None
    if not isinstance(value, (str, bytes)) and not hasattr(value, "__fspath__"):
        raise TypeError(f"{what} is {type(value).__name__}, not a text")
    encoded = os.fsencode(value)
    if b"\0" in encoded:
        raise ValueError(f"{what} contains a NUL character")
    return encoded


class Error(Exception):
    """What the library refuses, with the hint what to try.

    code: a number of enum bx_code. argument, at, length: the text at fault and the bytes in it;
    "", 0, 0 if none is.
    """

    def __init__(self, code, message, hint="", argument="", at=0, length=0):
        super().__init__(f"{message}\nhint: {hint}" if hint else message)
        self.code, self.message, self.hint = code, message, hint
        self.argument, self.at, self.length = argument, at, length


def call(function, *arguments):
    """Calls a function whose last argument is an error; raises Error if it fails."""
    error = _error_new()
    if not error:
        raise MemoryError("libboxscore")
    try:
        code = function(*arguments, error)
        if code:
            raise Error(code, text(_error_message(error)), text(_error_hint(error)),
                        text(_error_in(error)), _error_at(error), _error_length(error))
    finally:
        _error_free(error)


def machines():
    """The machine strings that there are, such as "virtual:skl"; the last is "host"."""
    found, room = [], ctypes.create_string_buffer(256)
    while _machine_string(catalog, len(found), room, len(room)):
        found.append(room.value.decode())
    return found


def workloads():
    """The built-in workloads: a dictionary of their names and what they do."""
    found = {}
    while (name := _workload_name(len(found))) is not None:
        found[name.decode()] = text(_workload_title(len(found)))
    return found
