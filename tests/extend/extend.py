"""Extends boxscore in a temporary copy of its sources, as docs/how-to/add-a-machine-model.md says, and
runs the result. Only what changes is compiled; all else is that of the build.
usage: extend.py SOURCE_ROOT BUILD_ROOT CASE
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

INCLUDE = re.compile(r'#include "([^"]+)"')
FLAGS = ["-std=c11", "-O0", "-D_GNU_SOURCE", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror", "-Wpedantic",
         "-Wno-missing-field-initializers"]


class Tree:
    """A copy of src/ and catalog/, and what was changed in it."""

    def __init__(self, root, build, folder):
        self.root, self.build, self.top = root, build, pathlib.Path(folder)
        self.changed = set()
        for part in ("src", "catalog"):
            shutil.copytree(root / part, self.top / part)

    def add(self, path, text):
        file = self.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        self.changed.add(path)

    def edit(self, path, before, after):
        """Puts `after` in the place of `before`, which stands there once."""
        text = (self.top / path).read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{path} has {text.count(before)} times: {before}"
        self.add(path, text.replace(before, after))

    def behind(self, path, line, more):
        self.edit(path, line, line + more)

    def to_compile(self):
        """The C files that changed, or that include what changed."""
        headers = {path[len("src/"):] for path in self.changed if path.endswith(".h")}
        files = {str(f.relative_to(self.top / "src")): set(INCLUDE.findall(f.read_text(encoding="utf-8")))
                 for f in (self.top / "src").rglob("*.[ch]")}
        while True:
            more = {f for f, includes in files.items() if f.endswith(".h") and includes & headers} - headers
            if not more:
                break
            headers |= more
        return sorted(f for f, includes in files.items() if f.endswith(".c") and
                      ("src/" + f in self.changed or includes & headers))

    def compile(self, sources):
        """Object files by the names that the build has for them."""
        paths = [self.top / "src", self.root / "include", self.root, self.build / "src", self.build]
        flags = FLAGS + [f"-I{p}" for p in paths]
        objects, running = {}, []
        for source in sources:
            made = self.top / "objects" / (source.replace("/", "_") + ".o")
            made.parent.mkdir(exist_ok=True)
            objects[made.name] = made
            running.append(subprocess.Popen(["cc", *flags, "-c", self.top / "src" / source, "-o", made]))
            if len(running) == 4:
                assert running.pop(0).wait() == 0, "does not compile"
        assert all(process.wait() == 0 for process in running), "does not compile"
        return objects

    def link(self, target, objects, more=()):
        """Links a program of the build, with these objects in place of its own."""
        command = subprocess.run(["ninja", "-C", self.build, "-t", "commands", target], check=True,
                                 capture_output=True, text=True).stdout.splitlines()[-1].split()
        program = self.top / pathlib.Path(target).name
        at = command.index("-o")
        command[at + 1] = str(program)
        compiler = "catalogc" in target  # boxscore has its output only
        own = {name: str(path) for name, path in objects.items() if compiler or not name.startswith("compile_")}
        rest = []
        for word in command[at + 2:]:
            name = word.rpartition("/")[2]
            if word.endswith(".o"):
                name = next((o for o in own if o in (name, "compile_" + name, name.removeprefix(".._"))), None)
                if name and "catalogc" in word:
                    word = own[name]
            rest.append(word)
        if compiler:
            own = {}
        subprocess.run([*command[:at + 2], *own.values(), *more, *rest], cwd=self.build, check=True)
        return program

    def make(self):
        """boxscore with what was changed."""
        objects = self.compile(self.to_compile())
        catalogc = self.build / "src" / "compile" / "catalogc"
        if any(path.startswith(("src/catalog/", "src/compile/")) and path.endswith((".c", ".h")) for path in self.changed):
            catalogc = self.link("src/compile/catalogc", objects)
        more = []
        if any(path.startswith("catalog/") for path in self.changed):
            blob = self.top / "catalog.c"
            subprocess.run([catalogc, self.top / "catalog", blob, self.top / "catalog.d"], check=True)
            more = [self.top / "catalog.o"]
            subprocess.run(["cc", "-std=c11", "-fPIC", "-O0", "-c", blob, "-o", more[0], f"-I{self.top / 'src'}",
                            f"-I{self.root / 'include'}"], check=True)
        self.program = self.link("boxscore", objects, more)

    def count(self, machine, event, workload):
        run = subprocess.run([self.program, "stat", "-j", "--machine", "virtual:" + machine, "-e", event,
                              "--workload", workload], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        values = [json.loads(line) for line in (run.stdout + run.stderr).splitlines() if line.startswith("{")]
        return sum(int(float(v["counter-value"])) for v in values if "event" in v)

    def sources(self):
        return sorted(p for p in self.changed if p.startswith(("src/", "catalog/")))


RANDOM = """/* The way that a sequence of pseudo-random numbers says; a fill takes the next number. */
#include "model/part/replacement_state.h"

