/* The runs that show which events count, and their machines. */
#include "cli/show/runs.h"

#include <boxscore/boxscore.h>

#include <string.h>

/* A run with settings: keys of the machine string, by spaces. It is of all CPUs that have one of
 * these keys with this value besides `cores`, or of all if there is no other key. */
typedef struct bx_settings {
    const char *name, *keys, *workload;
} bx_settings;

static const bx_settings settings[] = {
    {"device and cores", "cores=2",
     "dma,size=64K,iterations=5000+sharing,size=64K,iterations=5000"},
    {"device and a core", "cores=1",
     "dma,size=64K,iterations=5000+random,size=64K,iterations=60000"},
    {"device and code", "cores=1", "code,size=64K,passes=5+dma,size=64K,iterations=5000,write=0"},
    {"device and a core, more than L2", "cores=1",
     "random,size=2M,iterations=60000,write=10+dma,size=2M,iterations=20000"},
    {"evictions of modified lines", "cores=2 llc=2M",
     "random,size=4M,iterations=60000,cores=2,write=50"},
    {"shared by packages", "packages=2 cores=1", "sharing,size=64K,iterations=5000,cores=2"},
    {"stores past caches", "cores=2",
     "nontemporal,size=64K,iterations=5000+random,size=64K,iterations=5000"},
    {"stores past caches to shared lines", "cores=4",
     "sharing,size=16K,iterations=5000+nontemporal,size=16K,iterations=2000"},
    {"stores past caches to lines in use", "packages=2 cores=1",
     "random,size=4K,iterations=5000,write=100,cores=1+nontemporal,size=4K,iterations=5000,cores="
     "1"},
    {"shared lines", "packages=2 cores=1", "chase,size=8M,passes=1,cores=2"},
    {"modified lines", "packages=2 cores=1", "copy,size=4M,stride=64,cores=2"},
    {"small queues",
     "packages=2 cores=1 irq=1 ipq=1 viq=1 maf=2 s_table=2 imt=1 m_queue=1 tor=3 rtids=1 "
     "qpi_credits=1 wb_credits=1",
     "copy,size=4M,stride=64,cores=2"},
    {"small queues of S-Boxes",
     "packages=4 cores=4 starving=1 s_hom=1 s_snp=1 s_ndr=1 s_drs=1 ring_snp=1 ring_ndr=1 "
     "ring_r2s=1 "
     "ring_b2s=1",
     "copy,size=1M,stride=64,cores=8+sharing,size=16K,iterations=500,cores=8,write=50"},
    {"busy rings", "packages=4 cores=8 starving=1 irq=1",
     "sharing,size=16K,cores=32,iterations=200,write=50"},
    {"registers of a device",
     "packages=4 cores=8 starving=1 s_queue=200 s_ncb=1 s_ncs=1 s_ndr=1 ring_ncb=2",
     "mmio,cores=16,iterations=200,period=1,step=32,write=90+"
     "mmio,cores=16,iterations=100,period=1,step=line,write=5"},
    {"few credits", "packages=8 cores=1 vna_short=1 vna_long=1 b_vna=1 s_vn0=1",
     "random,size=16M,iterations=2000,cores=8"},
    {"few credits for devices", "packages=4 cores=2 vna_short=1 vna_long=1",
     "mmio,cores=8,iterations=200,period=1"},
    {"small slices", "packages=2 cores=8 llc=192K s_drs=1",
     "random,size=384K,iterations=1000,cores=16,write=80"},
    {"stores past caches by all cores", "packages=4 cores=8 starving=1",
     "nontemporal,cores=32,iterations=300,period=1"},
    {"small tables", "packages=4 cores=2 s_table=2", "random,size=16M,iterations=1000,cores=8"},
    {"one line", "packages=4 cores=8 irq=1", "pingpong,size=512,cores=32,iterations=200,period=20"},
    {"held lines", "packages=4 cores=1", "transfer,cores=3,state=S"},
    {"hot memory, closed rows", "cores=1 m_close=on m_patrol=1000 m_heat=10000",
     "copy,size=4M,stride=64"},
    {"hot cores, turbo, a timer",
     "packages=2 cores=8 w_turbo=1000 w_heat=5000 w_forcepr=7000 u_timer=900",
     "random,size=1M,iterations=3000,cores=10"},
    {"reads first", "cores=2 m_read_first=on m_adaptive_pages=on",
     "copy,size=4M,stride=64+random,size=64M,iterations=60000,write=50"},
    {"scheduling that adapts", "cores=2 m_adaptive=on m_adaptive_pages=on",
     "copy,size=4M,stride=64+random,size=64M,iterations=60000,write=50"},
    {"writes first, closed rows", "cores=2 m_close=on m_write_mark=1",
     "copy,size=4M,stride=64,cores=2"},
    {"a timer and a kernel", "cores=1 interrupt=5000 interrupt_cycles=6000",
     "random,size=64K,iterations=5000"},
    {"bus locks", "packages=2 cores=1 bus_lock=1000", "lock,split=1,iterations=100"},
    {"bus locks and few credits", "packages=8 cores=2 vna_short=1 vna_long=1 ring_ncs=1",
     "lock,split=1,cores=1,iterations=200,pause=100+random,size=16M,iterations=2000,cores=7"},
    {"eight packages", "packages=8 cores=1", "random,size=16M,iterations=5000,cores=8"},
    {"shared code", "packages=2 cores=1", "code,cores=2"},
    {"parts of lines", "packages=2 cores=1", "nontemporal,step=8,cores=2,iterations=5000"},
    {"a bus lock of one core", "cores=1 bus_lock=1000", "lock,cores=1,split=1,iterations=100"},
    {"indirect jumps", "cores=1", "branches,pattern=jumps,iterations=2000"},
    {"indirect calls", "cores=1", "branches,pattern=calls,iterations=2000"},
    {"recursion", "cores=1", "branches,pattern=recursion,iterations=2000"},
    {"code that changes", "cores=1", "branches,pattern=changed,iterations=2000"},
    {"huge pages", "cores=2 tlb=on pages=2M",
     "random,size=4G,iterations=3000,write=50+code,size=4G,stride=2M,passes=1"},
    {"small second cache", "cores=1 l2_size=8K", "random,size=64K,iterations=5000"},
    {"few credits for stores past caches", "packages=8 cores=1 vna_short=1 vna_long=1",
     "nontemporal,size=16M,cores=8,iterations=3000,period=1"},
    {"registers in all slices", "packages=2 cores=8 s_queue=255 s_ncs=1",
     "mmio,size=4160,step=line,cores=8,iterations=50,period=1,write=0"},
    {"snoops of all packages", "packages=8 cores=8 starving=1",
     "random,size=64K,cores=64,iterations=300,write=70"},
    {"small private caches, one slice",
     "packages=1 cores=8 starving=1 l1d_size=4K l1d_ways=1 l2_size=4K l2_ways=1",
     "random,size=64K,stride=512,cores=8,iterations=3000,write=90"},
    {"small private caches, slow slices",
     "packages=1 cores=8 l1d_size=4K l1d_ways=1 l2_size=4K l2_ways=1 rwrf=1 c_lookup=20 irq=4",
     "random,size=8K,cores=8,iterations=5000,write=90"},
    {"parts by a device", "packages=2 cores=1", "dma,step=8,read=8,iterations=5000"},
};

