/* Touches lines, and compares the counts of all C-Boxes before and after. */
#include "cli/measure/slice_probe.h"

#include "base/error.h"
#include "base/grow.h"
#include "event/event.h"
#include "model/model.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A virtual machine's line is touched once: it is in no cache, and the counts are exact. On a host
 * it is flushed and touched many times, so that its counts exceed those of other software. */
enum { HOST_TOUCHES = 4000, PAGE = 4096, LINE = 1 << BX_LINE_SHIFT };

/* A virtual machine has 8 TiB (docs/explanation/model.md), a host up to 52 bits. HOST_BYTES are
 * thousands of pages, at any physical addresses. */
enum { VIRTUAL_TOP = BX_LINE_BITS + BX_LINE_SHIFT - 1, HOST_TOP = 51, HOST_BYTES = 64 << 20 };

/* ---- the event ---- */

/* The catalogue's metric of misses; its numerator is the event that counts them. */
static bx_str misses_of(const bx_machine *m)
{
    const struct bx_catalog *c = m->topology.catalog;
    bx_span metrics = bx_cat_cpus(c)[m->topology.cpu].metrics;
    for (unsigned i = metrics.first; i < metrics.first + metrics.n; i++) {
        const bx_cat_metric *metric = &bx_cat_metrics(c)[i];
        if (strcmp(bx_cat_z(c, metric->name), "llc_miss_ratio") != 0)
            continue;
        bx_str rest = bx_cat_str(c, metric->formula);
        bx_str_cut(&rest, '{');
        return bx_str_cut(&rest, '}');
    }
    return (bx_str){0};
}

static int choose_event(bx_slice_probe *p, const char *given, bx_arena *arena, bx_error *e)
{
    const bx_machine *m = p->machine;
    const struct bx_catalog *c = m->topology.catalog;
    bx_str text = given ? bx_str_of(given) : misses_of(m);
    if (!text.n) {
        bx_fail(e, BX_NOT_FOUND, 0, 0, "the catalogue has no event for misses of its slices");
        bx_hint(e, "-e EVENT names one that each slice counts when it is asked for a line");
        return BX_NOT_FOUND;
    }
    int code = bx_event_parse(c, bx_machine_cpu(m), text.p, text.n, &p->selection, e);
    if (code)
        return code;
    p->selection.unit = p->selection.package = BX_ANY;
    p->slices = bx_machine_units(m, p->selection.pmu);
    size_t n = bx_event_format(c, &p->selection, NULL, 0);
    char *name = bx_arena_get(arena, n + 1);
    if (!name)
        return bx_out_of_memory(e);
    bx_event_format(c, &p->selection, name, n + 1);
    p->event = name;
    if (p->slices)
        return BX_OK;
    return bx_fail(e, BX_NO_FIT, 0, 0, "the machine has no unit that counts %s", name);
}

/* ---- touching ---- */

static enum bx_feed_state no_more(bx_feed *feed)
{
    (void)feed;
    return BX_FEED_END;
}

/* Core 0 loads the line. */
static int touch_virtual(bx_slice_probe *p, uint64_t address, bx_error *e)
{
    const bx_access access =
        bx_access_make(address >> BX_LINE_SHIFT, BX_LOAD, BX_ACCESS_DEPENDENT, 1);
    bx_feed feed = {.next = &access, .end = &access + 1, .refill = no_more};
    bool done;
    bx_model_feed(bx_machine_model(p->machine), 0, &feed);
    int code = bx_session_run(p->session, UINT64_MAX, &done, e);
    bx_model_feed(bx_machine_model(p->machine), 0, NULL);
    return code;
}

static void touch_host(const char *line)
{
#if defined(__x86_64__)
    for (unsigned i = 0; i < HOST_TOUCHES; i++) {
        (void)*(const volatile char *)line;
        __builtin_ia32_clflush(line);
        __builtin_ia32_mfence();
    }
#else
    (void)line;
#endif
}

