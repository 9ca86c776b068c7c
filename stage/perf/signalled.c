/* Finds the PMUs of a gathered machine, checks their events, and counts signals. */
#include "stage/perf/signalled.h"

#include "base/error.h"
#include "host/perf/kernel_pmus.h"
#include "host/system/file.h"
#include "machine/kernel_events.h"
#include "machine/machine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- PMUs ---- */

/* Linux numbers the first three for good: enum perf_type_id. The other two trace the kernel. */
bool bx_signalled_has(const bx_perf_pmu *pmu)
{
    static const char *const of_software[] = {"software", "tracepoint", "breakpoint", "kprobe",
                                              "uprobe"};
    for (size_t i = 0; i < sizeof of_software / sizeof *of_software; i++)
        if (strcmp(pmu->name, of_software[i]) == 0)
            return false;
    return pmu->exists;
}

const bx_perf_pmu *bx_signalled_pmu(const bx_signalled *s, uint32_t type)
{
    for (size_t i = 0; i < s->perf->n; i++)
        if (bx_signalled_has(&s->perf->pmus[i]) && s->perf->pmus[i].type == type)
            return &s->perf->pmus[i];
    return NULL;
}

static bool read_cpus_of(bx_signalled *s)
{
    const char **all = bx_arena_get(s->perf->arena, (s->perf->n + 1) * sizeof *all);
    for (size_t i = 0; all && i < s->perf->n; i++) {
        char path[320], text[4096];
        snprintf(path, sizeof path, "/sys/bus/event_source/devices/%.200s/cpus",
                 s->perf->pmus[i].name);
        all[i] = bx_arena_copy(s->perf->arena,
                               bx_str_trim(bx_file_read(s->perf->root, path, text, sizeof text)));
    }
    s->cpus_of = all;
    return all && !s->perf->arena->failed;
}

int bx_signalled_open(bx_signalled *s, bx_machine *gathered, bx_error *e)
{
    *s = (bx_signalled){
        .machine = gathered, .perf = bx_machine_perf(gathered), .cpus = bx_machine_cpus(gathered)};
    bool any = false;
    for (size_t i = 0; s->perf && i < s->perf->n; i++) {
        if (!bx_perf_describe(s->perf, &s->perf->pmus[i]))
            return bx_out_of_memory(e);
        any |= bx_signalled_has(&s->perf->pmus[i]);
    }
    if (s->perf && !read_cpus_of(s))
        return bx_out_of_memory(e);
    if (!any || !s->cpus) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "its kernel has no PMU");
        bx_hint(e, "a file of 'boxscore machine gather' has those of a machine");
        return BX_NO_ACCESS;
    }
    for (unsigned i = 0; i < bx_cpus_all(s->cpus); i++)
        if (s->cpus->logical[i] != BX_NO_CPU && s->cpus->logical[i] >= s->cpus_n)
            s->cpus_n = s->cpus->logical[i] + 1u;
    return BX_OK;
}

/* ---- whether an event can be opened ---- */

static bool is_of_cpus(const bx_perf_pmu *pmu)
{
    return !pmu->cpus_n;
}

/* The core PMUs of a hybrid CPU count on the CPUs in their file `cpus` only. */
static bool has_cpu(const bx_signalled *s, const bx_perf_pmu *pmu, int64_t cpu)
{
    uint64_t lo, hi;
    bx_str list = bx_str_of(s->cpus_of[pmu - s->perf->pmus]);
    while (bx_cpus_range(&list, &lo, &hi))
        if ((uint64_t)cpu >= lo && (uint64_t)cpu <= hi)
            return true;
    return !pmu->hybrid;
}

/* Linux moves an event outside the cores to the CPU of its PMU's mask: of the same package. */
static int move(const bx_signalled *s, const bx_perf_pmu *pmu, int64_t *cpu)
{
    unsigned package = bx_perf_package(s->cpus, (unsigned)*cpu);
    for (size_t i = 0; i < pmu->cpus_n; i++)
        if (pmu->cpus[i] == *cpu)
            return 0;
    for (size_t i = 0; i < pmu->cpus_n; i++)
        if (bx_perf_package(s->cpus, pmu->cpus[i]) == package) {
            *cpu = pmu->cpus[i];
            return 0;
        }
    return EINVAL;
}

/* Linux drops bits that belong to no term. */
static void drop_bits(const bx_perf_pmu *pmu, struct perf_event_attr *a)
{
    uint64_t mask[BX_PERF_WORDS] = {0};
    for (size_t i = 0; i < pmu->formats_n; i++)
        mask[pmu->formats[i].word] |= pmu->formats[i].mask;
    a->config &= mask[0];
    a->config1 &= mask[1];
    a->config2 &= mask[2];
}

int bx_signalled_check(const bx_signalled *s, bx_staged_event *e)
{
    struct perf_event_attr *a = &e->request.attr;
    const bx_perf_pmu *pmu = bx_signalled_pmu(s, a->type);
    unsigned package, core;
    int err = !pmu              ? ENOENT
              : pmu->nowhere    ? ENODEV
              : is_of_cpus(pmu) ? bx_attr_check_core(&e->request)
                                : bx_attr_check_uncore(&e->request);
    if (err)
        return err;
    e->never_counts = is_of_cpus(pmu) && bx_attr_is_of_task(&e->request);
    if (!e->never_counts && (e->request.cpu >= s->cpus_n ||
                             !bx_cpus_locate(s->cpus, (unsigned)e->request.cpu, &package, &core)))
        return ENODEV;
    if (!e->never_counts && !has_cpu(s, pmu, e->request.cpu))
        return ENOENT;
    if (is_of_cpus(pmu) && a->exclude_kernel && a->exclude_user)
        return EINVAL; /* nothing would be left to count */
    drop_bits(pmu, a);
    e->signalled = pmu;
    e->counts = true;
    return is_of_cpus(pmu) ? 0 : move(s, pmu, &e->request.cpu);
}

