/* Small sets of events of each box in the catalogue, against an exhaustive search. No set takes
 * more passes than needed, and no pass has incompatible events. Register contents come from
 * src/event, whose tests check them against the documents. */
#include "machine.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 200, LIST = 8 * TEXT, SMALL = 4 };

static uint64_t random_of(uint64_t *x, uint64_t n)
{
    *x = *x * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (*x >> 33) % n;
}

/* ---- an independent search ---- */

/* An event, with the register values for each possible counter and each of its places. */
struct way {
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t n;
    unsigned counter;
};

enum { WAYS = 64 };

struct subject {
    struct way way[WAYS];
    size_t ways;
};

static struct subject subject_of(const struct fixture *f, const bx_evsel *event)
{
    const bx_catalog *c = f->topology.catalog;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    struct subject s = {.ways = 0};
    uint16_t first;
    unsigned port = event->port == BX_ANY ? 0 : (unsigned)event->port % pmu->ports;
    unsigned places = bx_event_places(c, event, port, &first);
    for (unsigned i = 0; i < pmu->counters.n; i++) {
        if (!(bx_event_counters(c, event) >> i & 1))
            continue;
        for (unsigned p = 0; p < (places ? places : 1); p++) {
            assert_true(s.ways < WAYS);
            struct way *w = &s.way[s.ways++];
            w->counter = i;
            w->n = bx_event_registers_at(c, event, bx_pmu_counter(c, event->pmu, i),
                                         places ? (uint16_t)(first + p) : BX_NONE, w->regs);
        }
    }
    return s;
}

/* Two events can count at once if they are on different counters, and no register needs two
 * values. */
static bool agree(const struct way *a, const struct way *b)
{
    if (a->counter == b->counter)
        return false;
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < b->n; j++)
            if (a->regs[i].reg == b->regs[j].reg &&
                (a->regs[i].value ^ b->regs[j].value) & a->regs[i].mask & b->regs[j].mask)
                return false;
    return true;
}

static bool at_once(const struct subject *s, const unsigned *which, size_t n, size_t i,
                    const struct way **taken)
{
    if (i == n || i == SMALL)
        return true;
    for (size_t w = 0; w < s[which[i]].ways; w++) {
        size_t j = 0;
        taken[i] = &s[which[i]].way[w];
        while (j < i && agree(taken[j], taken[i]))
            j++;
        if (j == i && at_once(s, which, n, i + 1, taken))
            return true;
    }
    return false;
}

/* fits[set of members]: whether they are compatible. */
static void find_fits(const struct subject *s, size_t n, bool *fits)
{
    for (unsigned set = 0; set < 1u << n; set++) {
        unsigned which[SMALL];
        const struct way *taken[SMALL];
        size_t members = 0;
        for (unsigned i = 0; i < n; i++)
            if (set >> i & 1)
                which[members++] = i;
        fits[set] = at_once(s, which, members, 0, taken);
    }
}

/* The smallest number of compatible sets that together contain all events. */
static unsigned fewest(const bool *fits, unsigned left)
{
    unsigned best = left ? SMALL + 1 : 0;
    for (unsigned set = left; set; set = (set - 1) & left) {
        if (!fits[set] || !(set & (left & -left)))
            continue;
        unsigned passes = 1 + fewest(fits, left & ~set);
        best = passes < best ? passes : best;
    }
    return best;
}

/* ---- random events of a box ---- */

static const char *name_of(const bx_catalog *c, bx_cat_text text)
{
    return bx_cat_z(c, text);
}

static void add_umasks(const bx_catalog *c, const bx_cat_event *event, uint64_t *x, char *to)
{
    const bx_cat_umask *umasks = &bx_cat_umasks(c)[event->umasks.first];
    unsigned n = event->umasks.n ? (unsigned)random_of(x, 3) : 0;
    if (event->umasks.n && event->umask_default == BX_NONE && !event->groups.n)
        n = 1;
    for (unsigned i = 0; i < n; i++) {
        strcat(to, ":");
        strcat(to, name_of(c, umasks[random_of(x, event->umasks.n)].name));
    }
}

