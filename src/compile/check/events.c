/* Checks of counters, events, unit masks and their groups. */
#include "compile/check/check.h"

#include "base/bits.h"

void bx_check_counters(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(k->c)[i];
        const bx_syntax_node *node = bx_check_from(k, BX_T_COUNTERS, i);
        bool enable = bx_syntax_has(node, "enable");
        if (bx_check_field_most(k, counter->value_field) != bx_mask_width(counter->width))
            bx_check_fail(k, node, "width", 0, "the field that it counts in has another width");
        if (!(counter->flags & BX_COUNTER_FIXED) && counter->control == BX_NONE)
            bx_check_fail(k, node, NULL, 0, "a counter has a control register or is fixed");
        if (counter->overflow != BX_NONE && counter->overflow_en == BX_NONE)
            bx_check_fail(k, node, NULL, 0, "overflow comes with enable or pmi");
        if (enable && counter->overflow == BX_NONE)
            bx_check_fail(k, node, "enable", 0, "there is no status bit that it could enable");
        if (enable && bx_syntax_has(node, "pmi"))
            bx_check_fail(k, node, "pmi", 0, "enable lets the PMI through as well");
        if (counter->wrap != BX_NONE && bx_check_field_most(k, counter->wrap) != 1)
            bx_check_fail(k, node, "modes", 0, "this is not a single bit");
        if (counter->erratum >= counter->width)
            bx_check_fail(k, node, "erratum", 0, "the counter has %u bits", counter->width);
        if (counter->mode != BX_NONE && bx_check_field_most(k, counter->mode) != 3)
            bx_check_fail(k, node, "modes", 1, "up, down and both take two bits");
    }
}

void bx_check_conditions(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->counters.n; i++) {
        bx_span span = bx_cat_counters(k->c)[i].counts;
        for (uint16_t n = 0; n < span.n; n++) {
            const bx_cat_cond *cond = &bx_cat_conds(k->c)[span.first + n];
            if (cond->value > bx_check_field_most(k, cond->field))
                bx_check_fail(k, bx_check_from(k, BX_T_COUNTERS, i), "when", n,
                              "%s has no such value",
                              bx_cat_z(k->c, bx_cat_fields(k->c)[cond->field].name));
        }
    }
}

/* Checks that an event has a counter, and that an event that cannot be selected has a counter of
 * its own. */
void bx_check_reachable(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(k->c)[i];
        const bx_cat_pmu *pmu = &bx_cat_pmus(k->c)[event->pmu];
        const bx_syntax_node *node = bx_check_from(k, BX_T_EVENTS, i);
        if (event->counters == 0)
            bx_check_fail(k, node, NULL, 0, "no counter of the PMU can count it");
        for (uint16_t n = 0; n < pmu->counters.n; n++) {
            bool fixed = bx_cat_counters(k->c)[pmu->counters.first + n].flags & BX_COUNTER_FIXED;
            bool it = event->counters >> n & 1, alone = event->counters == UINT32_C(1) << n;
            if (it && (fixed ? !alone : pmu->select_event == BX_NONE))
                bx_check_fail(k, node, NULL, 0,
                              fixed ? "a fixed counter counts one event, on no other counter"
                                    : "the PMU does not say which field selects an event");
        }
    }
}

/* Checks that code and unit mask fit the field, or the bits of a register, that they go to. */
static void check_held(const bx_check *k, const bx_syntax_node *node, const char *word,
                       unsigned arg, uint64_t value, uint16_t field)
{
    if (value > bx_check_field_most(k, field))
        bx_check_fail(k, node, word, arg, "%s holds 0 to 0x%llx",
                      bx_cat_z(k->c, bx_cat_fields(k->c)[field].name),
                      (unsigned long long)bx_check_field_most(k, field));
}

/* The same for an event in a slot: each place has bits for it that can be written. */
static void check_placed(const bx_check *k, const bx_syntax_node *node, const char *word,
                         unsigned arg, uint64_t value, const bx_cat_event *event)
{
    bx_span span = bx_cat_slots(k->c)[event->slot].places;
    for (uint16_t i = span.first; i < span.first + span.n; i++) {
        const bx_cat_place *place = &bx_cat_places(k->c)[i];
        bool taken = event->place == BX_ANY_PLACE || event->place == place->index;
        uint64_t most = place->has ? bx_mask_width(place->hi - place->lo + 1U) : 0;
        uint64_t bits = value << place->lo;
        uint64_t stored = place->has ? bx_cat_regs(k->c)[place->reg[0]].bits.stored : 0;
        if (taken && (value > most || (value && bits & ~stored)))
            bx_check_fail(k, node, word, arg, "a place of '%s' does not hold it",
                          bx_cat_z(k->c, bx_cat_slots(k->c)[event->slot].name));
    }
}

/* Whether the event belongs to a fixed counter, which no register selects. */
static bool is_fixed(const bx_check *k, const bx_cat_event *event)
{
    unsigned first = bx_cat_pmus(k->c)[event->pmu].counters.first;
    return event->counters &&
           bx_cat_counters(k->c)[first + (unsigned)__builtin_ctz(event->counters)].flags &
               BX_COUNTER_FIXED;
}