static unsigned random_bits(unsigned ways)
{
    (void)ways;
    return 16;
}

static void random_power_on(const struct bx_replacement *r, uint8_t *set)
{
    bx_state_put(r, set, 1);
}

static void random_use(const struct bx_replacement *r, uint8_t *set, unsigned way, bool fill)
{
    uint64_t state = bx_state_of(r, set);

    (void)way;
    for (unsigned i = 0; fill && i < 5; i++) /* a linear feedback shift register of maximal period */
        state = state >> 1 ^ (state & 1 ? 0xb400 : 0);
    bx_state_put(r, set, state);
}

static unsigned random_victim(const struct bx_replacement *r, const uint8_t *set)
{
    return (unsigned)(bx_state_of(r, set) % r->ways);
}

const struct bx_policy bx_policy_random = {
    .name = "RANDOM",
    .bits = random_bits,
    .power_on = random_power_on,
    .use = random_use,
    .victim = random_victim,
    .settles = true,
};
"""


def policy(tree):
    """A replacement policy is a file, a row of the list, and a line for the build. Of lines in a cycle that
    are a few more than there is room, LRU keeps none that is used again; random ones are kept."""
    tree.add("src/model/part/replacement_random.c", RANDOM)
    tree.behind("src/catalog/policies.h", 'X(mru, "MRU")', ' X(random, "RANDOM")')
    tree.behind("src/model/meson.build", "'part/replacement_qlru.c',", " 'part/replacement_random.c',")
    assert len(tree.sources()) == 3
    tree.make()
    pages = "chase,size=7M,stride=4K,passes=20"  # 1792 pages, of which the STLB has room for 1536
    walks = {name: tree.count(f"skl,part=plain,tlb=on,stlb_policy={name}", "DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK", pages)
             for name in ("lru", "random")}
    assert walks["lru"] > 19 * 1792 and 3 * walks["random"] < 2 * walks["lru"], walks
    lines = "chase,size=320K,passes=20"  # L2 has 256 KiB
    looked_up = {name: tree.count(f"skl,part=plain,l2_policy={name}", "UNC_CBO_CACHE_LOOKUP:READ_MESI", lines)
                 for name in ("lru", "random")}
    assert looked_up["random"] < looked_up["lru"], looked_up


PART = """part mine "a machine of my own"
  source "this test"
  sets cores=2 slices=2 llc=1M llc_policy=LRU l1d_size=16K l1d_ways=2 l1d_policy=MRU
  sets l2_size=128K l2_ways=8 l2_policy=QLRU_H11_M1_R1_U2 l2_wait=5 llc_hit=20
  sets l3_size=512K l3_ways=16 l3_policy=MRU l3_inclusion=exclusive l3_wait=11

part exclusive "an L2 that has none of the lines of L1"
  source "this test"
  sets l2_size=32K l2_ways=4 l2_inclusion=exclusive

"""


def machine(tree):
    """A machine with caches of other sizes and other replacement, and one level more, is a part in the
    catalogue, without C. 400 KiB fit its L3, not the L2 of others."""
    tree.edit("catalog/skl/skl.cpu", "part plain ", PART + "part plain ")
    assert tree.sources() == ["catalog/skl/skl.cpu"]
    tree.make()
    work, event = "chase,size=400K,passes=9", "UNC_CBO_CACHE_LOOKUP:READ_MESI"
    count = {part: tree.count(f"skl,part={part},pages=2M", event, work) for part in ("mine", "plain")}
    assert 4 * count["mine"] < count["plain"], count
    work = "chase,size=56K,passes=9"  # L1D and such an L2 have 32 KiB each
    count = {more: tree.count("skl,part=exclusive,pages=2M" + more, event, work) for more in ("", ",l2_inclusion=none")}
    assert 2 * count[""] < count[",l2_inclusion=none"], count


STRIDE = """/* Stride prefetcher, into L1D, with a fully associative table that is replaced in turn. */
#ifndef BX_MODEL_PART_PREFETCHER_STRIDE_H
#define BX_MODEL_PART_PREFETCHER_STRIDE_H

