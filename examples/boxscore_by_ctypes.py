"""encode.c and describe.c in Python, by ctypes. No struct is copied.

    python3 boxscore_by_ctypes.py encode skl UNC_CBO_CACHE_LOOKUP:ANY_I
    python3 boxscore_by_ctypes.py describe skl
"""
import ctypes
import sys

library = ctypes.CDLL("libboxscore.so.0")

# enum bx_entry_type and enum bx_entry_text of boxscore.h
CPU, PMU = 1, 2
NAME, TITLE = 0, 1


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


def print_registers(cpu, event):
    encoding, error = pointer(), error_new()
    try:
        if encode(catalog, cpu.encode(), event.encode(), ctypes.byref(encoding), error):
            sys.exit(error_message(error).decode())
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


if len(sys.argv) == 4 and sys.argv[1] == "encode":
    print_registers(*sys.argv[2:])
elif len(sys.argv) == 3 and sys.argv[1] == "describe":
    print_pmus(sys.argv[2])
else:
    sys.exit(__doc__)
