/* Finds the events of the chosen metrics, forms groups of them, and adds them to the list. */
#include "measure/metric_choice.h"

#include "base/buf.h"
#include "base/error.h"
#include "event/event.h"
#include "event/hint.h"
#include "machine/kernel_events.h"
#include "machine/machine.h"
#include "metric/metric.h"
#include "schedule/schedule.h"

#include <stdio.h>
#include <string.h>

static void hint_at_groups(const bx_catalog *c, bx_span groups, bx_error *e)
{
    bx_buf names = {0};
    for (unsigned i = 0; i < groups.n; i++)
        bx_buf_f(&names, "%s %s", i ? "," : "",
                 bx_cat_z(c, bx_cat_metric_groups(c)[groups.first + i].name));
    if (names.n && !names.failed)
        bx_hint(e, "its groups are%s", bx_buf_text(&names));
    bx_buf_free(&names);
}

/* Whether the CPU has an event of this name, in front of a ':' if there is one. */
static bool names_event(const bx_catalog *c, uint16_t cpu, bx_str name)
{
    ptrdiff_t colon = bx_str_find(name, ':', 0);
    bx_span pmus = bx_cat_cpus(c)[cpu].pmus;
    for (unsigned i = 0; i < pmus.n; i++)
        if (bx_cat_find_event(c, (uint16_t)(pmus.first + i),
                              colon < 0 ? name : bx_str_sub(name, 0, (size_t)colon)) != BX_NONE)
            return true;
    return false;
}

static int refuse_name(const bx_catalog *c, uint16_t cpu, bx_str name, size_t at, bx_error *e)
{
    if (!name.n)
        return bx_fail(e, BX_BAD_INPUT, at, 1, "the name of a metric is missing here");
    bx_nearest nearest = bx_nearest_to(name);
    bx_span metrics = bx_cat_cpus(c)[cpu].metrics, groups = bx_cat_cpus(c)[cpu].metric_groups;
    for (unsigned i = 0; i < metrics.n; i++)
        bx_nearest_offer(&nearest, bx_cat_z(c, bx_cat_metrics(c)[metrics.first + i].name));
    for (unsigned i = 0; i < groups.n; i++)
        bx_nearest_offer(&nearest, bx_cat_z(c, bx_cat_metric_groups(c)[groups.first + i].name));
    bx_fail(e, BX_NOT_FOUND, at, name.n, "%s has no metric and no group of metrics '%s'",
            bx_catalog_cpu_name(c, cpu), bx_quote(name).text);
    if (names_event(c, cpu, name))
        bx_hint(e, "it is an event, not a metric");
    else if (*nearest.name)
        bx_nearest_hint(e, &nearest);
    else
        hint_at_groups(c, groups, e);
    return BX_NOT_FOUND;
}

/* Marks the metric of this name, or all of the group. false: there is none. */
static bool mark(const bx_catalog *c, uint16_t cpu, bx_str name, bool *asked)
{
    uint16_t first = bx_cat_cpus(c)[cpu].metrics.first;
    uint16_t metric = bx_cat_find_metric(c, cpu, name);
    uint16_t found = bx_cat_find_metric_group(c, cpu, name);
    if (metric != BX_NONE)
        asked[metric - first] = true;
    if (found == BX_NONE)
        return metric != BX_NONE;
    bx_span members = bx_cat_metric_groups(c)[found].members;
    for (unsigned i = 0; i < members.n; i++)
        asked[bx_cat_metric_members(c)[members.first + i].metric - first] = true;
    return true;
}

/* The distinct events of all metrics, and which of them each metric needs. */
typedef struct list {
    const bx_machine *m;
    const bx_cat_metric *metric; /* the present one */
    bx_evsel *events;            /* first the events that were given before, */
    size_t n, given;             /* `given` of them */
    bool *needs;                 /* by event: the present metric needs it */
    bool any;                    /* the machine has a unit for one of them */
    bool led;                    /* one is counted only in a group after another event */
} list;

static bool note_unit(void *context, unsigned index, bx_str text)
{
    list *l = context;
    bx_evsel event;
    (void)index;
    l->any |= bx_event_parse(l->m->topology.catalog, bx_machine_cpu(l->m), text.p, text.n, &event,
                             NULL) == BX_OK &&
              bx_machine_units(l->m, event.pmu);
    return !l->any;
}

