"""The quantities of the validation, each measured on a virtual machine by boxscore's counts.

Times are ns, bandwidths GB/s (10^9 bytes of the program's arrays a second)."""

import functools
import os
import random
import re
import subprocess
import tempfile

import machine as machines

LINE = 64
LOOPS = os.environ.get("LOOPS", "build/tests/validate/validate_loops")
PAGES = os.environ.get("PAGES", "build/tests/validate/validate_pages")
OPERATION_BYTES = {"stream": 3 * 8, "copy": 2 * 8}

# A workload's arrays are larger than all last-level caches.
ARRAYS = {"skl": "16M", "ivbep": "32M", "nhmex": "48M"}
CLOCK = {"skl": "UNC_CLOCK:SOCKET", "ivbep": "UNC_C_CLOCKTICKS", "nhmex": "FIXED_UNCORE_CLOCK", "p6": "CPU_CLK_UNHALTED"}
# Lines read from memory, and lines written to it.
MEMORY = {
    "skl": ("DRAM_DATA_READS", "DRAM_DATA_WRITES"),
    "ivbep": ("UNC_C_TOR_INSERTS:MISS_LOCAL", "UNC_C_TOR_INSERTS:MISS_REMOTE", "UNC_C_LLC_VICTIMS:STATE_M"),
    "nhmex": ("FVC:BBOX_CMDS.READS", "IMT_INSERTS_WR"),
}
# The occupancy of requests to memory of the own package and of others, and the number of requests.
NODES = {
    "ivbep": {
        "local": ("UNC_C_TOR_OCCUPANCY:MISS_LOCAL", "UNC_C_TOR_INSERTS:MISS_LOCAL"),
        "remote": ("UNC_C_TOR_OCCUPANCY:MISS_REMOTE", "UNC_C_TOR_INSERTS:MISS_REMOTE"),
    },
    "nhmex": {
        "local": ("REQ_TBL_OCCUPANCY:LOCAL", "TO_R_B_REQUESTS:LOCAL"),
        "remote": ("REQ_TBL_OCCUPANCY:REMOTE", "TO_R_B_REQUESTS:REMOTE"),
    },
}


def in_bytes(size):
    """64K: 65536."""
    return int(size.rstrip("KM")) * {"K": 1 << 10, "M": 1 << 20}.get(size[-1], 1)


# Four times all caches of the parts: what is larger is measured in the first pass.
FAR_LARGER = {"p6": 1 << 20, "skl": 24 << 20, "ivbep": 48 << 20, "nhmex": 96 << 20}


def run(machine, events, workload):
    return machines.stat(machine, events, "-w", workload)


def passes(machine, events, workload, n):
    """The counts and time that n passes add after a first one, which found the caches empty."""
    first, begun = run(machine, events, f"{workload},passes=1")
    all_of_them, ended = run(machine, events, f"{workload},passes={1 + n}")
    return [last - before for last, before in zip(all_of_them, first)], ended - begun


def clock(machine):
    return [CLOCK[machines.model(machine)]]


