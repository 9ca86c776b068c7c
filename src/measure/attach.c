/* Parses the lists of processes, threads and CPUs. */
#include "measure/attach.h"

#include "base/buf.h"
#include "base/error.h"
#include "event/hint.h"
#include "machine/machine.h"

#include <limits.h>
#include <string.h>

static size_t count_of(const char *text, char what)
{
    size_t n = 1;
    for (; *text; text++)
        n += *text == what;
    return n;
}

/* ---- processes and threads ---- */

static int read_ids(const char *what, const char *text, bx_arena *arena, bx_attach_choice *to,
                    bx_error *e)
{
    int *ids = bx_arena_get(arena, count_of(text, ',') * sizeof *ids);
    if (!ids)
        return bx_out_of_memory(e);
    for (bx_str rest = bx_str_of(text); rest.p;) {
        bx_str one = bx_str_trim(bx_str_cut(&rest, ','));
        uint64_t id;
        if (!bx_str_u64(one, &id) || id == 0 || id > INT_MAX) {
            bx_fail(e, BX_BAD_INPUT, 0, 0, "'%s' is no number of a %s", bx_quote(one).text, what);
            bx_hint(e, "numbers, separated by commas: 1234,1235");
            return BX_BAD_INPUT;
        }
        ids[to->ids_n++] = (int)id;
    }
    to->ids = ids;
    return BX_OK;
}

/* ---- CPUs ---- */

/* Whether the machine has this CPU; on a host, whether it is online. */
static bool is_there(const bx_machine *m, uint64_t cpu)
{
    unsigned package, core;
    const bx_cpus *cpus = bx_machine_cpus(m);
    if (!cpus)
        return cpu < (uint64_t)bx_machine_packages(m) * bx_machine_cores(m);
    return cpu < BX_NO_CPU && bx_cpus_locate(cpus, (unsigned)cpu, &package, &core);
}

static int not_there(const bx_machine *m, uint64_t cpu, bx_error *e)
{
    if (bx_machine_cpus(m)) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "CPU %llu is not online", (unsigned long long)cpu);
        bx_hint(e, "/sys/devices/system/cpu/online lists those that are");
        return BX_BAD_INPUT;
    }
    bx_fail(e, BX_BAD_INPUT, 0, 0, "%s has no core %llu", bx_machine_name(m),
            (unsigned long long)cpu);
    bx_hint(e, "it has 0 to %u", bx_machine_packages(m) * bx_machine_cores(m) - 1);
    return BX_BAD_INPUT;
}

static bool is_listed(const uint16_t *cpus, size_t n, uint64_t cpu)
{
    for (size_t i = 0; i < n; i++)
        if (cpus[i] == cpu)
            return true;
    return false;
}

static bool is_range(bx_str part)
{
    bx_str last = part, first = bx_str_cut(&last, '-');
    uint64_t lo, hi;
    return bx_str_u64(first, &lo) && (!last.p || (bx_str_u64(last, &hi) && lo <= hi));
}

static int read_cpus(const bx_machine *m, const char *text, uint16_t *cpus, size_t *n, bx_error *e)
{
    for (bx_str rest = bx_str_of(text); rest.p;) {
        bx_str part = bx_str_trim(bx_str_cut(&rest, ','));
        uint64_t lo, hi;
        if (!is_range(part)) {
            bx_fail(e, BX_BAD_INPUT, 0, 0, "'%s' is no list of CPUs", bx_quote(part).text);
            bx_hint(e, "numbers and ranges, separated by commas: 0-3,8");
            return BX_BAD_INPUT;
        }
        for (bx_cpus_range(&part, &lo, &hi); lo <= hi; lo++) {
            if (!is_there(m, lo))
                return not_there(m, lo, e);
            if (!is_listed(cpus, *n, lo))
                cpus[(*n)++] = (uint16_t)lo;
        }
    }
    return BX_OK;
}

/* -a: all CPUs of a host. A virtual machine always counts all. */
static void take_all(const bx_machine *m, uint16_t *cpus, size_t *n)
{
    const bx_cpus *all = bx_machine_cpus(m);
    for (unsigned cpu = 0; all && cpu < BX_NO_CPU && *n < bx_cpus_all(all); cpu++)
        if (is_there(m, cpu))
            cpus[(*n)++] = (uint16_t)cpu;
}

/* The core of a CPU; a virtual machine's CPUs are its cores. */
static uint32_t core_of(const bx_machine *m, uint16_t cpu)
{
    unsigned package, core;
    const bx_cpus *cpus = bx_machine_cpus(m);
    if (!cpus || !bx_cpus_locate(cpus, cpu, &package, &core))
        return cpu;
    return package * bx_machine_cores(m) + core;
}

static int take_cores(const bx_machine *m, const uint16_t *cpus, size_t n, bx_arena *arena,
                      bx_attach_choice *to, bx_error *e)
{
    uint32_t *cores = bx_arena_get(arena, (n + 1) * sizeof *cores);
    if (!cores)
        return bx_out_of_memory(e);
    for (size_t i = 0; i < n; i++)
        cores[i] = core_of(m, cpus[i]);
    to->cores = cores;
    to->cores_n = n;
    return BX_OK;
}

int bx_attach_read(const bx_machine *m, const bx_measure_options *o, bx_arena *arena,
                   bx_attach_choice *to, bx_error *e)
{
    *to = (bx_attach_choice){.threads = o->threads};
    if (o->processes || o->threads)
        return read_ids(o->threads ? "thread" : "process", o->threads ? o->threads : o->processes,
                        arena, to, e);
    if (!bx_attach_by_cpu(o))
        return BX_OK;
    const bx_cpus *all = bx_machine_cpus(m);
    size_t room = all ? bx_cpus_all(all) : bx_machine_packages(m) * bx_machine_cores(m);
    uint16_t *cpus = bx_arena_get(arena, (room + 1) * sizeof *cpus);
    if (!cpus)
        return bx_out_of_memory(e);
    size_t n = 0;
    int code = o->cpus ? read_cpus(m, o->cpus, cpus, &n, e) : BX_OK;
    if (!o->cpus)
        take_all(m, cpus, &n);
    else if (!code)
        code = take_cores(m, cpus, n, arena, to, e);
    to->cpus = all ? cpus : NULL;
    to->cpus_n = all ? n : 0;
    return code;
}

const char *bx_attach_subject(const bx_measure_options *o, bx_arena *arena)
{
    bx_buf text = {.whole = &arena->failed};
    if (o->processes)
        bx_buf_f(&text, "process id '%s'", o->processes);
    else if (o->threads)
        bx_buf_f(&text, "thread id '%s'", o->threads);
    else if (o->cgroup || o->cgroups)
        bx_buf_f(&text, "%s '%s'%s%s%s", o->cgroup ? "cgroup" : "cgroups",
                 o->cgroup ? o->cgroup : o->cgroups, o->cpus ? " on CPU(s) '" : "",
                 o->cpus ? o->cpus : "", o->cpus ? "'" : "");
    else if (o->cpus)
        bx_buf_f(&text, "CPU(s) '%s'", o->cpus);
    else
        bx_buf_z(&text, "'system wide'");
    const char *copy = bx_arena_copy(arena, (bx_str){text.p, text.n});
    bx_buf_free(&text);
    return copy;
}