void bx_check_code(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(k->c)[i];
        const bx_syntax_node *node = bx_check_from(k, BX_T_EVENTS, i);
        uint16_t select = bx_cat_pmus(k->c)[event->pmu].select_event;
        if (event->slot != BX_NONE)
            check_placed(k, node, "code", 0, event->code, event);
        else if (select != BX_NONE && !is_fixed(k, event))
            check_held(k, node, "code", 0, event->code, select);
    }
}

/* Checks that one code means different events only on different counters. */
void bx_check_codes(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(k->c)[i];
        if (event->slot != BX_NONE || bx_cat_pmus(k->c)[event->pmu].select_event == BX_NONE)
            continue;
        uint16_t same = bx_cat_event_by_code_on(k->c, event->pmu, event->code, event->counters);
        if (same != i)
            bx_check_fail(k, bx_check_from(k, BX_T_EVENTS, i), "code", 0,
                          "on a counter of both this is '%s'",
                          bx_cat_z(k->c, bx_cat_events(k->c)[same].name));
    }
}

void bx_check_umask(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->umasks.n; i++) {
        const bx_cat_umask *umask = &bx_cat_umasks(k->c)[i];
        const bx_cat_event *event = &bx_cat_events(k->c)[umask->event];
        const bx_syntax_node *node = bx_check_from(k, BX_T_UMASKS, i);
        const bx_cat_pmu *pmu = &bx_cat_pmus(k->c)[event->pmu];
        if (event->slot != BX_NONE)
            check_placed(k, node, NULL, 1, umask->value, event);
        else if (pmu->select_umask != BX_NONE)
            check_held(k, node, NULL, 1, umask->value, pmu->select_umask);
        else if (umask->value && pmu->select_event != BX_NONE)
            bx_check_fail(k, node, NULL, 1, "the PMU has no field for unit masks");
    }
}

void bx_check_bit(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->umasks.n; i++) {
        const bx_cat_umask *umask = &bx_cat_umasks(k->c)[i];
        if (umask->flags & BX_UMASK_BIT && (umask->value == 0 || umask->value & (umask->value - 1)))
            bx_check_fail(k, bx_check_from(k, BX_T_UMASKS, i), NULL, 1, "this is not a single bit");
    }
}

bool bx_check_same_sets(const bx_check *k, bx_span a, bx_span b)
{
    const bx_cat_set *sets = bx_cat_sets(k->c);
    for (uint16_t i = 0; i < a.n && a.n == b.n; i++)
        if (sets[a.first + i].modifier != sets[b.first + i].modifier ||
            sets[a.first + i].value != sets[b.first + i].value)
            return false;
    return a.n == b.n;
}

/* Checks names of the same registers: exactly one of them must be the one to print. */
void bx_check_canonical(const bx_check *k)
{
    const bx_cat_umask *umasks = bx_cat_umasks(k->c);
    for (uint16_t i = 0; i < k->c->umasks.n; i++) {
        bx_span span = bx_cat_events(k->c)[umasks[i].event].umasks;
        bool printed = !(umasks[i].flags & BX_UMASK_ALIAS);
        for (uint16_t other = span.first; other < i; other++)
            if (printed && !(umasks[other].flags & BX_UMASK_ALIAS) &&
                umasks[i].value == umasks[other].value && umasks[i].rank == umasks[other].rank &&
                bx_check_same_sets(k, umasks[i].sets, umasks[other].sets))
                bx_check_fail(k, bx_check_from(k, BX_T_UMASKS, i), NULL, 0,
                              "%s means the same and has the same rank",
                              bx_cat_z(k->c, umasks[other].name));
    }
}

static void check_group(const bx_check *k, uint16_t i)
{
    const bx_cat_group *group = &bx_cat_groups(k->c)[i];
    const bx_syntax_node *node = bx_check_from(k, BX_T_GROUPS, i);
    if (group->umasks.n == 0)
        bx_check_fail(k, node, NULL, 0, "this group has no unit mask");
    if (group->preset != BX_NONE && group->flags & BX_GROUP_REQUIRED)
        bx_check_fail(k, node, "default", 0, "what must be named has no default");
}

/* Checks that all unit masks of an event belong to groups, or none. */
void bx_check_group(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->groups.n; i++)
        check_group(k, i);
    for (uint16_t i = 0; i < k->c->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(k->c)[i];
        if (event->groups.n && event->umask_default != BX_NONE)
            bx_check_fail(k, bx_check_from(k, BX_T_EVENTS, i), "default", 0,
                          "the groups of this event have the defaults");
    }
    for (uint16_t i = 0; i < k->c->umasks.n; i++) {
        const bx_cat_umask *umask = &bx_cat_umasks(k->c)[i];
        if (umask->group == BX_NONE && bx_cat_events(k->c)[umask->event].groups.n)
            bx_check_fail(k, bx_check_from(k, BX_T_UMASKS, i), NULL, 0,
                          "this unit mask stands before the event's groups");
    }
}