#include "model/part/prefetcher.h"

enum { BX_STRIDE_INSTRUCTIONS = ENTRIES };

struct bx_stride {
    struct bx_stride_of {
        uint32_t instruction, line;
        int64_t stride;
        bool used;
    } of[BX_STRIDE_INSTRUCTIONS];
    unsigned next;
};

static inline void bx_stride_power_on(struct bx_stride *p)
{
    p->next = 0;
}

static inline bx_access *bx_stride_see(struct bx_stride *p, uint32_t instruction, uint32_t line, unsigned page_shift, bx_access *to)
{
    unsigned i = 0;

    while (i < BX_STRIDE_INSTRUCTIONS && !(p->of[i].used && p->of[i].instruction == instruction))
        i++;
    if (i == BX_STRIDE_INSTRUCTIONS) {
        p->of[p->next++ % BX_STRIDE_INSTRUCTIONS] = (struct bx_stride_of){instruction, line, 0, true};
        return to;
    }
    struct bx_stride_of *s = &p->of[i];
    int64_t stride = (int64_t)line - s->line;
    bool again = stride && stride == s->stride;
    uint32_t next = (uint32_t)(line + stride);

    s->line = line;
    s->stride = stride;
    return bx_prefetch_if(again && bx_prefetch_same_page(page_shift, line, next), next, BX_PREFETCHER_STRIDE, BX_LOAD, to);
}

#endif
"""


def prefetcher(tree):
    """A stride prefetcher with another table is another file in the place of its own. The loop of `stream`
    has two loads: a table of two entries sees their strides, one of one entry does not."""
    work, event = "stream,size=64K,stride=256,passes=4", "L2_RQSTS:PF_HIT"
    hits = {}
    for entries in ("2", "1"):
        tree.add("src/model/part/prefetcher_stride.h", STRIDE.replace("ENTRIES", entries))
        assert len(tree.sources()) == 1
        tree.make()
        hits[entries] = tree.count("skl,part=plain,prefetch=on", event, work)
    assert hits["2"] > 2 * hits["1"], hits


MODEL = """/* A small server: slices, rings and home agents of Ivy Bridge-EP, other sizes, times and policies. */
#include "model/core/tlb.h"
#include "model/machine/ivbep/boxes.h"
#include "model/machine/ivbep/machine.h"

static const struct bx_core_caches_kind caches = {
    .line_bytes = 64,
    .own = {{16 << 10, 4}, {16 << 10, 4}, {128 << 10, 4, BX_INCLUSION_MODIFIED}},
    .policy = {&bx_policy_mru, &bx_policy_mru, &bx_policy_lru}, .llc_policy = &bx_policy_plru,
    .llc_ways = 8,
};

const struct bx_model_kind bx_small_model = {
    .name = "small",
    .tlb = &bx_tlb_nehalem,
    .caches = &caches,
    .limits = {.name = "a small server", .packages = 2, .cores = 4, .sets = 512, .least_sets = 1},
    .times = {.l2_hit = 3, .l2_wait = 9, .llc_hit = 20, .snoop_clean = 5, .snoop_dirty = 9, .link = 90,
              .fill_buffers = 4, .io_buffers = 8, .tor = 6, .rtids = 5, .qpi_credits = 3, .wb_credits = 2},
    BX_IVBEP_FUNCTIONS,
};
"""


def model(tree):
    """A machine model of an existing kind of uncore is its wiring, and its name in the usual places. Its LLC
    has 1 MiB, that of Ivy Bridge-EP with four cores 10."""
    tree.add("src/model/machine/ivbep/small.c", MODEL)
    tree.behind("src/model/machine/ivbep/machine.h", "extern const struct bx_model_kind bx_ivbep_model;",
                "\nextern const struct bx_model_kind bx_small_model;")
    tree.behind("src/model/model.c", "    &bx_ivbep_model,\n", "    &bx_small_model,\n")
    tree.behind("src/model/meson.build", "'machine/ivbep/machine.c',", " 'machine/ivbep/small.c',")
    table = (tree.top / "src/catalog/machine_models.c").read_text(encoding="utf-8")
    row = re.search(r'    \{\.name = "ivbep",.*?\},\n(?=    \{\.name)', table, re.DOTALL).group(0)
    tree.edit("src/catalog/machine_models.c", row, row + row.replace('"ivbep"', '"small"'))
    tree.edit("catalog/ivbep/ivbep.cpu", "  model   ivbep\n", "  model   small\n")
    tree.edit("catalog/ivbep/ivbep.cpu", "shape llc_ways    preset 20", "shape llc_ways    preset 8")
    work, event = "chase,size=2M,passes=5", "UNC_M_CAS_COUNT:RD"
    lines = (2 << 20) // 64
    tree.program = tree.build / "boxscore"
    assert tree.count("ivbep,part=plain,cores=4,pages=2M", event, work) == lines
    tree.make()
    assert tree.count("ivbep,part=plain,cores=4,pages=2M", event, work) > 3 * lines


BACKEND = """/* Registers of a processor that keep what is written. Any work lasts a thousand cycles, which the
 * fixed counter counts if it is enabled. */
