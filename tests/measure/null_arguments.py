"""Calls every function of the library's headers with NULL, 0, huge numbers and odd texts in place of each of its
arguments, one after another, and of all. No call may crash; each returns an error or a harmless
value. The functions and their arguments are read from the header, so a new one cannot be forgotten.

usage: null_arguments.py SOURCE_ROOT LIBRARY"""
import ctypes
import os
import re
import signal
import sys

ROOT, LIBRARY = sys.argv[1:3]
HUGE = 2**64 - 1


def prototypes():
    text = "".join(open(f"{ROOT}/include/boxscore/{header}", encoding="utf-8").read()
                   for header in ("boxscore.h", "measure.h"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for found in re.finditer(r"BX_API\s+([^;(]*?)(\w+)\(([^;]*?)\);", text):
        result, name, arguments = (re.sub(r"\s+", " ", part).strip() for part in found.groups())
        yield name, result, [] if arguments == "void" else [a.strip() for a in arguments.split(",")]


def exported():
    text = open(f"{ROOT}/src/boxscore.map", encoding="utf-8").read()
    return set(re.findall(r"^\s+(bx_\w+);", text, flags=re.M))


lib = ctypes.CDLL(LIBRARY)


def typed(result):
    if "*" in result:
        return ctypes.c_void_p
    return {"double": ctypes.c_double, "bool": ctypes.c_bool, "void": None}.get(result, ctypes.c_uint64)


class Objects:
    """One valid object of each type. They are made once; each call has its own copy, by fork."""

    def __init__(self):
        out = ctypes.c_void_p()
        n = ctypes.c_size_t()
        done = ctypes.c_bool()
        catalog = self.call("bx_catalog_builtin")
        self.error = ctypes.create_string_buffer(4096)
        self.made = {"bx_catalog": catalog}

        def make(name, type_, *arguments):
            assert self.call(name, *arguments, ctypes.byref(out), None) == 0, name
            self.made[type_] = out.value

        make("bx_machine_open", "bx_machine", catalog, b"virtual:skl,part=plain,cores=2,llc=1M")
        machine = self.made["bx_machine"]
        make("bx_encode", "bx_encoding", catalog, b"skl", b"UNC_CBO_CACHE_LOOKUP:ANY_I")
        make("bx_measure_workload", "bx_result", machine, b"UNC_CBO_CACHE_LOOKUP:ANY_I", None,
             b"stream,size=64K")
        self.made["bx_decoding"] = self.call("bx_decoding_new", catalog, b"skl", None)
        self.made["bx_evsel"] = ctypes.addressof(self.keep(ctypes.create_string_buffer(1 << 16)))
        assert self.call("bx_machine_events_parse", machine, b"UNC_CBO_CACHE_LOOKUP:ANY_I",
                         self.made["bx_evsel"], 1, ctypes.byref(n), None) == 0
        assert self.call("bx_session_open", machine, self.made["bx_evsel"], 1, None,
                         ctypes.byref(out), None) == 0
        self.made["bx_session"] = out.value
        assert self.call("bx_session_start", out, None) == 0
        assert self.call("bx_machine_load_workload", machine, b"stream,size=64K", None) == 0
        assert self.call("bx_session_run", out, HUGE, ctypes.byref(done), None) == 0
        assert self.call("bx_session_sample", out, None) == 0
        self.made["bx_reading"] = self.call("bx_session_readings", out, ctypes.byref(n))
        self.made["bx_error"] = self.call("bx_error_new")

    kept = []

    def keep(self, thing):
        self.kept.append(thing)
        return thing

    @staticmethod
    def call(name, *arguments):
        function = getattr(lib, name)
        function.restype = typed(RESULTS[name])
        passed = [ctypes.c_uint64(a) if isinstance(a, int) else a for a in arguments]
        return function(*passed)

    def valid(self, name, argument):
        """A valid argument, by its type and name."""
        known = {"cpu": b"skl", "space": b"msr", "spec": b"virtual:skl,part=plain", "metrics": None,
                 "workload": b"stream,size=64K", "text": b"UNC_CBO_CACHE_LOOKUP:ANY_I",
                 "event": b"UNC_CBO_CACHE_LOOKUP:ANY_I", "events": b"UNC_CBO_CACHE_LOOKUP:ANY_I",
                 "file": b"/dev/null", "name": b"skl"}
        last = re.search(r"(\w+)(\[\])?$", argument).group(1)
        if "char *const argv[]" in argument:
            return ctypes.cast(self.keep((ctypes.c_char_p * 2)(b"/nonexistent", None)),
                               ctypes.c_void_p)
        if "char *" in argument:
            if "const" not in argument:
                return self.keep(ctypes.create_string_buffer(4096))
            return self.keep(ctypes.c_char_p(known[last]))
        type_ = re.match(r"(const )?(\w+)", argument).group(2)
        if "*" in argument:
            made = "**" not in argument and self.made.get(type_)
            return made or self.keep(ctypes.create_string_buffer(1 << 16))
        if last == "len":
            return len(b"UNC_CBO_CACHE_LOOKUP:ANY_I")
        if last in ("room", "n"):
            return 1
        return 2**64 - 1 if (name, last) in (("bx_event_parse", "cpu"), ("bx_events_parse", "cpu")) else 0


def odd(argument):
    """What to try in place of an argument."""
    if "*" not in argument and "[" not in argument:
        return [0, 1, 2**15, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**63, HUGE]
    if "const char *" in argument:
        return [None, b"", b"\xff%n%s\x1b", b"x" * 100000]
    return [None]


def attempts(objects, name, arguments):
    """Lists of arguments."""
    valid = [objects.valid(name, a) for a in arguments]
    for i, argument in enumerate(arguments):
        for value in odd(argument):
            # A length that is longer than its text is the caller's own fault.
            if argument == "size_t len" and value not in (0, 1):
                value = min(value, 26)
            yield [value if j == i else v for j, v in enumerate(valid)]
            # the same, and no place for the result
            yield [value if j == i else None if "*" in a else v
                   for j, (v, a) in enumerate(zip(valid, arguments))]
    yield valid
    yield [None if "*" in a or "[" in a else 0 for a in arguments]
    yield [None if "*" in a or "[" in a else HUGE for a in arguments]


def run(objects, name, arguments):
    """Whether all attempts return. They run in one process until one crashes."""
    crashes = []
    everything = list(attempts(objects, name, arguments))
    at = 0
    while at < len(everything):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            null = os.open("/dev/null", os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(null, fd)
            signal.alarm(60)
            for i in range(at, len(everything)):
                os.write(write, i.to_bytes(4, "little"))
                # each attempt has untouched objects
                inner = os.fork()
                if inner == 0:
                    signal.alarm(20)
                    objects.call(name, *everything[i])
                    os._exit(0)
                _, status = os.waitpid(inner, 0)
                if status:
                    os._exit(1)
            os._exit(0)
        os.close(write)
        begun = b""
        while part := os.read(read, 4096):
            begun += part
        os.close(read)
        _, status = os.waitpid(child, 0)
        if status == 0:
            break
        at = int.from_bytes(begun[-4:], "little")
        crashes.append(everything[at])
        at += 1
    return crashes, len(everything)


ALL = list(prototypes())
RESULTS = {name: result for name, result, _ in ALL}
assert exported() == set(RESULTS), exported() ^ set(RESULTS)
objects = Objects()
failed = total = 0
for name, _, arguments in ALL:
    crashes, tried = run(objects, name, arguments)
    total += tried
    failed += len(crashes) > 0
    for crash in crashes[:int(os.environ.get("BX_SHOWN", "3"))]:
        print(f"{name}({', '.join(str(getattr(a, 'value', a))[:30] for a in crash)}) crashes")
print(f"{len(ALL)} functions, {total} calls, {failed} functions crash")
sys.exit(failed > 0)
