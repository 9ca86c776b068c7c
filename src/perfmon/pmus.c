/* The PMUs of an imported CPU: counters, Linux's terms as modifiers, events. */
#include "perfmon/pmus.h"

#include <stdio.h>
#include <string.h>

enum { COUNTER_WIDTH = 48, UNITS_MOST = 128, CORE_UNITS = 255 };

bx_perfmon_pmu *bx_perfmon_pmu_for(bx_perfmon_pmus *all, const bx_perfmon_unit *unit)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->pmu[i].unit.name, unit->name) == 0)
            return &all->pmu[i];
    if (all->n == BX_PERFMON_PMUS)
        return NULL;
    bx_perfmon_pmu *pmu = &all->pmu[all->n++];
    *pmu = (bx_perfmon_pmu){.unit = *unit};
    pmu->last = &pmu->first;
    return pmu;
}

/* ---- modifiers ---- */

/* boxscore's names of Linux's terms, as in the built-in catalogue. Other terms keep Linux's. */
static const struct {
    const char *term, *name;
    bool flag, core, uncore;
    const char *title;
} common[] = {
    {"", "u", true, true, false, "at privilege levels 1, 2 and 3; neither u nor k: at all levels"},
    {"", "k", true, true, false, "at privilege level 0; neither u nor k: at all levels"},
    {"edge", "e", true, true, true, "count rises of the condition"},
    {"inv", "i", true, true, true, "cycles below the threshold instead of those that reach it"},
    {"cmask", "c", false, true, false, "count cycles in which at least this many are added"},
    {"thresh", "t", false, false, true, "count cycles in which at least this many are added"},
};

/* A modifier's field is one of a register that has no address: the words of Linux's
 * perf_event_attr. The kernel's format files decide which bits it really has. */
static uint16_t add_modifier(bx_assembly *a, uint16_t pmu, uint16_t reg, bx_str name, bx_str term,
                             bool flag, bx_str title)
{
    uint16_t field = bx_assembly_add(a, BX_T_FIELDS);
    bool level = !term.n;
    bool small = bx_str_eq(term, BX_STR("thresh")) || bx_str_eq(term, BX_STR("cmask"));
    uint8_t top = flag ? 0 : small ? 15 : 63;
    uint64_t most = flag ? 1 : small ? UINT16_MAX : UINT64_MAX;
    *BX_ASSEMBLED(a, bx_cat_field, BX_T_FIELDS, field) = (bx_cat_field){
        .name = bx_assembly_text(a, level ? name : term), .reg = reg, .hi = top, .clears = BX_NONE};
    uint16_t row = bx_assembly_add(a, BX_T_MODIFIERS);
    *BX_ASSEMBLED(a, bx_cat_modifier, BX_T_MODIFIERS, row) =
        (bx_cat_modifier){.name = bx_assembly_text(a, name),
                          .title = bx_assembly_text(a, title),
                          .kernel = bx_assembly_text(a, term),
                          .pmu = pmu,
                          .field = field,
                          .reg = BX_NONE,
                          .flag = flag,
                          .flags = level ? BX_MODIFIER_LEVEL : 0,
                          .hi = most,
                          .masked = BX_NONE,
                          .twin = BX_NONE,
                          .mask = most,
                          .libpfm_hi = most};
    return row;
}