/* Marks the metrics of the name that the machine has units for. "CACHE?": it may have none. */
static void mark_possible(const bx_machine *m, bx_str name, bool *asked, bool *these)
{
    const bx_catalog *c = m->topology.catalog;
    bx_span metrics = bx_cat_cpus(c)[bx_machine_cpu(m)].metrics;
    memset(these, 0, metrics.n);
    mark(c, (uint16_t)bx_machine_cpu(m), name, these);
    for (unsigned i = 0; i < metrics.n; i++) {
        list l = {.m = m};
        if (these[i])
            bx_metric_events(c, &bx_cat_metrics(c)[metrics.first + i], note_unit, &l);
        asked[i] |= l.any;
    }
}

/* Refuses a metric, asked for by its name, with an event or a number that nobody has. */
static int check_known(const bx_catalog *c, uint16_t cpu, bx_str name, size_t at, bx_error *e)
{
    uint16_t metric = bx_cat_find_metric(c, cpu, name);
    bx_str unknown = {NULL, 0};
    if (metric != BX_NONE)
        unknown = bx_metric_unknown(c, &bx_cat_metrics(c)[metric]);
    if (!unknown.p)
        return BX_OK;
    bx_fail(e, BX_NO_FIT, at, name.n, "'%s' cannot be counted: there is no event or number '%s'",
            bx_quote(name).text, bx_quote(unknown).text);
    bx_hint(e, "'boxscore metric' evaluates it with a value of yours");
    return BX_NO_FIT;
}

int bx_metric_choice_read(const bx_machine *m, const char *names, bx_arena *arena,
                          bx_metric_choice *to, bx_error *e)
{
    const bx_catalog *c = m->topology.catalog;
    if (bx_machine_cpu(m) < 0) {
        bx_fail(e, BX_NOT_FOUND, 0, 0,
                "this machine's CPU is not in the catalogue, which has no metrics for it");
        bx_hint(e, "name events, or count on a virtual machine: virtual:%s",
                bx_catalog_cpu_name(c, 0));
        return BX_NOT_FOUND;
    }
    uint16_t cpu = (uint16_t)bx_machine_cpu(m);
    bx_span metrics = bx_cat_cpus(c)[cpu].metrics;
    bool *asked = bx_arena_get(arena, metrics.n + 1u);
    bool *these = bx_arena_get(arena, metrics.n + 1u);
    if (!asked || !these)
        return bx_out_of_memory(e);
    for (bx_str rest = bx_str_of(names); rest.p;) {
        bx_str name = bx_str_trim(bx_str_cut(&rest, ','));
        if (name.n > 1 && name.p[name.n - 1] == '?')
            mark_possible(m, bx_str_sub(name, 0, name.n - 1), asked, these);
        else if (!mark(c, cpu, name, asked))
            return refuse_name(c, cpu, name, (size_t)(name.p - names), e);
        int code = check_known(c, cpu, name, (size_t)(name.p - names), e);
        if (code)
            return code;
    }
    to->asked = asked;
    return BX_OK;
}

static size_t find_operand(const list *l, const bx_cat_operand *operand)
{
    size_t i = 0;
    while (i < l->n && !bx_event_is_operand(l->m->topology.catalog, &l->events[i], operand))
        i++;
    return i;
}

/* A bx_metric_take. */
static bool take_event(void *context, unsigned index, bx_str text)
{
    list *l = context;
    const bx_catalog *c = l->m->topology.catalog;
    size_t at = find_operand(l, &bx_cat_operands(c)[l->metric->operands.first + index]);
    bx_evsel event;
    if (bx_event_parse(c, bx_machine_cpu(l->m), text.p, text.n, &event, NULL) ||
        !bx_machine_units(l->m, event.pmu))
        return true;
    l->any = true;
    l->needs[at] = true;
    if (at == l->n)
        l->events[l->n++] = event;
    return true;
}

static unsigned flags_of(const list *l, size_t event)
{
    uint16_t row = l->events[event].event;
    return row == BX_RAW || l->events[event].pmu == BX_KERNEL
               ? 0
               : bx_cat_events(l->m->topology.catalog)[row].flags;
}

/* Where the list has the event of the PMU that leads groups. It is added; l->n: there is none. */
static size_t find_leader(list *l, uint16_t pmu)
{
    const bx_catalog *c = l->m->topology.catalog;
    bx_span events = bx_cat_pmus(c)[pmu].events;
    unsigned row = events.first, end = row + events.n;
    while (row < end && !(bx_cat_events(c)[row].flags & BX_EVENT_LEADS))
        row++;
    if (row == end)
        return l->n;
    char name[256];
    bx_evsel event;
    int n = snprintf(name, sizeof name, "%s::%s", bx_cat_z(c, bx_cat_pmus(c)[pmu].name),
                     bx_cat_z(c, bx_cat_events(c)[row].name));
    if (bx_event_parse(c, bx_machine_cpu(l->m), name, (size_t)n, &event, NULL))
        return l->n;
    size_t at = 0;
    while (at < l->n && !bx_event_is_part(c, &l->events[at], &event))
        at++;
    if (at == l->n)
        l->events[l->n++] = event;
    return at;
}

