/* Collects the recommended events of the CPU, or the kernel's events of a program, and what the
 * first screen shows. */
#include "measure/default_events.h"

#include "base/buf.h"
#include "machine/kernel_events.h"
#include "metric/metric.h"

#include <string.h>
#include <unistd.h>

static void append_event(bx_buf *list, const char *more)
{
    bx_buf_f(list, "%s%s", list->n ? "," : "", more);
}

/* Whether the machine has a unit that the event could be counted in: a host may hide some. */
static bool has_unit(const bx_machine *m, const bx_catalog *c, const char *name)
{
    bx_evsel event;
    return bx_event_parse(c, bx_machine_cpu(m), name, strlen(name), &event, NULL) != BX_OK ||
           bx_machine_units(m, event.pmu) > 0;
}

/* Adds the events that the CPU's catalogue file recommends, as far as the machine has units for
 * them. */
static void add_of_units(const bx_machine *m, bx_buf *to)
{
    const bx_catalog *c = m->topology.catalog;
    bx_span span = bx_cat_cpus(c)[bx_machine_cpu(m)].defaults;
    for (unsigned i = 0; i < span.n; i++) {
        const char *name = bx_cat_z(c, bx_cat_picks(c)[span.first + i].event);
        if (has_unit(m, c, name))
            append_event(to, name);
    }
}

/* ---- the first screen ---- */

/* perf's words, in perf's order. */
static const char *const words[] = {"task-clock", "cycles", "instructions", "branches",
                                    "cache-misses"};

/* Metrics, as far as the CPU has them. `shown`: with a line of its own; the others stand beside
 * such lines, or are what advice is about. */
static const struct {
    const char *name;
    bool shown, packages; /* packages: only with several */
} figures[] = {
    {"dram_bytes_read", true, false},
    {"dram_bytes_written", true, false},
    {"bus_bytes", true, false},
    {"bus_utilization", true, false},
    /* of an imported CPU */
    {"memory_bandwidth_read", true, false},
    {"memory_bandwidth_write", true, false},
    {"Info_System_DRAM_BW_Use", true, false},
    {"Info_Thread_IPC", true, false},
    {"Retiring", true, false},
    {"Bad_Speculation", true, false},
    {"Frontend_Bound", true, false},
    {"Backend_Bound", true, false},
    /* of the catalogue */
    {"remote_share", true, true},
    {"hitm", true, false},
    {"branch_mispredict_ratio", false, false},
    {"llc_mpki", false, false},
    {"l2_mpki", false, false},
    {"dram_read_bandwidth", false, false},
    {"dram_write_bandwidth", false, false},
    {"bus_bandwidth", false, false},
    {"load_stall_share", false, false},
    {"memory_stall_share", false, false},
    {"cycles_base", false, false},
    {"cycles_l2", false, false},
    {"cycles_flight", false, false},
    {"cycles_llc", false, false},
    {"cycles_core", false, false},
    {"cycles_package", false, true},
    {"cycles_turn", false, false},
    {"cycles_memory", false, false},
    {"cycles_remote_memory", false, true},
    {"cycles_tlb", false, false},
    {"cycles_buffer", false, false},
    {"cycles_stores", false, false},
    {"cycles_lock", false, false},
    {"cycles_branch", false, false},
    {"cycles_kernel", false, false},
    {"cycles_end", false, false},
    {"cycles_fetch", false, false},
    {"cycles_data", false, false},
    {"cycles_interrupts", false, false},
};

typedef struct screen {
    bx_machine *m;
    bx_buf *text;
    struct screen *before; /* what is listed before; or NULL */
    bool produced;         /* all events of the present metric */
    bx_buf known; /* the canonical names of the events in the first `seen` bytes of the text */
    size_t seen;
} screen;

static bool is_produced(const screen *s, bx_str name, bx_evsel *event)
{
    return bx_event_parse(s->m->topology.catalog, bx_machine_cpu(s->m), name.p, name.n, event,
                          NULL) == BX_OK &&
           bx_machine_units(s->m, event->pmu) && bx_machine_produces(s->m, event);
}

static void know_listed(screen *s)
{
    const bx_catalog *c = s->m->topology.catalog;
    bx_str text = {bx_buf_text(s->text), s->text->n};
    for (bx_str rest = bx_str_sub(text, s->seen, text.n); rest.p;) {
        char canonical[256];
        bx_evsel event;
        bx_str name = bx_str_cut(&rest, ',');
        while (name.n && (*name.p == '{' || name.p[name.n - 1] == '}'))
            name = *name.p == '{' ? bx_str_sub(name, 1, name.n) : bx_str_sub(name, 0, name.n - 1);
        if (name.n &&
            bx_event_parse(c, bx_machine_cpu(s->m), name.p, name.n, &event, NULL) == BX_OK &&
            bx_event_format(c, &event, canonical, sizeof canonical) < sizeof canonical)
            append_event(&s->known, canonical);
    }
    s->seen = text.n;
}