static void add_modifiers(const bx_catalog *c, const bx_cat_pmu *pmu, uint32_t taken, uint64_t *x,
                          char *to)
{
    for (; taken; taken &= taken - 1) {
        const bx_cat_modifier *m =
            &bx_cat_modifiers(c)[pmu->modifiers.first + bx_lowest_bit(taken)];
        if (random_of(x, 4))
            continue;
        uint64_t least = m->flag ? 0 : m->lo, most = m->flag ? 1 : m->hi;
        size_t n = strlen(to);
        snprintf(
            to + n, TEXT - n, ":%s=%llu", name_of(c, m->name),
            (unsigned long long)(least + random_of(x, most - least < 2 ? most - least + 1 : 3)));
    }
}

/* Makes an event of unit 0 with random unit masks and modifiers; tries again if it is invalid. */
static void random_event(const bx_catalog *c, const bx_cat_pmu *pmu, const bx_cat_event *event,
                         uint64_t *x, char *to)
{
    bx_evsel parsed;
    int cpu = pmu->cpu;
    for (unsigned tries = 0; tries < 200; tries++) {
        char number[24] = "0";
        to[0] = '\0';
        if (pmu->ports)
            snprintf(number, sizeof number, "%s", "");
        snprintf(to, TEXT, "%s%s::%s", name_of(c, pmu->name), number, name_of(c, event->name));
        add_umasks(c, event, x, to);
        add_modifiers(c, pmu, tries < 100 ? event->modifiers : 0, x, to);
        if (pmu->ports)
            snprintf(to + strlen(to), 16, ":port=%u", (unsigned)random_of(x, 2));
        assert_true(strlen(to) < TEXT - 16);
        if (bx_event_parse(c, cpu, to, strlen(to), &parsed, NULL) == BX_OK)
            return;
    }
    fail_msg("no event: %s", to);
}

static const bx_cat_event *any_event(const bx_catalog *c, const bx_cat_pmu *pmu, uint64_t *x)
{
    return &bx_cat_events(c)[pmu->events.first + random_of(x, pmu->events.n)];
}

/* ---- comparison ---- */

static void assert_least(const char *machine, const char *list)
{
    struct fixture f;
    struct subject subjects[SMALL];
    bool fits[1 << SMALL];
    fixture_made(&f, machine, list);
    assert_int_equal(f.schedule.n, f.n);
    for (size_t i = 0; i < f.n; i++)
        subjects[i] = subject_of(&f, &f.events[i]);
    find_fits(subjects, f.n, fits);
    unsigned least = fewest(fits, (1u << f.n) - 1);
    if (f.schedule.passes != least)
        fail_msg("%u passes for %s, %u would do", f.schedule.passes, list, least);
    fixture_done(&f);
    /* As one event group, the set is refused or takes one pass. */
    char braces[LIST + 3];
    snprintf(braces, sizeof braces, "{%s}", list);
    int code = fixture_make(&f, machine, braces);
    assert_int_equal(code, least == 1 ? BX_OK : BX_NO_FIT);
    assert_true(code == BX_OK || f.e.message[0] != '\0');
    if (code == BX_OK)
        fixture_done(&f);
}

/* No register needs two values for two assignments of one unit and pass. */
static void assert_sound(const struct fixture *f)
{
    const bx_catalog *c = f->topology.catalog;
    for (size_t i = 0; i < f->schedule.n; i++) {
        const bx_assignment *a = &f->schedule.assignments[i];
        struct way one, other;
        one.counter = bx_cat_counters(c)[a->counter].index;
        one.n = bx_event_registers_at(c, &f->events[a->event], &bx_cat_counters(c)[a->counter],
                                      a->place, one.regs);
        for (size_t j = 0; j < i; j++) {
            const bx_assignment *b = &f->schedule.assignments[j];
            if (a->package != b->package || a->unit != b->unit || a->pass != b->pass ||
                f->events[a->event].pmu != f->events[b->event].pmu || a->passes != b->passes)
                continue;
            other.counter = bx_cat_counters(c)[b->counter].index;
            other.n = bx_event_registers_at(c, &f->events[b->event],
                                            &bx_cat_counters(c)[b->counter], b->place, other.regs);
            assert_true(agree(&one, &other));
        }
    }
}

