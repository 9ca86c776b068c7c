/* Explains why events are incompatible: two require different contents of a register, or there are
 * too few counters or places. */
#include "schedule/internal.h"

#include "base/error.h"
#include "event/event.h"

#include <stdlib.h>
#include <string.h>

enum { NAME = 96 };

typedef struct name {
    char text[NAME];
} name;

/* The event without its PMU: "UNC_CBO_CACHE_LOOKUP:ANY_I". */
static name event_name(const struct bx_catalog *c, const bx_evsel *event)
{
    char text[512];
    name n = {""};
    bx_event_format(c, event, text, sizeof text);
    const char *colons = strstr(text, "::");
    const char *own = colons ? colons + 2 : text;
    size_t length = strlen(own);
    length = length < NAME ? length : NAME - 1;
    memcpy(n.text, own, length);
    return n;
}

/* The part of a name to print. Two events of one slot differ in their requirements of it, not in
 * the place that they name. */
static const char *part_of(const name *n)
{
    const char *colon = strchr(n->text, ':');
    return colon ? colon + 1 : "";
}

static void name_two(const struct bx_catalog *c, const bx_evsel *events, const bx_assignment *a,
                     const bx_assignment *b, name *one, name *other)
{
    *one = event_name(c, &events[a->event]);
    *other = event_name(c, &events[b->event]);
    const char *short_one = part_of(one), *short_other = part_of(other);
    if (a->place == BX_NONE || b->place == BX_NONE || !*short_one || !*short_other ||
        !strcmp(short_one, short_other))
        return;
    memmove(one->text, short_one, strlen(short_one) + 1);
    memmove(other->text, short_other, strlen(short_other) + 1);
}

static name unit_name(const struct bx_catalog *c, const bx_evsel *event, unsigned unit)
{
    name n;
    bx_cat_expand(n.text, NAME, bx_cat_z(c, bx_cat_pmus(c)[event->pmu].unit_label), unit, 0);
    return n;
}

/* A register's name without its prefix: "ZDP_CTL_FVC". */
static name register_name(const struct bx_catalog *c, uint16_t reg, unsigned unit)
{
    static const char *const owners[] = {"_PMU_", "_PMON_", "_MSR_"};
    name n;
    bx_cat_expand(n.text, NAME, bx_cat_z(c, bx_cat_regs(c)[reg].name), unit, 0);
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        const char *owner = strstr(n.text, owners[i]);
        if (!owner)
            continue;
        owner += strlen(owners[i]);
        memmove(n.text, owner, strlen(owner) + 1);
        break;
    }
    return n;
}

/* The name of the field of the lowest bit; "contents" if no field is described. */
static const char *field_name(const struct bx_catalog *c, uint16_t reg, uint64_t bits)
{
    bx_span fields = bx_cat_regs(c)[reg].fields;
    uint64_t lowest = bits & -bits;
    for (unsigned i = 0; i < fields.n; i++) {
        const bx_cat_field *field = &bx_cat_fields(c)[fields.first + i];
        if (bx_cat_field_mask(field) & lowest)
            return bx_cat_z(c, field->name);
    }
    return "contents";
}

/* The name of the slot that an assignment borrows. */
static const char *slot_name(const struct bx_catalog *c, const bx_assignment *assignment)
{
    if (assignment->place == BX_NONE)
        return "shared register";
    return bx_cat_z(c, bx_cat_slots(c)[bx_cat_places(c)[assignment->place].slot].name);
}

int bx_explain_conflict(const bx_topology *t, const bx_evsel *events, bx_member *const *members,
                        const bx_assignment *const *assignments, size_t n, bx_error *e)
{
    const struct bx_catalog *c = t->catalog;
    bx_conflict conflict = bx_find_conflict(members, n);
    const bx_assignment *a = assignments[conflict.a],
                        *b = assignments[conflict.b < n ? conflict.b : n - 1];
    const bx_evsel *event = &events[b->event];
    name unit = unit_name(c, event, b->unit), one, other;
    if (conflict.cause == BX_CONFLICT_REGISTER) {
        name_two(c, events, a, b, &one, &other);
        return bx_fail(e, BX_NO_FIT, event->at, event->len,
                       "%s and %s need different %s in %s of %s", one.text, other.text,
                       field_name(c, conflict.reg, conflict.bits),
                       register_name(c, conflict.reg, b->unit).text, unit.text);
    }
    const char *what = conflict.cause == BX_CONFLICT_PLACES ? slot_name(c, b) : "counter";
    return bx_fail(e, BX_NO_FIT, event->at, event->len, "no %s of %s is left for %s", what,
                   unit.text, event_name(c, event).text);
}

/* ---- a whole schedule ---- */

struct pass {
    bx_member *members;
    bx_member **subset;
    const bx_assignment **assignments;
    bx_requirement *alternatives;
    size_t n;
};

static void add_assigned(const bx_topology *t, const bx_evsel *events,
                         const bx_assignment *assignment, struct pass *p)
{
    uint16_t first;
    const bx_evsel *event = &events[assignment->event];
    bx_requirement *alternatives = &p->alternatives[p->n * BX_PLACES];
    bx_member *m = &p->members[p->n];
    *m = (bx_member){.alternative = alternatives};
    m->alternatives = (uint8_t)bx_requirements_of(
        t, event, bx_assignment_local_port(t->catalog, assignment), alternatives, &first);
    m->can = bx_fixed_counter_of(t, event) ? 0 : bx_allowed_counters(t, event);
    p->subset[p->n] = m;
    p->assignments[p->n++] = assignment;
}

/* Whether the assignment cannot be in this pass. If so, the error has the reason. */
static bool is_excluded(const bx_topology *t, const bx_evsel *events, const bx_schedule *s,
                        const bx_assignment *assignment, unsigned pass, struct pass *p,
                        bx_error *why)
{
    uint64_t box = bx_box_key(t, events, assignment);
    p->n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->assignments[i].pass == pass % s->assignments[i].passes &&
            bx_box_key(t, events, &s->assignments[i]) == box)
            add_assigned(t, events, &s->assignments[i], p);
    add_assigned(t, events, assignment, p);
    if (bx_compatible(p->subset, p->n))
        return false;
    bx_explain_conflict(t, events, p->subset, p->assignments, p->n, why);
    return true;
}

static bool find_reason(const bx_topology *t, const bx_evsel *events, const bx_schedule *s,
                        struct pass *p, bx_error *why)
{
    for (size_t i = 0; i < s->n; i++)
        for (unsigned pass = 0; pass < s->assignments[i].pass; pass++)
            if (is_excluded(t, events, s, &s->assignments[i], pass, p, why))
                return true;
    return false;
}

bool bx_schedule_explain(const bx_topology *t, const bx_evsel *events, const bx_schedule *s,
                         bx_error *why)
{
    if (s->passes < 2)
        return false;
    struct pass p = {
        .members = calloc(s->n, sizeof *p.members),
        .subset = calloc(s->n, sizeof(bx_member *)),
        .assignments = calloc(s->n, sizeof(const bx_assignment *)),
        .alternatives = calloc(s->n * BX_PLACES, sizeof *p.alternatives),
    };
    if (!p.members || !p.subset || !p.assignments || !p.alternatives)
        bx_out_of_memory(why);
    else if (!find_reason(t, events, s, &p, why))
        bx_fail(why, BX_NO_FIT, 0, 0, "groups of events have to wait for one another");
    free(p.members);
    free(p.subset);
    free(p.assignments);
    free(p.alternatives);
    return true;
}