/* Whether the list has the event, under any name. */
static bool is_listed(screen *s, const char *canonical)
{
    know_listed(s);
    for (bx_str rest = {bx_buf_text(&s->known), s->known.n}; rest.p;)
        if (bx_str_eq(bx_str_cut(&rest, ','), bx_str_of(canonical)))
            return true;
    return s->before && is_listed(s->before, canonical);
}

/* bx_metric_take: looks whether the machine produces the event, or adds it. */
static bool check_event(void *context, unsigned index, bx_str name)
{
    screen *s = context;
    bx_evsel event;
    (void)index;
    s->produced &= is_produced(s, name, &event);
    return s->produced;
}

static bool add_event(void *context, unsigned index, bx_str name)
{
    screen *s = context;
    char canonical[256];
    bx_evsel event;
    (void)index;
    if (is_produced(s, name, &event) &&
        bx_event_format(s->m->topology.catalog, &event, canonical, sizeof canonical) <
            sizeof canonical &&
        !is_listed(s, canonical))
        append_event(s->text, canonical);
    return true;
}

static void show(bx_default_events *to, const char *word)
{
    if (to->screen_n < BX_SCREEN_WORDS)
        to->screen[to->screen_n++] = word;
}

static void add_words(screen *s, bool registers, bx_default_events *to)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        bx_evsel event;
        bool of_core = i > 0; /* task-clock is the model's own, without a register */
        if (of_core ? !is_produced(s, bx_str_of(words[i]), &event) : registers)
            continue;
        append_event(s->text, words[i]);
        show(to, words[i]);
    }
}

/* The metric of figure i; NULL: the CPU has none, or the machine has too few packages. */
static const bx_cat_metric *metric_of(const bx_machine *m, size_t i)
{
    const bx_catalog *c = m->topology.catalog;
    uint16_t found = bx_cat_find_metric(c, m->topology.cpu, bx_str_of(figures[i].name));
    if (found == BX_NONE || (figures[i].packages && bx_machine_packages(m) < 2) ||
        bx_metric_unknown(c, &bx_cat_metrics(c)[found]).p)
        return NULL;
    return &bx_cat_metrics(c)[found];
}

static void add_figures(screen *s, bx_default_events *to)
{
    const bx_catalog *c = s->m->topology.catalog;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const bx_cat_metric *metric = metric_of(s->m, i);
        if (!metric)
            continue;
        s->produced = true;
        bx_metric_events(c, metric, check_event, s);
        if (!s->produced)
            continue;
        bx_metric_events(c, metric, add_event, s);
        if (figures[i].shown)
            show(to, figures[i].name);
    }
}

/* ---- a host ---- */

/* Whether the host counts the events of the list all the time. */
static bool counts_at_once(bx_machine *m, const char *list)
{
    enum { ROOM = 64 };
    bx_evsel events[ROOM];
    size_t n;
    bx_session *s = NULL;
    bool can = bx_machine_events_parse(m, list, events, ROOM, &n, NULL) == BX_OK &&
               bx_session_open(m, events, n, NULL, &s, NULL) == BX_OK && bx_session_passes(s) <= 1;
    bx_session_close(s);
    return can;
}

/* Adds events to the list if all are still counted at once. false: they are not. */
static bool add_if_at_once(const screen *s, const char *more)
{
    bx_buf longer = {0};
    bx_buf_z(&longer, bx_buf_text(s->text));
    append_event(&longer, more);
    bool can = *more && !longer.failed && counts_at_once(s->m, bx_buf_text(&longer));
    if (can)
        append_event(s->text, more);
    bx_buf_free(&longer);
    return can;
}

/* The name of the PMU's event that leads groups; empty: it has none. */
static void name_leader(const bx_catalog *c, uint16_t pmu, bx_buf *to)
{
    bx_span all = bx_cat_pmus(c)[pmu].events;
    for (unsigned i = all.first; i < (unsigned)all.first + all.n; i++)
        if (bx_cat_events(c)[i].flags & BX_EVENT_LEADS && !to->n)
            bx_buf_f(to, "%s::%s", bx_cat_z(c, bx_cat_pmus(c)[pmu].name),
                     bx_cat_z(c, bx_cat_events(c)[i].name));
}

