/* The kernel's generic events (include/uapi/linux/perf_event.h), with perf's names. */
#include "host/perf/kernel_pmus.h"

#include "event/foreign_names.h"

#include <linux/perf_event.h>

enum { CGROUP_SWITCHES = 11 }; /* PERF_COUNT_SW_CGROUP_SWITCHES, which older headers lack */

static const bx_perf_generic generic[] = {
    {"cpu-clock", "ns", "time on a CPU, by the CPU's clock", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_CPU_CLOCK, false},
    {"task-clock", "ns", "time on a CPU, by the task's clock", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_TASK_CLOCK, false},
    {"page-faults", "faults", "page faults, minor and major", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_PAGE_FAULTS, false},
    {"faults", "faults", "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, true},
    {"minor-faults", "faults", "page faults that needed no reading", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_PAGE_FAULTS_MIN, false},
    {"major-faults", "faults", "page faults that had to read", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_PAGE_FAULTS_MAJ, false},
    {"context-switches", "switches", "switches from one task to another", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_CONTEXT_SWITCHES, false},
    {"cs", "switches", "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
     true},
    {"cpu-migrations", "migrations", "moves from one CPU to another", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_CPU_MIGRATIONS, false},
    {"migrations", "migrations", "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS,
     true},
    {"alignment-faults", "faults", "accesses that the kernel had to take apart", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_ALIGNMENT_FAULTS, false},
    {"emulation-faults", "faults", "instructions that the kernel carried out itself",
     PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, false},
    {"cgroup-switches", "switches", "switches to a task of another cgroup", PERF_TYPE_SOFTWARE,
     CGROUP_SWITCHES, false},
    {"bpf-output", "records", "records that BPF programs wrote to it", PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_BPF_OUTPUT, false},
    {"dummy", "", "nothing", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, false},
    {"cycles", "cycles", "cycles of the core", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
    {"cpu-cycles", "cycles", "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true},
    {"instructions", "instructions", "instructions retired", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_INSTRUCTIONS, false},
    {"cache-references", "accesses", "accesses to a cache, mostly the last level",
     PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, false},
    {"cache-misses", "misses", "misses of that cache", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_CACHE_MISSES, false},
    {"branches", "branches", "branch instructions retired", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false},
    {"branch-instructions", "branches", "branches", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_BRANCH_INSTRUCTIONS, true},
    {"branch-misses", "branches", "branches that were predicted wrongly", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_BRANCH_MISSES, false},
    {"bus-cycles", "cycles", "cycles of the bus", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES,
     false},
    {"stalled-cycles-frontend", "cycles", "cycles in which nothing could be issued",
     PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, false},
    {"stalled-cycles-backend", "cycles", "cycles in which nothing could retire", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_STALLED_CYCLES_BACKEND, false},
    {"ref-cycles", "cycles", "cycles at a fixed frequency", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_REF_CPU_CYCLES, false},
};

const bx_perf_generic *bx_perf_generic_at(size_t i)
{
    return i < sizeof generic / sizeof *generic ? &generic[i] : NULL;
}

/* "LLC-load-misses": cache, operation, and result. */
static bool find_cache(bx_str name, bx_perf_config *to)
{
    static const struct {
        const char *name;
        uint8_t id;
    } caches[] = {
        {"L1-dcache-", PERF_COUNT_HW_CACHE_L1D}, {"L1-icache-", PERF_COUNT_HW_CACHE_L1I},
        {"LLC-", PERF_COUNT_HW_CACHE_LL},        {"dTLB-", PERF_COUNT_HW_CACHE_DTLB},
        {"iTLB-", PERF_COUNT_HW_CACHE_ITLB},     {"branch-", PERF_COUNT_HW_CACHE_BPU},
        {"node-", PERF_COUNT_HW_CACHE_NODE},
    };
    static const struct {
        const char *name;
        uint8_t op, result;
    } kinds[] = {
        {"loads", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS},
        {"load-misses", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS},
        {"stores", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS},
        {"store-misses", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS},
        {"prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS},
        {"prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_MISS},
    };
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
        bx_str cache = bx_str_of(caches[i].name);
        bx_str kind = bx_str_sub(name, cache.n, name.n);
        for (size_t j = 0; bx_str_starts_fold(name, cache) && j < sizeof kinds / sizeof *kinds; j++)
            if (bx_str_eq_fold(kind, bx_str_of(kinds[j].name))) {
                *to = (bx_perf_config){.type = PERF_TYPE_HW_CACHE,
                                       .word = {caches[i].id | (uint64_t)kinds[j].op << 8 |
                                                (uint64_t)kinds[j].result << 16}};
                return true;
            }
    }
    return false;
}

/* "r1a8": a raw event of the core. */
static bool find_raw(bx_str name, bx_perf_config *to)
{
    uint64_t value;
    if (!bx_kernel_raw_word(name, &value))
        return false;
    *to = (bx_perf_config){.type = PERF_TYPE_RAW, .word = {value}};
    return true;
}

bool bx_perf_generic_find(bx_str name, bx_perf_config *to, const char **count)
{
    const bx_perf_generic *g;
    *count = "";
    for (size_t i = 0; (g = bx_perf_generic_at(i)); i++)
        if (bx_str_eq_fold(name, bx_str_of(g->name))) {
            *to = (bx_perf_config){.type = g->type, .word = {g->config}};
            *count = g->count;
            return true;
        }
    return find_cache(name, to) || find_raw(name, to);
}

bool bx_perf_is_kernel_only(const bx_perf_config *config)
{
    uint64_t which = config->word[0];
    return config->type == PERF_TYPE_SOFTWARE &&
           (which == PERF_COUNT_SW_CONTEXT_SWITCHES || which == PERF_COUNT_SW_CPU_MIGRATIONS ||
            which == CGROUP_SWITCHES);
}
