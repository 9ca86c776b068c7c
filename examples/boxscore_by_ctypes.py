"""encode.c, describe.c, decode.c and count.c in Python, by ctypes. No struct is copied.

    python3 boxscore_by_ctypes.py encode skl UNC_CBO_CACHE_LOOKUP:ANY_I
    python3 boxscore_by_ctypes.py describe skl
    python3 boxscore_by_ctypes.py decode skl 0xe01=0x20000000 0x730=0x408834
    python3 boxscore_by_ctypes.py count virtual:skl,part=plain UNC_CBO_CACHE_LOOKUP:ANY_I stream,size=1M
"""
import ctypes
import sys

library = ctypes.CDLL("libboxscore.so.0")

# enum bx_entry_type, enum bx_entry_text and enum bx_state of boxscore.h
CPU, PMU = 1, 2
NAME, TITLE = 0, 1
SCALED = 1


def function(name, result, *arguments):
    f = library[name]
    f.restype, f.argtypes = result, arguments
    return f


pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
number, entry, integer = ctypes.c_uint64, ctypes.c_uint32, ctypes.c_int

catalog = function("bx_catalog_builtin", pointer)()
error_new = function("bx_error_new", pointer)
error_message = function("bx_error_message", text, pointer)
error_free = function("bx_error_free", None, pointer)
encode = function("bx_encode", integer, pointer, text, text, ctypes.POINTER(pointer), pointer)
encoding_free = function("bx_encoding_free", None, pointer)
encoding_event = function("bx_encoding_event", text, pointer)
registers = function("bx_encoding_registers", size, pointer)
register = function("bx_encoding_register", text, pointer, size)
space = function("bx_encoding_space", text, pointer, size)
address = function("bx_encoding_address", number, pointer, size)
value = function("bx_encoding_value", number, pointer, size)
first = function("bx_entry_first", entry, pointer, entry, integer)
following = function("bx_entry_next", entry, pointer, entry)
find = function("bx_entry_find", entry, pointer, entry, integer, text)
entry_text = function("bx_entry_text", text, pointer, entry, integer)
decoding_new = function("bx_decoding_new", pointer, pointer, text, pointer)
decoding_free = function("bx_decoding_free", None, pointer)
decoding_add = function("bx_decoding_add", integer, pointer, text, number, number, pointer)
decoding_run = function("bx_decoding_run", integer, pointer, ctypes.POINTER(size), pointer)
decoding_event = function("bx_decoding_event", text, pointer, size)
machine_open = function("bx_machine_open", integer, pointer, text, ctypes.POINTER(pointer), pointer)
machine_close = function("bx_machine_close", None, pointer)
measure = function("bx_measure_workload", integer, pointer, text, text, text,
                   ctypes.POINTER(pointer), pointer)
result_free = function("bx_result_free", None, pointer)
values = function("bx_result_values", size, pointer)
event_of = function("bx_result_event", text, pointer, size)
where = function("bx_result_where", text, pointer, size)
state = function("bx_result_state", integer, pointer, size)
state_text = function("bx_result_state_text", text, pointer, size)
count_of = function("bx_result_value", number, pointer, size)
counts = function("bx_result_counts", text, pointer, size)
metrics = function("bx_result_metrics", size, pointer)
metric = function("bx_result_metric", text, pointer, size)
metric_where = function("bx_result_metric_where", text, pointer, size)
metric_unit = function("bx_result_metric_unit", text, pointer, size)
metric_value = function("bx_result_metric_value", ctypes.c_bool, pointer, size,
                        ctypes.POINTER(ctypes.c_double))


def check(code, error):
    """Ends the program with the message of a function that has failed."""
    if code:
        sys.exit(error_message(error).decode())


def print_registers(cpu, event):
    encoding, error = pointer(), error_new()
    try:
        check(encode(catalog, cpu.encode(), event.encode(), ctypes.byref(encoding), error), error)
        print(encoding_event(encoding).decode())
        for i in range(registers(encoding)):
            print(f"write {space(encoding, i).decode()} {address(encoding, i):#x} = "
                  f"{value(encoding, i):#x}  {register(encoding, i).decode()}")
    finally:
        error_free(error)
        encoding_free(encoding)


def print_pmus(cpu):
    pmu = first(catalog, find(catalog, 0, CPU, cpu.encode()), PMU)
    while pmu:
        print(f"{entry_text(catalog, pmu, NAME).decode()}: {entry_text(catalog, pmu, TITLE).decode()}")
        pmu = following(catalog, pmu)


def print_events(cpu, *read):
    """`read`: the contents that were read from MSRs, each as ADDRESS=VALUE."""
    error, n = error_new(), size()
    decoding = decoding_new(catalog, cpu.encode(), error)
    try:
        check(not decoding, error)
        for at, value_there in (word.split("=") for word in read):
            check(decoding_add(decoding, b"msr", int(at, 0), int(value_there, 0), error), error)
        check(decoding_run(decoding, ctypes.byref(n), error), error)
        for i in range(n.value):
            print(decoding_event(decoding, i).decode())
    finally:
        error_free(error)
        decoding_free(decoding)


def print_counts(machine_name, events, workload):
    machine, result, error, number_of = pointer(), pointer(), error_new(), ctypes.c_double()
    try:
        check(machine_open(catalog, machine_name.encode(), ctypes.byref(machine), error), error)
        check(measure(machine, events.encode(), None, workload.encode(), ctypes.byref(result), error),
              error)
        for i in range(values(result)):
            shown = f"{count_of(result, i)} {counts(result, i).decode()}"
            print(f"{event_of(result, i).decode()} {where(result, i).decode() or 'all'}: "
                  f"{shown if state(result, i) <= SCALED else state_text(result, i).decode()}")
        for i in range(metrics(result)):
            if not metric_where(result, i) and metric_value(result, i, ctypes.byref(number_of)):
                print(f"{metric(result, i).decode()}: {number_of.value:.2f} "
                      f"{metric_unit(result, i).decode()}")
    finally:
        error_free(error)
        result_free(result)
        machine_close(machine)


commands = {"encode": print_registers, "describe": print_pmus, "decode": print_events,
            "count": print_counts}
arguments = {"encode": 2, "describe": 1, "count": 3}
if len(sys.argv) > 2 and len(sys.argv) - 2 == arguments.get(sys.argv[1], len(sys.argv) - 2) \
        and sys.argv[1] in commands:
    commands[sys.argv[1]](*sys.argv[2:])
else:
    sys.exit(__doc__)