static bool is_shared_box(const bx_catalog *c, const bx_cat_pmu *pmu)
{
    for (unsigned i = 0; i < pmu->counters.n; i++)
        if (bx_cat_counters(c)[pmu->counters.first + i].flags &
            (BX_COUNTER_FIXED | BX_COUNTER_FREE))
            return false;
    return pmu->counters.n > 0 && pmu->events.n > 0;
}

typedef void over_box(const char *machine, const bx_cat_pmu *pmu, uint64_t *x);

static void each_box(over_box *over)
{
    const bx_catalog *c = bx_catalog_builtin();
    static const char machines[][40] = {"virtual:nhmex,packages=1", "virtual:ivbep,packages=1",
                                        "virtual:skl", "virtual:p6"};
    uint64_t x = 1;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        bx_topology t;
        assert_int_equal(bx_topology_parse(c, bx_str_of(machines[i]), &t, NULL), BX_OK);
        bx_span pmus = bx_cat_cpus(c)[t.cpu].pmus;
        for (unsigned p = pmus.first; p < pmus.first + pmus.n; p++)
            if (is_shared_box(c, &bx_cat_pmus(c)[p]))
                over(machines[i], &bx_cat_pmus(c)[p], &x);
    }
}

static void pairs(const char *machine, const bx_cat_pmu *pmu, uint64_t *x)
{
    const bx_catalog *c = bx_catalog_builtin();
    const bx_cat_event *events = &bx_cat_events(c)[pmu->events.first];
    for (unsigned i = 0; i < pmu->events.n; i++) {
        for (unsigned j = 0; j <= i; j++) {
            char one[TEXT], other[TEXT], list[LIST];
            random_event(c, pmu, &events[i], x, one);
            random_event(c, pmu, &events[j], x, other);
            snprintf(list, sizeof list, "%s,%s", one, other);
            assert_least(machine, list);
        }
    }
}

/* All pairs of events of a box; unit masks, modifiers and ports are random. */
static void all_pairs(void **state)
{
    (void)state;
    each_box(pairs);
}

static void some_of(const char *machine, const bx_cat_pmu *pmu, uint64_t *x, unsigned most,
                    unsigned rounds, bool small)
{
    const bx_catalog *c = bx_catalog_builtin();
    for (unsigned round = 0; round < rounds; round++) {
        char list[32 * TEXT] = "", one[TEXT];
        unsigned n = 1 + (unsigned)random_of(x, most);
        /* Only a few kinds of events, so that they compete for the same registers. */
        const bx_cat_event *kind = any_event(c, pmu, x);
        for (unsigned i = 0; i < n; i++) {
            random_event(c, pmu, random_of(x, 2) ? kind : any_event(c, pmu, x), x, one);
            strcat(list, i ? "," : "");
            strcat(list, one);
        }
        struct fixture f;
        if (small) {
            assert_least(machine, list);
            continue;
        }
        fixture_made(&f, machine, list);
        assert_sound(&f);
        fixture_done(&f);
    }
}

static void sets_of_four(const char *machine, const bx_cat_pmu *pmu, uint64_t *x)
{
    some_of(machine, pmu, x, SMALL, 400, true);
}

static void small_sets(void **state)
{
    (void)state;
    each_box(sets_of_four);
}

static void sets_of_many(const char *machine, const bx_cat_pmu *pmu, uint64_t *x)
{
    some_of(machine, pmu, x, 24, 40, false);
}

static void large_sets_are_sound(void **state)
{
    (void)state;
    each_box(sets_of_many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs),
        cmocka_unit_test(small_sets),
        cmocka_unit_test(large_sets_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