/* The kernel counts some events only after the one that leads their group. */
static void take_leader(list *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->needs[i] && flags_of(l, i) & BX_EVENT_FOLLOWS) {
            size_t leader = find_leader(l, l->events[i].pmu);
            l->needs[leader] = leader < l->n;
            l->led = true;
            return;
        }
}

/* Finds the events of the metric with this index. */
static void take_metric(list *l, size_t index, size_t room)
{
    const bx_catalog *c = l->m->topology.catalog;
    bx_span metrics = bx_cat_cpus(c)[bx_machine_cpu(l->m)].metrics;
    l->metric = &bx_cat_metrics(c)[metrics.first + index];
    memset(l->needs, 0, room * sizeof *l->needs);
    bx_metric_events(c, l->metric, take_event, l);
    take_leader(l);
}

/* ---- groups ---- */

/* Events of metrics that are counted at once: sets over the events of the list. */
typedef struct sets {
    list *list;
    size_t room;  /* of a set */
    bool *member; /* [set * room + event] */
    size_t n;
    bx_evsel *trial;
} sets;

static bool *set_of(const sets *s, size_t set)
{
    return &s->member[set * s->room];
}

/* Whether an event has to wait for its turn. A free-running counter always counts. */
static bool waits(const list *l, size_t event)
{
    const bx_catalog *c = l->m->topology.catalog;
    const bx_evsel *e = &l->events[event];
    return !(bx_pmu_counter(c, e->pmu, bx_lowest_bit(bx_event_counters(c, e)))->flags &
             BX_COUNTER_FREE);
}

/* Whether the events of one or two sets can be counted at once. b NULL: only a. */
static bool fits(const sets *s, const bool *a, const bool *b)
{
    size_t n = 0;
    for (size_t i = 0; i < s->list->n; i++)
        if (a[i] || (b && b[i])) {
            s->trial[n] = s->list->events[i];
            s->trial[n++].group = 1;
        }
    bx_schedule schedule;
    if (bx_schedule_make(&s->list->m->topology, s->trial, n, &schedule, NULL))
        return false;
    bx_schedule_free(&schedule);
    return true;
}

static bool holds(const sets *s, const bool *all, const bool *part)
{
    for (size_t i = 0; i < s->list->n; i++)
        if (part[i] && !all[i])
            return false;
    return true;
}

static bool overlap(const sets *s, const bool *a, const bool *b)
{
    for (size_t i = 0; i < s->list->n; i++)
        if (a[i] && b[i])
            return true;
    return false;
}

/* Leaves those events alone that are counted only together. */
static void keep_led(const list *l)
{
    for (size_t i = 0; i < l->n; i++)
        l->needs[i] &= (flags_of(l, i) & (BX_EVENT_LEADS | BX_EVENT_FOLLOWS)) != 0;
}

/* Adds the present metric's events. If no set has all of them, they join a set that has some of
 * them and room for the others. Otherwise they become a new set, which may repeat events of other
 * sets. */
static void add_set(sets *s)
{
    bool *needs = s->list->needs;
    size_t waiting = 0;
    for (size_t i = 0; i < s->list->n; i++)
        waiting += needs[i] &= waits(s->list, i);
    if (s->list->led && waiting > 1 && !fits(s, needs, NULL))
        keep_led(s->list);
    for (size_t set = 0; set < s->n; set++)
        if (holds(s, set_of(s, set), needs))
            return;
    for (size_t set = 0; set < s->n; set++) {
        bool *member = set_of(s, set);
        if (!overlap(s, member, needs) || !fits(s, member, needs))
            continue;
        for (size_t i = 0; i < s->list->n; i++)
            member[i] |= needs[i];
        return;
    }
    if (waiting > 1 && fits(s, needs, NULL))
        memcpy(set_of(s, s->n++), needs, s->room * sizeof *needs);
}

/* ---- the events and their text ---- */

typedef struct output {
    const bx_machine *m;
    bx_evsel *events;
    size_t n;
    uint16_t group; /* the highest number */
    bool weak;      /* groups are given up that the kernel does not take */
    bx_buf text;
} output;

