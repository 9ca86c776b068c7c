/* Collects the facts about machine, options and the host's CPU that counts depend on. */
#include "host/system/file.h"
#include "measure/measurement.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <sys/utsname.h>

enum { FACTS = 24 };

typedef struct facts {
    const bx_measurement *of;
    bx_fact *list; /* [FACTS] */
    size_t n;
} facts;

static void add_fact(facts *f, const char *key, bx_str value)
{
    if (f->n < FACTS)
        f->list[f->n++] = (bx_fact){key, bx_arena_copy(f->of->arena, value)};
}

static void add_number(facts *f, const char *key, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    add_fact(f, key, bx_str_of(text));
}

/* ---- the CPU that runs the program ---- */

/* The value of the first line with that key; empty: there is none. */
static bx_str line_of(bx_str cpuinfo, const char *key)
{
    while (cpuinfo.p && cpuinfo.n) {
        bx_str value = bx_str_cut(&cpuinfo, '\n');
        if (bx_str_eq(bx_str_trim(bx_str_cut(&value, ':')), bx_str_of(key)))
            return bx_str_trim(value);
    }
    return (bx_str){0};
}

/* There are many flags, so only their hash is stored. */
static void add_cpu(facts *f, const char *root)
{
    enum { FIRST_CPU = 1 << 14 };
    char bytes[FIRST_CPU];
    bx_str cpuinfo = bx_file_read(root, "/proc/cpuinfo", bytes, sizeof bytes);
    bx_str flags = line_of(cpuinfo, "flags");
    add_fact(f, "cpu", line_of(cpuinfo, "model name"));
    if (flags.n)
        add_number(f, "cpu-flags-hash", bx_str_hash_fold(flags, 0));
}

static void add_host(facts *f)
{
    struct utsname about;
    const char *root = bx_machine_root(f->of->machine);
    const bx_cpus *cpus = bx_machine_cpus(f->of->machine);
    add_cpu(f, root);
    if (cpus)
        add_number(f, "cpus", bx_cpus_all(cpus));
    if (!*root && uname(&about) == 0)
        add_fact(f, "kernel", bx_str_of(about.release));
}

/* ---- a program on a virtual machine ---- */

static void add_program(facts *f)
{
    const bx_surroundings shown = bx_machine_surroundings(f->of->machine);
    bool lackey = bx_machine_lackey_because(f->of->machine, f->of->o.program[0]);
    add_fact(f, "tracer", bx_str_of(lackey ? "lackey" : "boxscore"));
    if (!lackey) {
        add_fact(f, "features", bx_str_of(shown.features ? shown.features : "host"));
        add_number(f, "cpus", shown.cpus);
        add_number(f, "turn", shown.turn ? shown.turn : 1000);
    }
    if (lackey || !shown.features || !bx_host_has_features(&shown))
        add_cpu(f, "");
}

static void add_virtual(facts *f)
{
    const bx_machine_options *o = &f->of->host;
    if (f->of->o.workload)
        return;
    add_fact(f, "threads", bx_str_of(o->threads ? o->threads : "compact"));
    add_fact(f, "kernel-accesses", bx_str_of(o->no_kernel_accesses ? "off" : "on"));
    if (f->of->o.program)
        add_program(f);
}

/* Adds the options that exclude parts of the work: by region, time or CPU. */
static void add_span(facts *f)
{
    const bx_measure_options *o = &f->of->o;
    bx_buf names = {.whole = &f->of->arena->failed};
    for (size_t i = 0; i < o->inside_n; i++)
        bx_buf_f(&names, "%s'%s'", i ? " or " : "", o->inside[i]);
    if (o->inside_n)
        add_fact(f, "inside", (bx_str){names.p, names.n});
    bx_buf_free(&names);
    if (o->until)
        add_fact(f, "until", bx_str_of(f->of->measured->stop));
    if (bx_attach_by_cpu(o))
        add_fact(f, "counted-cpus", bx_str_of(o->cpus ? o->cpus : "all"));
    if (o->cgroup)
        add_fact(f, "cgroup", bx_str_of(o->cgroup));
    if (o->cgroups)
        add_fact(f, "cgroups", bx_str_of(o->cgroups));
    if (o->delay)
        add_fact(f, "delay", bx_str_of(o->delay));
    if (o->timeout)
        add_number(f, "timeout-ns", o->timeout);
    if (o->control)
        add_fact(f, "control", BX_STR("yes"));
    if (o->interval_count)
        add_number(f, "intervals", o->interval_count);
}

void bx_measurement_environment(bx_measurement *m)
{
    if (m->measured->environment)
        return;
    facts f = {.of = m, .list = bx_arena_get(m->arena, FACTS * sizeof(bx_fact))};
    if (!f.list)
        return;
    add_fact(&f, "boxscore", BX_STR(BX_VERSION));
    add_fact(&f, "machine", bx_str_of(m->measured->machine));
    if (bx_machine_can(m->machine)->is_recorded)
        add_fact(&f, "replayed", BX_STR("yes"));
    else if (bx_machine_can(m->machine)->traces)
        add_virtual(&f);
    else
        add_host(&f);
    if (m->o.program)
        add_fact(&f, "libc", bx_str_of(gnu_get_libc_version()));
    add_span(&f);
    m->measured->environment = f.list;
    m->measured->environment_n = f.n;
}
