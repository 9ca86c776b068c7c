/* Parses events in perf's spelling: PMU/term,term/ukh, or a generic event. */
#include "host/perf/kernel_pmus.h"
#include "host/perf/resctrl.h"
#include "host/perf/stand_ins.h"
#include "event/hint.h"

#include <string.h>

#define REFUSE(e, text, code, part, ...)                                                           \
    bx_fail(e, code, (size_t)((part).p - (text).p), (part).n, __VA_ARGS__)

/* ---- privilege levels ---- */

/* Hints for perf's other letters (perf-list(1), EVENT MODIFIERS). */
static int no_level(bx_str text, bx_str letter, bx_error *e)
{
    int code = REFUSE(e, text, BX_BAD_INPUT, letter, "'%s' is not a privilege level",
                      bx_quote(letter).text);
    const char *hint = bx_str_find(BX_STR("GH"), *letter.p, 0) >= 0
                           ? "guests and host cannot be counted separately: leave it out"
                       : *letter.p == 'D' ? "D, which pins the event, goes last: ':uD'"
                       : bx_str_find(BX_STR("SWeIbR"), *letter.p, 0) >= 0
                           ? "letters do not choose how counters are shared: leave it out"
                           : "u: the program's own, k: the kernel's, h: the hypervisor's";
    bx_hint(e, "%s", hint);
    return code;
}

/* p and P say how exact samples must be, which changes no count. */
static int read_levels(bx_str text, bx_str part, uint8_t *exclude, bx_error *e)
{
    uint8_t chosen = 0;
    for (size_t i = 0; i < part.n; i++) {
        if (bx_str_find(BX_STR("pP"), part.p[i], 0) >= 0)
            continue;
        uint8_t level = part.p[i] == 'u'   ? BX_PERF_NO_USER
                        : part.p[i] == 'k' ? BX_PERF_NO_KERNEL
                        : part.p[i] == 'h' ? BX_PERF_NO_HYPERVISOR
                                           : 0;
        if (!level)
            return no_level(text, bx_str_sub(part, i, 1), e);
        chosen |= level;
    }
    const unsigned all = BX_PERF_NO_USER | BX_PERF_NO_KERNEL | BX_PERF_NO_HYPERVISOR;
    *exclude = chosen ? (uint8_t)(all & ~chosen) : 0;
    return BX_OK;
}

/* ---- PMUs of a name ---- */

static bool is_glob(bx_str name)
{
    return bx_str_find(name, '*', 0) >= 0 || bx_str_find(name, '?', 0) >= 0;
}

/* "uncore_cbox" means all of uncore_cbox_0, uncore_cbox_1 …; a glob all that it matches. */
static bool is_meant(bx_str name, const char *pmu)
{
    bx_str whole = bx_str_of(pmu);
    if (bx_str_eq(name, whole))
        return true;
    if (is_glob(name))
        return bx_str_glob(name, whole);
    if (whole.n < name.n + 2 || memcmp(whole.p, name.p, name.n) != 0 || pmu[name.n] != '_')
        return false;
    for (size_t i = name.n + 1; i < whole.n; i++)
        if (!bx_is_digit(pmu[i]))
            return false;
    return true;
}

/* uncore_cbox_2 before uncore_cbox_10. */
static bool before(const char *a, const char *b)
{
    size_t x = strlen(a), y = strlen(b);
    return x != y ? x < y : strcmp(a, b) < 0;
}

/* The PMUs of this name, or of one that a kernel has instead. */
static size_t find_these(bx_perf *p, bx_str name, const bx_perf_pmu **to)
{
    bx_perf_pmu *exact = bx_perf_find(p, name);
    size_t n = 0;
    if (exact) {
        to[0] = exact;
        return 1;
    }
    for (size_t i = 0; i < p->n; i++) {
        if (!is_meant(name, p->pmus[i].name) || !bx_perf_describe(p, &p->pmus[i]) ||
            !p->pmus[i].exists)
            continue;
        size_t at = n++;
        for (; at > 0 && before(p->pmus[i].name, to[at - 1]->name); at--)
            to[at] = to[at - 1];
        to[at] = &p->pmus[i];
    }
    return n;
}

/* The same; a kernel gives the only box of a kind no number (uncore.c, uncore_get_pmu_name()). */
static size_t find_numbered(bx_perf *p, bx_str name, const bx_perf_pmu **to)
{
    size_t n = find_these(p, name, to);
    bx_perf_pmu *only = NULL;
    if (!n && name.n > 2 && name.p[name.n - 2] == '_' && name.p[name.n - 1] == '0')
        only = bx_perf_find(p, bx_str_sub(name, 0, name.n - 2));
    if (only)
        to[0] = only;
    return only ? 1 : n;
}