static void put_event(output *o, const bx_evsel *event, bool of_set, const char *before)
{
    char name[256];
    bx_buf_z(&o->text, before);
    bx_event_format(o->m->topology.catalog, event, name, sizeof name);
    o->events[o->n] = *event;
    o->events[o->n].at = o->text.n;
    o->events[o->n].len = strlen(name);
    o->events[o->n].weak = of_set && o->weak;
    o->events[o->n++].group = of_set ? o->group : 0;
    bx_buf_z(&o->text, name);
}

static void put_set(output *o, const list *l, const bool *member)
{
    bool begun = false;
    o->group++;
    for (int behind = 0; behind < 2; behind++) /* the one that leads comes first */
        for (size_t i = 0; i < l->n; i++) {
            bool leads = flags_of(l, i) & BX_EVENT_LEADS;
            if (!member[i] || leads == behind)
                continue;
            put_event(o, &l->events[i], true, begun ? "," : o->text.n ? ",{" : "{");
            begun = true;
        }
    bx_buf_z(&o->text, "}");
}

static void put_all(output *o, const list *l, const sets *s)
{
    for (size_t i = 0; i < l->given; i++)
        o->group = l->events[i].group > o->group ? l->events[i].group : o->group;
    for (size_t set = 0; set < s->n; set++)
        put_set(o, l, set_of(s, set));
    for (size_t i = l->given; i < l->n; i++) {
        bool is_there = false;
        for (size_t set = 0; set < s->n; set++)
            is_there |= set_of(s, set)[i];
        if (!is_there)
            put_event(o, &l->events[i], false, o->text.n ? "," : "");
    }
}

/* Whether the events need several passes, and so are multiplexed. */
static bool take_turns(const list *l)
{
    bx_schedule schedule;
    if (bx_schedule_make(&l->m->topology, l->events, l->n, &schedule, NULL))
        return false; /* the same error is reported later */
    unsigned passes = schedule.passes;
    bx_schedule_free(&schedule);
    return passes > 1;
}

static size_t operands_of(const bx_catalog *c, bx_span metrics, const bool *asked)
{
    size_t n = 0;
    for (unsigned i = 0; i < metrics.n; i++)
        n += asked[i] ? bx_cat_metrics(c)[metrics.first + i].operands.n : 0;
    return n;
}

int bx_metric_choice_add(const bx_machine *m, const bx_metric_choice *o, bool in_turns,
                         bx_arena *arena, bx_evsel **events, size_t *n, const char **text,
                         bx_error *e)
{
    const bx_catalog *c = m->topology.catalog;
    bx_span metrics = bx_cat_cpus(c)[bx_machine_cpu(m)].metrics;
    enum { LEADERS = 8 }; /* one for each kind of core */
    size_t operands = operands_of(c, metrics, o->asked), room = *n + operands + LEADERS;
    list l = {.m = m, .n = *n, .given = *n};
    l.events = bx_arena_get(arena, room * sizeof *l.events);
    l.needs = bx_arena_get(arena, room * sizeof *l.needs);
    sets s = {.list = &l, .room = room};
    s.member = bx_arena_get(arena, metrics.n * room * sizeof *s.member);
    s.trial = bx_arena_get(arena, room * sizeof *s.trial);
    bool by_kernel = bx_machine_perf(m) != NULL;
    output out = {.m = m, .n = *n, .weak = by_kernel};
    out.events = bx_arena_get(arena, (*n + operands + room) * sizeof *out.events);
    if (arena->failed)
        return bx_out_of_memory(e);
    memcpy(l.events, *events, *n * sizeof **events);
    memcpy(out.events, *events, *n * sizeof **events);
    bx_buf_z(&out.text, *text);
    for (unsigned i = 0; i < metrics.n; i++)
        if (o->asked[i])
            take_metric(&l, i, room);
    in_turns = l.led || (in_turns && (by_kernel || take_turns(&l)));
    for (unsigned i = 0; in_turns && i < metrics.n; i++)
        if (o->asked[i]) {
            take_metric(&l, i, room);
            add_set(&s);
        }
    put_all(&out, &l, &s);
    *events = out.events;
    *n = out.n;
    *text = bx_arena_copy(arena, (bx_str){out.text.p, out.text.n});
    bool failed = out.text.failed || !*text;
    bx_buf_free(&out.text);
    if (failed)
        return bx_out_of_memory(e);
    return l.any
               ? BX_OK
               : bx_fail(e, BX_NO_FIT, 0, 0, "this machine has no unit that counts these metrics");
}