static bool is_flag(bx_str term)
{
    static const char *const flags[] = {
        "any",           "in_tx",         "in_tx_cp",   "tid_en",      "filter_nc",
        "filter_c6",     "filter_isoc",   "filter_rem", "filter_loc",  "filter_nm",
        "filter_not_nm", "filter_all_op", "occ_invert", "occ_edge_det"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (bx_str_eq(term, bx_str_of(flags[i])))
            return true;
    return false;
}

static bx_span put_modifiers(bx_assembly *a, const bx_perfmon_unit *unit, uint16_t pmu,
                             uint16_t reg)
{
    bx_span span = {bx_assembly_n(a, BX_T_MODIFIERS), 0};
    bool none = strstr(unit->kernel, "free_running") || strcmp(unit->kernel, "msr") == 0 ||
                strcmp(unit->kernel, "power") == 0;
    for (size_t i = 0; i < sizeof common / sizeof *common && !none; i++)
        if (unit->core ? common[i].core : common[i].uncore)
            add_modifier(a, pmu, reg, bx_str_of(common[i].name), bx_str_of(common[i].term),
                         common[i].flag, bx_str_of(common[i].title));
    for (bx_str rest = bx_str_of(unit->modifiers); rest.n;) {
        bx_str term = bx_str_cut(&rest, ' ');
        bx_str name = bx_str_eq(term, BX_STR("any")) ? BX_STR("t") : term;
        add_modifier(a, pmu, reg, name, term, is_flag(term), BX_STR("a term of Linux"));
    }
    span.n = (uint16_t)(bx_assembly_n(a, BX_T_MODIFIERS) - span.first);
    return span;
}

/* ---- counters and events ---- */

static unsigned length_of(uint32_t mask)
{
    return mask ? 32U - (unsigned)__builtin_clz(mask) : 0;
}

/* All counters as one mask: the fixed ones stand right after the programmable ones, if there is
 * room. */
static uint32_t in_a_row(uint32_t counters, unsigned fixed, uint32_t all)
{
    unsigned behind = length_of(all);
    uint32_t mask = counters | (behind + BX_PERFMON_ALL_FIXED <= 32 ? fixed << behind : 0);
    return mask ? mask : 1;
}

static bx_span put_counters(bx_assembly *a, uint16_t pmu, const bx_perfmon_pmu *from,
                            bx_span modifiers)
{
    bx_span span = {bx_assembly_n(a, BX_T_COUNTERS), 0};
    unsigned programmable = length_of(from->counters);
    unsigned n = length_of(in_a_row(from->counters, from->fixed, from->counters));
    bool core = from->unit.core;
    const bx_cat_modifier *first =
        BX_ASSEMBLED(a, bx_cat_modifier, BX_T_MODIFIERS, modifiers.first);
    uint16_t user = core ? first[0].field : BX_NONE, os = core ? first[1].field : BX_NONE;
    for (unsigned i = 0; i < n; i++) {
        uint16_t row = bx_assembly_add(a, BX_T_COUNTERS);
        *BX_ASSEMBLED(a, bx_cat_counter, BX_T_COUNTERS, row) =
            (bx_cat_counter){.pmu = pmu,
                             .index = (uint8_t)i,
                             .width = COUNTER_WIDTH,
                             .flags = i >= programmable && from->fixed ? BX_COUNTER_FIXED : 0,
                             .control = BX_NONE,
                             .value = BX_NONE,
                             .value_field = BX_NONE,
                             .edge = BX_NONE,
                             .invert = BX_NONE,
                             .threshold = BX_NONE,
                             .overflow = BX_NONE,
                             .overflow_en = BX_NONE,
                             .user = user,
                             .os = os,
                             .wrap = BX_NONE,
                             .mode = BX_NONE,
                             .storage = BX_NONE,
                             .tally = BX_NONE,
                             .other_condition = BX_NONE};
    }
    span.n = (uint16_t)(bx_assembly_n(a, BX_T_COUNTERS) - span.first);
    return span;
}

static bx_span put_events(bx_assembly *a, const bx_perfmon_pmu *from, uint16_t pmu,
                          unsigned modifiers)
{
    bx_span span = {bx_assembly_n(a, BX_T_EVENTS), 0};
    uint32_t all = modifiers < 32 ? (UINT32_C(1) << modifiers) - 1 : UINT32_MAX;
    for (const bx_perfmon_event *e = from->first; e; e = e->next) {
        uint16_t row = bx_assembly_add(a, BX_T_EVENTS);
        bx_cat_event *to = BX_ASSEMBLED(a, bx_cat_event, BX_T_EVENTS, row);
        *to = e->row;
        to->pmu = pmu;
        to->modifiers = all;
        to->counters = in_a_row(to->counters, e->fixed, from->counters);
    }
    span.n = (uint16_t)(bx_assembly_n(a, BX_T_EVENTS) - span.first);
    return span;
}

/* The register that fields of modifiers belong to. It is none of the PMU's: it has no address. */
static uint16_t put_attr(bx_assembly *a, uint16_t pmu)
{
    uint16_t address = bx_assembly_add(a, BX_T_ADDRS);
    uint16_t reg = bx_assembly_add(a, BX_T_REGS);
    *BX_ASSEMBLED(a, bx_cat_reg, BX_T_REGS, reg) =
        (bx_cat_reg){.name = bx_assembly_text(a, BX_STR("perf_event_attr")),
                     .pmu = pmu,
                     .width = 64,
                     .base = BX_NONE,
                     .first_addr = address,
                     .precondition = BX_NONE,
                     .shows = BX_NONE};
    return reg;
}

static void put_pmu(bx_assembly *a, const bx_perfmon_pmu *from, uint16_t pmu, bx_str cpu,
                    uint16_t index, bx_cat_text source)
{
    char name[80], label[64];
    const bx_perfmon_unit *unit = &from->unit;
    bool numbered = strstr(unit->kernel, "{unit}") != NULL;
    snprintf(name, sizeof name, "%.*s_%s", (int)(cpu.n < 16 ? cpu.n : 16), cpu.p, unit->name);
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    snprintf(label, sizeof label, "%s%s", unit->title, numbered ? " {unit}" : "");
    bx_span modifiers = put_modifiers(a, unit, pmu, put_attr(a, pmu));
    bx_span counters = put_counters(a, pmu, from, modifiers);
    bx_span events = put_events(a, from, pmu, modifiers.n);
    *BX_ASSEMBLED(a, bx_cat_pmu, BX_T_PMUS, pmu) =
        (bx_cat_pmu){.name = bx_assembly_text(a, bx_str_of(name)),
                     .title = bx_assembly_text(a, bx_str_of(unit->title)),
                     .source = source,
                     .kernel = bx_assembly_text(a, bx_str_of(unit->kernel)),
                     .unit_label = bx_assembly_text(a, bx_str_of(label)),
                     .cpu = index,
                     .scope = unit->core ? BX_SCOPE_CORE : BX_SCOPE_PACKAGE,
                     .unit_max = unit->core ? CORE_UNITS
                                 : numbered ? UNITS_MOST
                                            : 1,
                     .unit_field = BX_NONE,
                     .select_event = BX_NONE,
                     .select_umask = BX_NONE,
                     .counters = counters,
                     .events = events,
                     .modifiers = modifiers,
                     .levels = unit->core ? 3 : 0};
}

bx_span bx_perfmon_put_pmus(bx_assembly *a, const bx_perfmon_pmus *all, bx_str cpu, uint16_t index,
                            bx_cat_text source)
{
    bx_span span = {bx_assembly_n(a, BX_T_PMUS), (uint16_t)all->n};
    for (size_t i = 0; i < all->n; i++)
        bx_assembly_add(a, BX_T_PMUS);
    for (size_t i = 0; i < all->n && !a->full && !a->arena->failed; i++)
        put_pmu(a, &all->pmu[i], (uint16_t)(span.first + i), cpu, index, source);
    return span;
}