static const bx_perf_pmu *core_pmu(const bx_signalled *s, uint32_t type)
{
    static const char *const names[] = {"cpu", "cpu_core"};
    if (type)
        return bx_signalled_pmu(s, type);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const bx_perf_pmu *found = bx_perf_find(s->perf, bx_str_of(names[i]));
        if (found)
            return found;
    }
    return NULL;
}

int bx_signalled_generic(const bx_signalled *s, bx_open_request *request)
{
    int err = bx_attr_check_core(request);
    if (err)
        return err;
    const char *generic = bx_attr_generic_name(request->attr.config & UINT32_MAX);
    const bx_perf_pmu *pmu = core_pmu(s, (uint32_t)(request->attr.config >> 32));
    if (!pmu || !generic)
        return ENOENT;
    for (size_t i = 0; i < pmu->events_n; i++) {
        bx_perf_config config = {0};
        const bx_perf_named *by = NULL;
        bx_str name = {0}, terms = bx_str_of(pmu->events[i].terms);
        bx_error ignored = {0};
        if (strcmp(pmu->events[i].name, generic) != 0 ||
            bx_perf_terms(pmu, terms, terms, &config, &by, &name, &ignored) != BX_OK)
            continue;
        request->attr.type = pmu->type;
        request->attr.config = config.word[0];
        request->attr.config1 = config.word[1];
        request->attr.config2 = config.word[2];
        return 0;
    }
    return ENOENT;
}

/* ---- counting ---- */

/* The value of a term of the event; 0: the PMU has no such term. */
static uint64_t term(const bx_staged_event *e, const char *name)
{
    const struct perf_event_attr *a = &e->request.attr;
    const uint64_t words[] = {a->config, a->config1, a->config2};
    const bx_perf_pmu *pmu = e->signalled;
    uint64_t value = 0;
    unsigned n = 0;
    for (size_t i = 0; i < pmu->formats_n; i++) {
        if (strcmp(pmu->formats[i].name, name) != 0)
            continue;
        for (unsigned bit = 0; bit < 64; bit++)
            if (pmu->formats[i].mask >> bit & 1)
                value |= (words[pmu->formats[i].word] >> bit & 1) << n++;
    }
    return value;
}

/* Terms that say how a level is counted, and not which one. */
static bool says_how(const char *term)
{
    static const char *const terms[] = {"edge", "inv", "cmask", "thresh"};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (strcmp(term, terms[i]) == 0)
            return true;
    return false;
}

static bool same_selection(const bx_staged_event *e, const uint64_t *words)
{
    const struct perf_event_attr *a = &e->request.attr;
    const uint64_t own[] = {a->config, a->config1, a->config2};
    uint64_t how[BX_PERF_WORDS] = {0};
    for (size_t i = 0; i < e->signalled->formats_n; i++)
        if (says_how(e->signalled->formats[i].name))
            how[e->signalled->formats[i].word] |= e->signalled->formats[i].mask;
    for (unsigned i = 0; i < BX_PERF_WORDS; i++)
        if ((own[i] ^ words[i]) & ~how[i])
            return false;
    return true;
}

/* The length of a PMU's name without its number: "uncore_cha_3". */
static size_t stem(const char *name)
{
    size_t n = strlen(name);
    while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
        n--;
    return n;
}

static bool is_on_pmu(const bx_signal *signal, const bx_perf_pmu *pmu, size_t source)
{
    const bx_perf_source *of = &signal->event->sources[source];
    if (of->config.type == pmu->type)
        return true;
    return signal->all_units && of->pmu && stem(of->pmu->name) == stem(pmu->name) &&
           memcmp(of->pmu->name, pmu->name, stem(pmu->name)) == 0;
}

static bool reaches(const bx_signalled *s, const bx_signal *signal, const bx_staged_event *e)
{
    const struct perf_event_attr *a = &e->request.attr;
    if (!signal->event || (signal->cpu >= 0 && signal->cpu != e->request.cpu) ||
        (signal->package >= 0 &&
         signal->package != bx_perf_package(s->cpus, (unsigned)e->request.cpu)))
        return false;
    for (size_t i = 0; i < signal->event->n; i++) {
        const bx_perf_config *c = &signal->event->sources[i].config;
        bool hidden = (a->exclude_user && c->exclude & BX_PERF_NO_KERNEL) ||
                      (a->exclude_kernel && c->exclude & BX_PERF_NO_USER);
        if (!hidden && is_on_pmu(signal, e->signalled, i) && same_selection(e, c->word))
            return true;
    }
    return false;
}

bool bx_signalled_count(const bx_signalled *s, bx_staged_event *e, const bx_signal *signal,
                        uint64_t cycles)
{
    bool reached = reaches(s, signal, e);
    if (!e->has_counter || !cycles)
        return reached;
    uint64_t level = reached ? signal->level : 0, least = term(e, "cmask") + term(e, "thresh");
    bool edge = term(e, "edge") & 1;
    if (!edge && !least) {
        e->count += level * cycles;
        return reached;
    }
    bool holds = least ? (level >= least) != (term(e, "inv") & 1) : level > 0;
    if (edge)
        e->count += holds && !e->held;
    else if (holds)
        e->count += cycles;
    e->held = holds;
    return reached;
}