enum { SETTINGS = sizeof settings / sizeof *settings };

static size_t workloads(void)
{
    size_t n = 0;
    while (bx_workload_name(n))
        n++;
    return n;
}

static const bx_settings *settings_of(size_t i)
{
    size_t first = workloads();
    return i < first || i - first >= SETTINGS ? NULL : &settings[i - first];
}

/* Short runs: more lines than the caches of the machine have, each touched once. A workload that is
 * not here runs with its defaults. */
static const char *short_run(const char *name)
{
    static const char *const short_runs[] = {
        "stream,size=8M,stride=64",     "copy,size=8M,stride=64",
        "chase,size=8M,passes=1",       "random,size=16M,iterations=20000",
        "pingpong,iterations=2000",     "sharing,iterations=10000",
        "lock,iterations=200",          "producer,iterations=2000",
        "dma,iterations=20000",         "gfx,iterations=20000",
        "mmio,iterations=2000",         "ports,iterations=2000",
        "instructions,iterations=1000", "branches,iterations=10000",
    };
    for (size_t k = 0; name && k < sizeof short_runs / sizeof *short_runs; k++) {
        size_t n = strlen(name);
        if (strncmp(short_runs[k], name, n) == 0 && short_runs[k][n] == ',')
            return short_runs[k];
    }
    return name;
}