def latency(machine, size):
    """The time from load to use. Each load waits for the one before; lines are in a random order."""
    loads = in_bytes(size) // LINE
    n = max(1, min(256, (1 << 18) // loads))
    return passes(machine, clock(machine), f"chase,size={size}", n)[1] / (n * loads)


def memory_latency(machine, size):
    """The same for lines that no cache holds: only the first pass."""
    return run(machine, clock(machine), f"chase,size={size},passes=1")[1] / (in_bytes(size) // LINE)


def order_latency(machine, order, size, stride):
    """The time of a load that waits for the one before, of every stride-th byte, in an order of `chase`.
    What is far larger than all caches is measured in the first pass."""
    loads = in_bytes(size) // in_bytes(stride)
    workload = f"chase,size={size},stride={stride},order={order}"
    if in_bytes(size) > FAR_LARGER[machines.model(machine)]:
        return run(machine, clock(machine), f"{workload},passes=1")[1] / loads
    n = max(1, min(1024, (1 << 15) // loads))
    return passes(machine, clock(machine), workload, n)[1] / (n * loads)


def handover(machine):
    """The time until a core sees another core's store and can store to the line itself. It is a load
    of a modified line, and an upgrade. An upgrade takes as long as a load of a line that another core
    has clean."""
    return transfer(machine, "M") + transfer(machine, "E")


def node_latency(machine, size, node):
    """The latency of memory of the own package, or of others. It is the mean latency, corrected by the
    difference between the requests to that node and all requests, as the package's boxes count it."""
    model = machines.model(machine)
    loads = in_bytes(size) // LINE
    events = [event for pair in NODES[model].values() for event in pair]
    counts, time = run(machine, events, f"chase,size={size},passes=1")
    requests = dict(zip(NODES[model], (counts[:2], counts[2:])))
    mean = (counts[0] + counts[2]) / (counts[1] + counts[3])
    longer = requests[node][0] / requests[node][1] - mean
    return time / loads + longer * machines.cycle(machine)


def package_latency(machine, core, memory):
    """The same from a package to the memory of a package."""
    return node_latency(machine, "64M", "local" if core == memory else "remote")


@functools.lru_cache
def loads_under_way(machine):
    """Bandwidths of a package's cores and the latencies of their reads of memory, with few and many requests at
    once, in the order of bandwidths. A request's time is what the package's boxes count, and what the load takes
    beside it if nothing else is under way."""
    at = f"{machine},packages=1"
    works = [f"chase,size=32M,passes=1,cores={n}" for n in (1, 2, 5, 10)]
    works += [f"random,size=64M,write=0,iterations=20000,cores={n}" for n in range(1, 11)]
    runs = [run(at, NODES[machines.model(machine)]["local"], work) for work in works]
    waits = [occupancy / requests * machines.cycle(at) for (occupancy, requests), _ in runs]
    beside = memory_latency(at, "32M") - waits[0]
    return sorted((requests * LINE / time, wait + beside) for ((_, requests), time), wait in zip(runs, waits))


def loaded_latency(machine, highest, bandwidth_then, _):
    """The latency of memory while all cores read, at the same share of the highest bandwidth as in the source.
    Between two points of the model it is taken as on a line."""
    points = loads_under_way(machine)
    at = float(bandwidth_then) / float(highest) * points[-1][0]
    for (low, short), (high, long) in zip(points, points[1:]):
        if at <= high:
            return short + (long - short) * max(0, at - low) / (high - low)
    return points[-1][1]


def bandwidth(machine, operation, cores):
    """Bytes of its arrays that a built-in workload uses in a second."""
    size = ARRAYS[machines.model(machine)]
    time = passes(machine, clock(machine), f"{operation},size={size},cores={cores}", 1)[1]
    return in_bytes(size) // 8 * OPERATION_BYTES[operation] / time


def loop_bandwidth(machine, loop, threads):
    """The same for a program with threads, tests/validate/loops.c. The arrays exceed all caches."""
    total = {"skl": 48, "ivbep": 96, "nhmex": 96}[machines.model(machine)]
    mebibytes = total if loop == "read" else total // 3
    work = [["--kernel-accesses", "off", "--", LOOPS, loop, str(threads), str(mebibytes), n] for n in ("1", "2")]
    times = [machines.stat(machine, clock(machine), *one)[1] for one in work]
    arrays = 1 if loop == "read" else 3
    return arrays * (mebibytes << 20) / (times[1] - times[0])


# Accesses of a kernel for each 8 bytes of its arrays, as kerncraft's machine files count them: update and
# daxpy read and write one array.
KERNELS = {"load": (1, 1), "load_only": (1, 1), "copy": (2, 2), "update": (1, 2), "daxpy": (2, 3), "vector_triad": (4, 4)}


def kernel_bandwidth(machine, loop, threads, size, times_as_many=3):
    """Bytes that a loop of 32-byte accesses loads and stores in a second, in arrays of `size` in all."""
    arrays, accesses = KERNELS[loop]
    kib = (in_bytes(size) >> 10) // arrays
    # Threads begin one after the other: until that does not show, several need more passes.
    few = max(1, (512 << 10 if threads == 1 else threads << 22) // in_bytes(size))
    work = [["--kernel-accesses", "off", "--", LOOPS, loop, str(threads), f"{kib}K", str(n)] for n in (few, times_as_many * few)]
    times = [machines.stat(machine, clock(machine), *one)[1] for one in work]
    elements = ((kib << 10) // 16 // threads & ~7) * threads * 2
    return accesses * 8 * elements * (times_as_many - 1) * few / (times[1] - times[0])


# The sizes of kerncraft's machine files, as near as arrays of the loops come; its arrays in memory are larger.
OF_A_CORE, OF_ALL = {"L1": 20, "L2": 168}, {"L3": "16M", "memory": "48M"}


def level_bandwidth(machine, level, loop, cores):
    """The same in arrays that a level of the caches holds."""
    size = OF_ALL.get(level) or f"{OF_A_CORE[level] * int(cores)}K"
    return kernel_bandwidth(machine, loop, int(cores), size, 2 if level in OF_ALL else 3)


TRAFFIC = {"mixed_1": 2, "mixed_2": 3 / 2, "mixed_3": 4 / 3}  # lines read and written, for each that is used


def mixed_bandwidth(machine, loop, threads):
    """Bytes moved to and from memory in a second, as the loop's lines have it. The array exceeds all caches."""
    work = [["--kernel-accesses", "off", "--", LOOPS, loop, str(threads), "96", n] for n in ("1", "2")]
    times = [machines.stat(machine, clock(machine), *one)[1] for one in work]
    return TRAFFIC[loop] * (96 << 20) / (times[1] - times[0])


def mix(machine, loop, _):
    """The bandwidth of memory of all 20 cores, for a loop that reads, or reads and stores."""
    return (mixed_bandwidth if loop in TRAFFIC else loop_bandwidth)(machine, loop, 20)


def bytes_per_cycle(machine, loop, size):
    """The same in bytes a cycle."""
    return kernel_bandwidth(machine, loop, 1, size) * machines.cycle(machine)


def round_time(machine, loop):
    """The time of a round of a loop of instructions."""
    work = [["--kernel-accesses", "off", "--", LOOPS, loop, "1", "64K", n] for n in ("1", "3")]
    times = [machines.stat(machine, clock(machine), *one)[1] for one in work]
    return (times[1] - times[0]) / (2 * (64 << 10) // 16)


def locked_addition(machine):
    """The time of a locked addition of a thread to a word of its own: tests/validate/loops.c."""
    work = [["--kernel-accesses", "off", "--", LOOPS, "locked", "1", "1", n] for n in ("1", "3")]
    times = [machines.stat(machine, clock(machine), *one)[1] for one in work]
    return (times[1] - times[0]) / (2 * (1 << 20) // 16)


OF_ELEMENTS = {"shared": 1, "beside": 1, "mutex": 16}  # an operation of tests/validate/loops.c


def contended(machine, loop, threads):
    """The time of one operation of a thread while all threads fight for a line: tests/validate/loops.c. Of
    `swap`, it is the time one way: an operation of each of the two threads is there and back."""
    threads = int(threads)
    work = [["--kernel-accesses", "off", "--", LOOPS, loop, str(threads), "1", n] for n in ("1", "2")]
    times = [machines.stat(machine, clock(machine), *one)[1] for one in work]
    operations = ((1 << 20) // 16 // threads & ~3) / OF_ELEMENTS.get(loop, 4)
    return (times[1] - times[0]) / operations / (2 if loop == "swap" else 1)


@functools.lru_cache
def swap(machine):
    return contended(machine, "swap", 2)


def swap_between(machine, _one, _other):
    """The time one way between any two CPUs: the cores of the model are as far from each other."""
    return swap(machine)


def traffic(machine, operation):
    """Bytes moved to and from memory for each byte that the loop uses. The workload uses one element of
    each line, which stands for all of them."""
    size = "32M"
    moved = passes(machine, MEMORY[machines.model(machine)], f"{operation},size={size},stride=64", 1)[0]
    return sum(moved) * LINE / (in_bytes(size) // 8 * OPERATION_BYTES[operation])


LOOP_ARRAYS = {"read": 1, "mixed_1": 1, "store_nt": 1, "copy": 2, "copy_nt": 2, "daxpy": 2, "daxpy_nt": 2, "dot": 2, "triad": 3, "triad_nt": 3,
               "vector_triad": 4, "vector_triad_nt": 4}


def loop_traffic(machine, loop):
    """The same for a program: for each byte of its arrays."""
    mebibytes = 16
    work = [["--kernel-accesses", "off", "--", LOOPS, loop, "1", str(mebibytes), n] for n in ("2", "4")]
    before, after = (sum(machines.stat(machine, MEMORY[machines.model(machine)], *one)[0]) for one in work)
    return (after - before) * LINE / (2 * LOOP_ARRAYS[loop] * (mebibytes << 20))


def takeovers(machine, threads):
    """Modified lines that a core takes from another one, for each locked addition to a common word."""
    work = [["--kernel-accesses", "off", "--", LOOPS, "shared", str(threads), "1", n] for n in ("1", "2")]
    before, after = (machines.stat(machine, ["UNC_CBO_XSNP_RESPONSE:HITM_XCORE"], *one)[0][0] for one in work)
    return (after - before) / (((1 << 20) // 16 // threads & ~3) * threads)


# ---- pages ----


def of_pages(machine, case, events, sizes, *options):
    """The counts that the larger size adds: tests/validate/pages.c."""
    before, after = (machines.stat(machine, events, *options, "--", PAGES, case, str(size))[0] for size in sizes)
    return [last - first for first, last in zip(before, after)]


def lines_of_pages(machine, case, which):
    """Lines that 16 MiB of pages move from memory ("reads") or to it."""
    return of_pages(machine, case, [MEMORY[machines.model(machine)][which != "reads"]], (16, 32))[0]


def dropped_or_unmapped(machine):
    """Lines read from memory by a program that gives pages back by madvise(), for each that one with
    munmap() reads."""
    reads = MEMORY[machines.model(machine)][:1]
    return machines.stat(machine, reads, "--", PAGES, "drop", "16")[0][0] / machines.stat(machine, reads, "--", PAGES, "unmap", "16")[0][0]


def local_share(machine):
    """The share of reads of memory that are from the own package's, of a program with one thread."""
    nodes = NODES[machines.model(machine)]
    events = [nodes["local"][1], nodes["remote"][1]]
    counts = machines.stat(machine, events, "--kernel-accesses", "off", "--", PAGES, "own", "64")[0]
    return counts[0] / sum(counts)


def transfer(machine, state):
    """The time from load to use of a line that one or more other cores hold in this state. These cores
    must have loaded their lines in time, so they have no window. Lines are used in order. No prefetcher
    asks for them, as in the published measurements."""
    cores = 3 if state == "S" else 2
    times = [run(f"{machine},window=0,prefetch=off", clock(machine), f"transfer,size={size},state={state},cores={cores}")[1] for size in ("64K", "128K")]
    return (times[1] - times[0]) / ((64 << 10) // LINE)


def remote_transfer(machine):
    """The time from load to use of a line that the core of another package has modified. Every second
    line is used, so that no line of the LLC was asked for with the one before it."""
    one_core = f"{machine},cores=1,window=0,prefetch=off"
    times = [run(one_core, clock(machine), f"transfer,size={size},state=M,stride=128")[1] for size in ("64K", "128K")]
    return (times[1] - times[0]) / ((64 << 10) // 128)


def modified_elsewhere(machine, _home, _writer):
    """The same for each home and each direction: the model has one time."""
    return remote_transfer(machine)


def package_bandwidth(machine, core, memory):
    """The bandwidth of the cores of a package that read memory of a package."""
    return loop_bandwidth(f"{machine},packages=1", "read", 10) if core == memory else link_bandwidth(machine)


def link_bandwidth(machine):
    """The bandwidth of the cores of package 1 that read memory of package 0, whose cores have touched it
    first."""
    touched = "random,size=64M,iterations=1,cores=10"
    at = f"{machine},numa=first-touch"
    times = [run(at, [*MEMORY[machines.model(machine)][:2]], f"{touched}+random,size=64M,write=0,iterations={n},cores=10") for n in (4000, 12000)]
    (first, begun), (both, ended) = times
    return (sum(both) - sum(first)) * LINE / (ended - begun)


def hits(machine, size):
    """Two shares of loads in a random order, after all lines have been loaded once: the share that the
    private caches have, and of the other loads, the share that the last-level cache has. Prefetchers
    are off, because their lookups would be counted too."""
    loads = in_bytes(size) // LINE
    n = max(1, min(64, (1 << 16) // loads))
    events = ("UNC_CBO_CACHE_LOOKUP:READ_MESI", "UNC_CBO_CACHE_LOOKUP:READ_I")
    lookups, misses = passes(f"{machine},prefetch=off", events, f"chase,size={size}", n)[0]
    return 1 - lookups / (n * loads), 1 - misses / lookups if lookups else 1.0


def page_hits(machine, workload):
    """The share of an M-Box's accesses that found their row open."""
    events = ["PAGE_HIT", "PAGE_EMPTY", "PAGE_MISS"]
    counts, _ = run(machine, events, workload)
    return counts[0] / sum(counts)


# ---- real programs ----


def write_input(path, kilobytes):
    """Lines of words, always the same."""
    dice = random.Random(1)
    words = ["".join(dice.choices("abcdefghijklmnopqrstuvwxyz", k=dice.randint(2, 9))) for _ in range(4000)]
    with open(path, "w", encoding="ascii") as file:
        while file.tell() < kilobytes << 10:
            file.write(" ".join(dice.choices(words, k=8)) + "\n")


PROGRAMS = {
    "gzip": ["gzip", "-c"],
    "sort": ["sort", "--parallel=1", "-S", "64M", "-o", "/dev/null"],
}


def cachegrind(command, llc):
    """Misses of the last-level cache of the program's loads, stores and fetches."""
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null"]
    sizes = ["--I1=32768,8,64", "--D1=32768,8,64", f"--LL={llc},16,64"]
    done = subprocess.run(tool + sizes + command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          check=True, env={"LC_ALL": "C", "PATH": os.environ["PATH"]})
    return int(re.search(r"LL misses: +([0-9,]+)", done.stderr).group(1).replace(",", ""))


def program(machine, name, kilobytes, llc):
    """Lines that a program reads from memory, and cachegrind's misses, with a last-level cache of
    llc bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "input")
        write_input(path, kilobytes)
        command = PROGRAMS[name] + [path]
        reads = machines.stat(f"{machine},llc={llc}", [MEMORY["skl"][0]], "--kernel-accesses", "off", "--", "env",
                              "LC_ALL=C", *command)[0][0]
        return reads, cachegrind(command, in_bytes(llc))