/* Puts events of the list that the kernel counts only after another one into a group with it. */
static void make_groups(const screen *s, bx_buf *list)
{
    const bx_catalog *c = s->m->topology.catalog;
    bx_buf led = {0}, leader = {0}, others = {0};
    for (bx_str rest = bx_str_of(bx_buf_text(list)); rest.p;) {
        bx_evsel event;
        bx_str name = bx_str_cut(&rest, ',');
        bool known = bx_event_parse(c, bx_machine_cpu(s->m), name.p, name.n, &event, NULL) == BX_OK;
        unsigned flags = known && event.event != BX_NONE ? bx_cat_events(c)[event.event].flags : 0;
        if (flags & BX_EVENT_FOLLOWS)
            name_leader(c, event.pmu, &leader);
        if (!(flags & BX_EVENT_LEADS)) {
            bx_buf *to = flags & BX_EVENT_FOLLOWS ? &led : &others;
            bx_buf_f(to, "%s%.*s", to->n ? "," : "", (int)name.n, name.p);
        }
    }
    bool failed = led.failed || leader.failed || others.failed;
    if (led.n && leader.n && !failed) {
        list->n = 0;
        bx_buf_f(list, "{%s,%s}%s%s", bx_buf_text(&leader), bx_buf_text(&led), others.n ? "," : "",
                 others.n ? bx_buf_text(&others) : "");
    }
    list->failed |= failed;
    bx_buf_free(&led);
    bx_buf_free(&leader);
    bx_buf_free(&others);
}

/* Adds what a host counts of the first screen without multiplexing. */
static void add_of_host(screen *s, bx_default_events *to)
{
    const bx_catalog *c = s->m->topology.catalog;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (add_if_at_once(s, words[i]))
            show(to, words[i]);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const bx_cat_metric *metric = metric_of(s->m, i);
        if (!metric)
            continue;
        bx_buf more = {0};
        screen trial = {.m = s->m, .text = &more, .before = s, .known = {.whole = s->text->whole}};
        bx_metric_events(c, metric, add_event, &trial);
        make_groups(s, &more);
        s->produced = true;
        if (!more.n && !more.failed)
            bx_metric_events(c, metric, check_event, s);
        bool counted = more.n ? !more.failed && add_if_at_once(s, bx_buf_text(&more)) : s->produced;
        if (counted && figures[i].shown)
            show(to, figures[i].name);
        bx_buf_free(&more);
        bx_buf_free(&trial.known);
    }
}

/* Adds the kernel's own events of a program. If perf_event_paranoid allows no more, they count user
 * code only. Context switches are then left out, because their count would always be 0. */
static void add_software(bx_machine *m, bx_buf *to, bx_default_events *all)
{
    static const char *const names[] = {"task-clock",       "cpu-clock",   "page-faults",
                                        "context-switches", "cycles",      "instructions",
                                        "branches",         "cache-misses"};
    enum { CLOCK = 1, SWITCHES = 3, OF_KERNEL = 4, ALL = sizeof names / sizeof *names };
    bx_perf *perf = bx_machine_perf(m);
    bool own_code = geteuid() != 0 && perf->paranoid > 1;
    for (size_t i = 0; i < (perf->foreign ? OF_KERNEL : ALL); i++)
        if (!own_code || i != SWITCHES) {
            bx_buf_f(to, "%s%s%s", to->n ? "," : "", names[i], own_code ? ":u" : "");
            if (i != CLOCK)
                show(all, names[i]);
        }
}

bx_default_events bx_default_events_of(bx_machine *m, bool registers, bx_arena *a)
{
    bx_default_events to = {.text = NULL};
    bx_buf text = {.whole = &a->failed};
    if (bx_machine_has_banks(m)) {
        screen s = {.m = m, .text = &text};
        add_of_units(m, &text);
        s.known.whole = text.whole;
        add_words(&s, registers, &to);
        add_figures(&s, &to);
        bx_buf_free(&s.known);
    } else if (bx_machine_can(m)->has_drivers && m->topology.cpu != BX_NONE) {
        screen s = {.m = m, .text = &text};
        s.known.whole = text.whole;
        add_of_host(&s, &to);
        bx_buf_free(&s.known);
    } else if (m->bus) {
        add_of_units(m, &text);
    }
    if (!m->bus && !text.n)
        add_software(m, &text, &to);
    to.text = bx_arena_copy(a, (bx_str){bx_buf_text(&text), text.n});
    bx_buf_free(&text);
    return to;
}