/* ---- counting ---- */

/* Adds up the counts of each slice number over packages. If the line belongs to another package's
 * memory, the slice with the same number there is asked, too. */
static int sample(bx_slice_probe *p, uint64_t *count, bx_error *e)
{
    size_t n;
    int code = bx_session_sample(p->session, e);
    if (code)
        return code;
    const bx_reading *readings = bx_session_readings(p->session, &n);
    memset(count, 0, p->slices * sizeof *count);
    for (size_t i = 0; i < n; i++) {
        if (readings[i].state > BX_SCALED || readings[i].unit >= p->slices)
            return bx_fail(e, BX_NO_ACCESS, 0, 0, "%s is not counted in each slice", p->event);
        count[readings[i].unit] += readings[i].count;
    }
    return BX_OK;
}

/* Finds the only C-Box that has counted the touches. On a host, the others may also count a few
 * accesses. */
static int stands_out(bx_slice_probe *p, const uint64_t *now, uint64_t address, unsigned *slice,
                      bx_error *e)
{
    uint64_t most = 0, second = 0;
    for (unsigned i = 0; i < p->slices; i++) {
        uint64_t grown = now[i] - p->before[i];
        if (grown > most) {
            second = most;
            most = grown;
            *slice = i;
        } else if (grown > second) {
            second = grown;
        }
    }
    if (p->memory ? most >= HOST_TOUCHES / 2 && second < most / 2 : most && !second)
        return BX_OK;
    bx_fail(e, BX_NOT_FOUND, 0, 0,
            "no slice stands out for the line at 0x%llx: the two that count most have %llu and "
            "%llu",
            (unsigned long long)address, (unsigned long long)most, (unsigned long long)second);
    bx_hint(e, p->memory ? "on a quiet machine, with -e EVENT if this one does not count misses"
                         : "prefetch=off in the machine string, if it has prefetchers");
    return BX_NOT_FOUND;
}

static int keep(bx_slice_probe *p, uint64_t address, unsigned slice, bx_error *e)
{
    bx_slice_sample *found = bx_grow(p->found, p->found_n, &p->room, sizeof *found, 256);
    if (!found)
        return bx_out_of_memory(e);
    p->found = found;
    p->found[p->found_n++] = (bx_slice_sample){address, slice};
    return BX_OK;
}

static int probe(bx_slice_probe *p, uint64_t address, const char *line, unsigned *slice,
                 bx_error *e)
{
    uint64_t now[1 << BX_SLICE_BITS];
    int code = sample(p, p->before, e);
    if (!code && line)
        touch_host(line);
    else if (!code)
        code = touch_virtual(p, address, e);
    if (!code)
        code = sample(p, now, e);
    if (!code)
        code = stands_out(p, now, address, slice, e);
    return code ? code : keep(p, address, *slice, e);
}

/* Marsaglia's xorshift64*. */
static uint64_t chance(size_t i)
{
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t line_by_chance(const bx_slice_probe *p, size_t i)
{
    return chance(i) & ((UINT64_C(2) << p->top) - 1) & ~(uint64_t)(LINE - 1);
}

/* If a core reads adjacent lines, its prefetchers load the next line before it is touched. So
 * another line is touched between two adjacent ones. */
static int keep_apart(bx_slice_probe *p, uint64_t line, bx_error *e)
{
    unsigned slice;
    if (!p->found_n || p->found[p->found_n - 1].address + LINE != line)
        return BX_OK;
    return probe(p, line_by_chance(p, SIZE_MAX / 2 + p->found_n), NULL, &slice, e);
}

int bx_slice_probe_address(bx_slice_probe *p, uint64_t address, unsigned *slice, bx_error *e)
{
    uint64_t line = address & ~(uint64_t)(LINE - 1);
    if (p->memory) {
        bx_fail(e, BX_NO_ACCESS, 0, 0,
                "a program cannot touch an address of physical memory that it chooses");
        bx_hint(e, "without ADDRESS the hash is found from memory that we have");
        return BX_NO_ACCESS;
    }
    if (address >> (BX_LINE_BITS + BX_LINE_SHIFT))
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "0x%llx is beyond the 8 TiB of a virtual machine",
                       (unsigned long long)address);
    for (size_t i = 0; i < p->found_n; i++)
        if (p->found[i].address == line) { /* the line is in a cache, so no slice would be asked */
            *slice = p->found[i].slice;
            return BX_OK;
        }
    int code = keep_apart(p, line, e);
    return code ? code : probe(p, line, NULL, slice, e);
}