/* The PMUs that a name means, in the order of their numbers. An exact name means that PMU alone. */
static size_t find_all(bx_perf *p, bx_str name, const bx_perf_pmu **to)
{
    char other[64];
    size_t n = find_numbered(p, name, to);
    if (!n && !is_glob(name) && bx_perf_pmu_instead(p, name, other, sizeof other))
        n = find_numbered(p, bx_str_of(other), to);
    return n;
}

/* A PMU of a package must be counted on the CPU that its cpumask names. */
static int check_cpus(const bx_perf_source *sources, size_t n, bx_str text, bx_str name,
                      bx_error *e)
{
    for (size_t i = 0; i < n; i++)
        if (sources[i].pmu->nowhere)
            return REFUSE(e, text, BX_NO_ACCESS, name,
                          "the kernel has no CPU to count '%s' on: its cpumask is empty",
                          sources[i].pmu->name);
    return BX_OK;
}

static int unknown_pmu(const bx_perf *p, bx_str text, bx_str name, bx_error *e)
{
    bx_nearest near = bx_nearest_to(name);
    bx_names all = {0};
    for (size_t i = 0; i < p->n; i++) {
        bx_nearest_offer(&near, p->pmus[i].name);
        bx_names_add(&all, p->pmus[i].name);
    }
    int code = REFUSE(e, text, BX_NOT_FOUND, name, "the kernel of this machine has no PMU '%s'",
                      bx_quote(name).text);
    bx_hint_nearest(e, &near, "it has", &all);
    return code;
}

/* ---- the two kinds ---- */

static bool count_alike(const bx_perf_named *a, const bx_perf_named *b)
{
    return a && b && strcmp(a->unit, b->unit) == 0 && !(a->scale < b->scale || a->scale > b->scale);
}

/* Parses the terms for each PMU. some: the name is a glob; PMUs that lack a term are left out, and
 * *n becomes the number of the others. *by: the named event that gives unit and scale; NULL if unit
 * or scale differ among the PMUs. */
static int read_sources(const bx_perf_pmu *const *pmus, bool some, bx_str text, bx_str terms,
                        bx_perf_source *to, size_t *n, const bx_perf_named **by, bx_str *called,
                        bx_error *e)
{
    size_t know = 0;
    bx_error first = {0};
    for (size_t i = 0; i < *n; i++) {
        bx_error own = {0};
        const bx_perf_named *its = NULL;
        to[know] = (bx_perf_source){.pmu = pmus[i]};
        int code = bx_perf_terms(pmus[i], text, terms, &to[know].config, &its, called, &own);
        if (code == BX_OK)
            *by = know++ == 0 || count_alike(*by, its) ? its : NULL;
        if (code && !first.code)
            first = own;
        if (code && !(some && code == BX_NOT_FOUND))
            break;
    }
    if (first.code && !(some && know && first.code == BX_NOT_FOUND)) {
        *e = first;
        return first.code;
    }
    *n = know;
    return BX_OK;
}

/* All PMUs of the name are of one kind: unit and scale are those of the first. */
static int read_pmu(bx_perf *p, bx_str text, bx_str part, bx_perf_event *to, bool *known,
                    bx_error *e)
{
    size_t open = (size_t)bx_str_find(part, '/', 0);
    ptrdiff_t close = bx_str_find(part, '/', open + 1);
    bx_str name = bx_str_sub(part, 0, open);
    const bx_perf_pmu **pmus = bx_arena_get(p->arena, (p->n + 1) * sizeof *pmus);
    size_t n = pmus ? find_all(p, name, pmus) : 0;
    bx_perf_source *sources = bx_arena_get(p->arena, (n + 1) * sizeof *sources);
    if (!pmus || !sources)
        return bx_out_of_memory(e);
    if (!n)
        return unknown_pmu(p, text, name, e);
    *known = true;
    if (close < 0) {
        bx_str slash = bx_str_sub(part, open, 1);
        int code = REFUSE(e, text, BX_BAD_INPUT, slash, "this '/' is not closed");
        bx_hint(e, "PMU/term,term/");
        return code;
    }
    bx_str terms = bx_str_sub(part, open + 1, (size_t)close - open - 1);
    bx_str levels = bx_str_sub(part, (size_t)close + 1, part.n);
    if (levels.n && *levels.p == ':')
        levels = bx_str_sub(levels, 1, levels.n);
    const bx_perf_named *by = NULL;
    bx_str called = {0};
    uint8_t exclude = 0;
    int code = read_levels(text, levels, &exclude, e);
    if (!code)
        code = read_sources(pmus, is_glob(name), text, terms, sources, &n, &by, &called, e);
    if (!code)
        code = check_cpus(sources, n, text, name, e);
    if (code)
        return code;
    for (size_t i = 0; i < n; i++)
        sources[i].config.exclude = exclude;
    *to = (bx_perf_event){
        .text = bx_arena_copy(p->arena, part),
        .name = bx_arena_copy(p->arena, called.n ? called : part),
        .count = "",
        .unit = by ? by->unit : "",
        .scale = by ? by->scale : 1,
        .sources = sources,
        .n = n,
    };
    return p->arena->failed ? bx_out_of_memory(e) : BX_OK;
}