#include "base/error.h"
#include "machine/backend/backend.h"
#include "seam/bus.h"

#include <stdlib.h>

enum { ALL = 0xe01, FIXED = 0x395, REGISTERS = 0x1000, LASTS = 1000 };

typedef struct plain {
    bx_backend base;
    struct bx_bus bus;
    uint64_t held[REGISTERS], now;
} plain;

static uint64_t *held_at(struct bx_bus *bus, const bx_address *at)
{
    plain *p = (plain *)(void *)((char *)bus - offsetof(plain, bus));
    return &p->held[at->offset % REGISTERS];
}

static int plain_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    *value = *held_at(bus, at);
    return 0;
}

static int plain_write(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    *held_at(bus, at) = at->offset == ALL + 1 ? 0 : value; /* writing clears the status */
    return 0;
}

static void plain_close(struct bx_bus *bus)
{
    (void)bus;
}

static int plain_load(bx_backend *b, const bx_work *work, bx_error *e)
{
    (void)b;
    return work->workload ? BX_OK : bx_fail(e, BX_BAD_INPUT, 0, 0, "these registers run no program");
}

static void plain_unload(bx_backend *b)
{
    (void)b;
}

static int plain_run(bx_backend *b, uint64_t until, bool *done, bx_error *e)
{
    plain *p = (plain *)b;
    uint64_t to = until < LASTS ? until : LASTS;
    (void)e;
    p->held[FIXED] += p->held[ALL] >> 29 & 1 ? to - p->now : 0;
    p->now = to;
    *done = to == LASTS;
    return BX_OK;
}

static uint64_t plain_now(const bx_backend *b)
{
    return ((const plain *)b)->now;
}

static void plain_end(bx_backend *b)
{
    free(b);
}

bx_backend *bx_backend_plain(const bx_topology *t, bx_error *e)
{
    plain *p = calloc(1, sizeof *p);
    if (!p) {
        bx_out_of_memory(e);
        return NULL;
    }
    p->bus = (struct bx_bus){.read = plain_read, .write = plain_write, .close = plain_close};
    p->base = (bx_backend){.calls = {plain_load, plain_unload, plain_run, plain_now, plain_end},
                           .can.counts_cycles = true,
                           .topology = *t,
                           .hz = 1e9,
                           .bus = &p->bus,
                           .host = &bx_backend_no_facts};
    return &p->base;
}
"""


def backend(tree):
    """A backend is a file of its functions, its declaration, a line where machines are opened, and one for the
    build. Nobody else knows it."""
    tree.add("src/machine/backend/plain.c", BACKEND)
    tree.behind("src/machine/backend/backend.h", "bx_backend *bx_backend_no_host(const bx_topology *t, bx_error *e);",
                "\nbx_backend *bx_backend_plain(const bx_topology *t, bx_error *e);")
    tree.edit("src/machine/open.c", "? bx_backend_virtual(&t, o, e)",
              '? strstr(spec, "cores=1") ? bx_backend_plain(&t, e) : bx_backend_virtual(&t, o, e)')
    tree.behind("src/machine/meson.build", "'backend/virtual.c',", " 'backend/plain.c',")
    assert len(tree.sources()) == 4
    tree.make()
    assert tree.count("skl,cores=1", "UNC_CLOCK:SOCKET", "stream,size=64K") == 1000


CASES = {"backend": backend, "machine": machine, "model": model, "policy": policy, "prefetcher": prefetcher}


def main(root, build, case):
    with tempfile.TemporaryDirectory() as folder:
        CASES[case](Tree(pathlib.Path(root), pathlib.Path(build), folder))


main(*sys.argv[1:])