const char *bx_run_name(size_t i)
{
    const bx_settings *s = settings_of(i);
    return s ? s->name : bx_workload_name(i);
}

const char *bx_run_workload(size_t i)
{
    const bx_settings *s = settings_of(i);
    return s ? s->workload : short_run(bx_workload_name(i));
}

const char *bx_run_program(const char *event)
{
    /* Kernels fill pages for programs. */
    static const char kernel[] = "::CYCLES_KERNEL";
    size_t n = strlen(event), of = sizeof kernel - 1;

    return n >= of && strcmp(event + n - of, kernel) == 0 ? "true" : NULL;
}

bool bx_run_is_plain(size_t i)
{
    return !settings_of(i);
}

void bx_run_names(bx_buf *to, uint64_t runs)
{
    bool first = true;
    for (size_t i = 0; bx_run_name(i); i++) {
        if (!(runs >> i & 1))
            continue;
        bx_buf_f(to, "%s%s", first ? "" : ", ", bx_run_name(i));
        first = false;
    }
}

/* ---- the machine ---- */

static const bx_cat_shape *shape_of(const bx_catalog *c, const bx_cat_cpu *cpu, bx_str key)
{
    for (unsigned i = 0; i < cpu->shapes.n; i++) {
        const bx_cat_shape *shape = &bx_cat_shapes(c)[cpu->shapes.first + i];
        if (bx_str_eq(bx_cat_str(c, shape->name), key))
            return shape;
    }
    return NULL;
}

/* A real part with its memory, so that TLBs, prefetchers and DRAM count; or the one with plain
 * rules, which is the last one. */
static void add_part(bx_buf *to, const bx_catalog *c, const bx_cat_cpu *cpu, bool real)
{
    const bx_cat_preset *parts = &bx_cat_presets(c)[cpu->parts.first];
    for (unsigned i = 0; i < cpu->parts.n; i++) {
        if (real ? parts[i].fits == BX_NONE : parts[i].values.n > 0)
            continue;
        bx_buf_f(to, ",part=%s", bx_cat_z(c, parts[i].name));
        return;
    }
    if (real && cpu->parts.n)
        add_part(to, c, cpu, false);
}

/* Adds a key with its value, at most the largest that the CPU's machines can have. Returns whether
 * the run's point is in it: they can have it as it is, and it is not just the number of cores. */
static bool add_key(bx_buf *to, const bx_catalog *c, const bx_cat_cpu *cpu, bx_str key,
                    bx_str value)
{
    const bx_cat_shape *shape = shape_of(c, cpu, key);
    uint64_t n = 0;
    bool is_number = bx_str_size(value, &n);
    if (!shape || (is_number && shape->hi <= 1))
        return false;
    if (is_number && n > shape->hi)
        bx_buf_f(to, ",%.*s=%llu", (int)key.n, key.p, (unsigned long long)shape->hi);
    else
        bx_buf_f(to, ",%.*s=%.*s", (int)key.n, key.p, (int)value.n, value.p);
    return n <= shape->hi && !bx_str_eq(key, BX_STR("cores"));
}

bool bx_run_machine(const bx_catalog *c, unsigned cpu, size_t i, bx_buf *to)
{
    const bx_cat_cpu *of = &bx_cat_cpus(c)[cpu];
    const bx_settings *s = settings_of(i);
    bool has =
        !s || (bx_str_starts_fold(bx_str_of(s->keys), BX_STR("cores=")) && !strchr(s->keys, ' '));
    bx_buf_f(to, "virtual:%s", bx_cat_z(c, of->name));
    add_part(to, c, of, !s);
    /* few cores, so that caches that grow with their number are small */
    for (bx_str rest = bx_str_of(s ? s->keys : "packages=2 cores=2"); rest.p;) {
        bx_str value = bx_str_cut(&rest, ' '), key = bx_str_cut(&value, '=');
        has |= add_key(to, c, of, key, value);
    }
    return has;
}