/* ---- lines by chance ---- */

/* Bits 54:0 of an entry are the page frame's number, 63 is 1 if it is there; without
 * CAP_SYS_ADMIN the number reads 0 (Linux, Documentation/admin-guide/mm/pagemap.rst). */
static int physical(bx_slice_probe *p, const char *line, uint64_t *address, bx_error *e)
{
    uint64_t entry = 0;
    off_t at = (off_t)((uintptr_t)line / PAGE * sizeof entry);
    uint64_t frame = pread(p->pagemap, &entry, sizeof entry, at) == sizeof entry
                         ? entry & ((UINT64_C(1) << 55) - 1)
                         : 0;
    *address = frame * PAGE + (uintptr_t)line % PAGE;
    if (frame && entry >> 63)
        return BX_OK;
    bx_fail(e, BX_NO_ACCESS, 0, 0, "/proc/self/pagemap does not tell physical addresses");
    bx_hint(e, "run as root: the kernel tells them to CAP_SYS_ADMIN only");
    return BX_NO_ACCESS;
}

int bx_slice_probe_next(bx_slice_probe *p, size_t i, bx_slice_sample *to, bx_error *e)
{
    if (!p->memory) {
        to->address = line_by_chance(p, i);
        return bx_slice_probe_address(p, to->address, &to->slice, e);
    }
    const char *line = p->memory + chance(i) % (HOST_BYTES / LINE) * LINE;
    int code = physical(p, line, &to->address, e);
    return code ? code : probe(p, to->address, line, &to->slice, e);
}

/* ---- opening and closing ---- */

static int take_memory(bx_slice_probe *p, bx_error *e)
{
    p->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    void *memory = mmap(NULL, HOST_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED)
        return bx_out_of_memory(e);
    p->memory = memory;
    memset(memory, 1, HOST_BYTES); /* so that it has pages of its own */
    uint64_t address;
    return physical(p, p->memory, &address, e); /* tested before anything is counted */
}

int bx_slice_probe_open(bx_slice_probe *p, bx_machine *m, const char *event, bx_arena *arena,
                        bx_error *e)
{
    bool is_virtual = bx_machine_model(m);
    *p = (bx_slice_probe){.machine = m, .pagemap = -1, .top = is_virtual ? VIRTUAL_TOP : HOST_TOP};
    int code = choose_event(p, event, arena, e);
    if (!code && p->slices > 1u << BX_SLICE_BITS)
        code = bx_fail(e, BX_NO_FIT, 0, 0, "%u slices are too many", p->slices);
    if (!code)
        p->before = bx_arena_get(arena, p->slices * sizeof *p->before);
    if (!code && !p->before)
        code = bx_out_of_memory(e);
    if (!code && !is_virtual)
        code = take_memory(p, e);
    if (!code)
        code = bx_session_open(m, &p->selection, 1, NULL, &p->session, e);
    return code ? code : bx_session_start(p->session, e);
}

void bx_slice_probe_close(bx_slice_probe *p)
{
    bx_session_close(p->session);
    if (p->memory)
        munmap(p->memory, HOST_BYTES);
    if (p->pagemap >= 0)
        close(p->pagemap);
    free(p->found);
}