/* A hybrid CPU has one PMU for each type of core, and the event is counted on all of them: the
 * kernel takes the PMU's type in the upper half of config (PERF_PMU_TYPE_SHIFT). */
static size_t sources_of_core_types(bx_perf *p, const bx_perf_config *config, bx_perf_source *to)
{
    size_t n = 0;
    bool of_cores = config->type == 0 || config->type == 3;
    for (size_t i = 0; of_cores && i < p->n; i++) {
        bx_perf_pmu *pmu = &p->pmus[i];
        if (strncmp(pmu->name, "cpu", 3) != 0 || !bx_perf_describe(p, pmu) || !pmu->hybrid)
            continue;
        to[n] = (bx_perf_source){.pmu = pmu, .config = *config};
        to[n++].config.word[0] |= (uint64_t)pmu->type << 32;
    }
    if (n == 0)
        to[n++].config = *config;
    return n;
}

/* Hints for events that perf stat counts and boxscore does not. */
static void hint_at_perf(bx_str text, bx_str name, bx_error *e)
{
    static const struct {
        const char *begins, *hint;
    } others[] = {
        {"duration_", "the time that elapsed is below each report"},
        {"user_time", "task-clock is the time that the program has a CPU"},
        {"system_time", "task-clock is the time that the program has a CPU"},
        {"topdown-", "with its PMU, where the kernel has it: cpu/topdown-retiring/"},
        {"slots", "with its PMU, where the kernel has it: cpu/slots/"},
        {"mem:", "breakpoints are not counted: perf stat does"},
        {"kprobe:", "probes are not counted: perf stat does"},
        {"uprobe:", "probes are not counted: perf stat does"},
    };
    bx_str whole = bx_str_sub(text, (size_t)(name.p - text.p), text.n);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (bx_str_starts_fold(whole, bx_str_of(others[i].begins))) {
            bx_hint(e, "%s", others[i].hint);
            return;
        }
    if (whole.n > name.n + 1) /* "sched:sched_switch" */
        bx_hint(e, "tracepoints are not counted: perf stat does");
}

static int unknown_name(bx_str text, bx_str name, bx_error *e)
{
    bx_nearest near = bx_nearest_to(name);
    const bx_perf_generic *g;
    for (size_t i = 0; (g = bx_perf_generic_at(i)); i++)
        bx_nearest_offer(&near, g->name);
    int code =
        REFUSE(e, text, BX_NOT_FOUND, name, "the kernel has no event '%s'", bx_quote(name).text);
    bx_nearest_hint(e, &near);
    if (!e->hint[0])
        hint_at_perf(text, name, e);
    return code;
}

static int read_generic(bx_perf *p, bx_str text, bx_str part, bx_perf_event *to, bool *known,
                        bx_error *e)
{
    bx_str levels = part;
    bx_str name = bx_str_cut(&levels, ':');
    bx_perf_config config;
    const char *count;
    if (!bx_perf_generic_find(name, &config, &count))
        return unknown_name(text, name, e);
    *known = true;
    int code = read_levels(text, levels, &config.exclude, e);
    if (!code && bx_perf_is_kernel_only(&config) && config.exclude & BX_PERF_NO_KERNEL) {
        code = REFUSE(e, text, BX_BAD_INPUT, levels, "'%s' would always be 0: the kernel switches",
                      bx_quote(part).text);
        bx_hint(e, "leave ':%s' out", bx_quote(levels).text);
    }
    if (code)
        return code;
    bx_perf_source *sources = bx_arena_get(p->arena, (p->n + 1) * sizeof *sources);
    if (!sources)
        return bx_out_of_memory(e);
    *to = (bx_perf_event){
        .text = bx_arena_copy(p->arena, part),
        .name = bx_arena_copy(p->arena, part),
        .count = count,
        .unit = "",
        .scale = 1,
        .sources = sources,
        .n = sources_of_core_types(p, &config, sources),
    };
    return p->arena->failed ? bx_out_of_memory(e) : BX_OK;
}

int bx_perf_parse(bx_perf *p, bx_str text, bx_perf_event *to, bool *known, bx_error *e)
{
    bx_str part = bx_str_trim(text);
    *known = bx_resctrl_is_event(part);
    if (*known)
        return bx_resctrl_parse(p, text, to, e);
    return bx_str_find(part, '/', 0) >= 0 ? read_pmu(p, text, part, to, known, e)
                                          : read_generic(p, text, part, to, known, e);
}
