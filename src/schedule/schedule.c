#include "schedule/schedule.h"
#include "schedule/fit.h"
#include "schedule/seat.h"

#include "base/error.h"
#include "event/event.h"

#include <stdlib.h>
#include <string.h>

enum { PORTS = 8 }; /* most of a unit */

/* What an event wants on one port: its places there. */
struct offer {
    uint16_t place; /* the first, or BX_NONE */
    uint8_t n;
    const bx_choice *choices;
};

/* While a schedule is made: members[i] belongs to seats[i]. */
struct maker {
    const bx_topology *t;
    const bx_evsel *events;
    size_t n;
    bx_seat *seats;
    bx_member *members; /* their box is the first seat of the same box, their bundle 1 + such */
    bx_choice *choices; /* of each event and port */
    uint16_t *cluster;  /* of each seat: the first seat that it has anything to do with, … */
    uint16_t *next;     /* … and the next one of that cluster; BX_NONE */
    uint16_t *at;       /* how many of the cluster stand before it */
    bx_member *some;    /* the members of one cluster */
    bx_member **asked;
    const bx_seat **asking;
};

static int out_of_memory(bx_error *e)
{
    return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
}

/* ---- seats ---- */

struct range {
    unsigned from, to;
};

static struct range asked_for(int which, unsigned n)
{
    if (which == BX_ANY)
        return (struct range){0, n};
    return (struct range){(unsigned)which, (unsigned)which + 1};
}

/* The ports that an event is counted on. One that is in no slot has no port: it is counted once. */
static unsigned offers_of(const struct maker *m, const bx_evsel *event, bx_choice *room,
                          struct offer *offers)
{
    unsigned ports = bx_cat_pmus(m->t->catalog)[event->pmu].ports, n = 0;
    ports = ports == 0 ? 1 : ports < PORTS ? ports : PORTS;
    int local = event->port == BX_ANY ? BX_ANY : event->port % (int)ports;
    struct range range = asked_for(local, ports);
    for (unsigned port = range.from; port < range.to; port++, room += BX_PLACES) {
        struct offer *o = &offers[n];
        o->n = (uint8_t)bx_seat_choices(m->t, event, port, room, &o->place);
        o->choices = room;
        if (o->place != BX_NONE || n == 0)
            n++;
    }
    if (offers[0].place == BX_NONE && n > 1) { /* the first port has no such place, others have */
        memmove(&offers[0], &offers[1], (n - 1) * sizeof *offers);
        n--;
    }
    return n;
}

/* One seat for each unit and port that the event asks for; counters come later. Without m->seats
 * they are counted only. */
static void spread(struct maker *m, size_t which)
{
    struct offer offers[PORTS];
    const bx_evsel *event = &m->events[which];
    unsigned n = offers_of(m, event, m->choices + which * PORTS * BX_PLACES, offers);
    unsigned ports = bx_cat_pmus(m->t->catalog)[event->pmu].ports;
    int unit = event->port == BX_ANY ? event->unit : event->port / (int)ports;
    struct range packages = asked_for(event->package, m->t->packages);
    struct range units = asked_for(unit, bx_topology_units(m->t, event->pmu));
    for (unsigned p = packages.from; p < packages.to; p++) {
        for (unsigned u = units.from; u < units.to; u++) {
            for (unsigned i = 0; i < n; i++, m->n++) {
                if (!m->seats)
                    continue;
                m->seats[m->n] = (bx_seat){.event = (uint16_t)which,
                                           .package = (uint16_t)p,
                                           .unit = (uint16_t)u,
                                           .counter = BX_NONE,
                                           .place = offers[i].place,
                                           .passes = 1};
                m->members[m->n] = (bx_member){
                    .choice = offers[i].choices,
                    .choices = offers[i].n,
                    .can = bx_seat_fixed(m->t, event) ? 0 : bx_seat_counters(m->t, event)};
            }
        }
    }
}

static void *rows(const struct maker *m, size_t size)
{
    return calloc(m->n ? m->n : 1, size);
}

static int make_seats(struct maker *m, size_t events, bx_error *e)
{
    m->choices = calloc((events ? events : 1) * PORTS * BX_PLACES, sizeof *m->choices);
    if (!m->choices)
        return out_of_memory(e);
    for (size_t i = 0; i < events; i++)
        spread(m, i);
    if (m->n >= BX_NONE)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "%zu counters at once are too many", m->n);
    m->seats = rows(m, sizeof *m->seats);
    m->members = rows(m, sizeof *m->members);
    m->cluster = rows(m, sizeof *m->cluster);
    m->next = rows(m, sizeof *m->next);
    m->at = rows(m, sizeof *m->at);
    m->some = rows(m, sizeof *m->some);
    m->asked = rows(m, sizeof(bx_member *));
    m->asking = rows(m, sizeof(const bx_seat *));
    if (!m->seats || !m->members || !m->cluster || !m->next || !m->at || !m->some || !m->asked ||
        !m->asking)
        return out_of_memory(e);
    m->n = 0;
    for (size_t i = 0; i < events; i++)
        spread(m, i);
    return BX_OK;
}

/* ---- boxes, bundles and clusters ---- */

/* Whether the events of a group, by its number, are of more than one PMU. */
static bool spans_pmus(const struct maker *m, uint16_t group)
{
    uint16_t pmu = BX_NONE;
    for (size_t i = 0; i < m->n; i++) {
        const bx_evsel *event = &m->events[m->seats[i].event];
        if (event->group != group)
            continue;
        if (pmu != BX_NONE && pmu != event->pmu)
            return true;
        pmu = event->pmu;
    }
    return false;
}

/* A free-running counter is always there: it waits for nobody. */
static bool waits(const struct maker *m, size_t i)
{
    const bx_cat_counter *fixed = bx_seat_fixed(m->t, &m->events[m->seats[i].event]);
    return !fixed || !(fixed->flags & BX_COUNTER_FREE);
}

static void find_bundle(struct maker *m, size_t i)
{
    const bx_seat *seat = &m->seats[i];
    uint16_t group = m->events[seat->event].group;
    if (!group || !waits(m, i))
        return;
    bool wide = spans_pmus(m, group);
    for (size_t j = 0; j <= i && !m->members[i].bundle; j++) {
        const bx_seat *other = &m->seats[j];
        if (m->events[other->event].group == group && waits(m, j) &&
            other->package == seat->package && (wide || other->unit == seat->unit))
            m->members[i].bundle = (uint16_t)(j + 1);
    }
}

static void find_box(struct maker *m, size_t i)
{
    size_t j = 0;
    while (!bx_same_box(m->t, m->events, &m->seats[j], &m->seats[i]))
        j++;
    m->members[i].box = (uint16_t)j;
}

static void join(struct maker *m, size_t i, size_t with)
{
    uint16_t a = m->cluster[i], b = m->cluster[with], low = a < b ? a : b;
    for (size_t j = 0; a != b && j < m->n; j++)
        if (m->cluster[j] == a || m->cluster[j] == b)
            m->cluster[j] = low;
}

/* Boxes that share a bundle have to find their passes together. */
static void find_clusters(struct maker *m)
{
    for (size_t i = 0; i < m->n; i++) {
        find_box(m, i);
        find_bundle(m, i);
        m->cluster[i] = (uint16_t)i;
        join(m, i, m->members[i].box);
        if (m->members[i].bundle)
            join(m, i, m->members[i].bundle - 1u);
    }
    for (size_t i = m->n; i-- > 0;) {
        size_t j = i + 1;
        while (j < m->n && m->cluster[j] != m->cluster[i])
            j++;
        m->next[i] = j < m->n ? (uint16_t)j : BX_NONE;
    }
    for (size_t i = 0; i < m->n; i++)
        if (m->next[i] != BX_NONE)
            m->at[m->next[i]] = (uint16_t)(m->at[i] + 1);
}

/* The members of i's bundle that are in its box must go together. */
static int check_bundle(struct maker *m, size_t i, bx_error *e)
{
    size_t n = 0;
    for (size_t j = i; j < m->n; j++) {
        if (m->members[j].bundle != m->members[i].bundle || m->members[j].box != m->members[i].box)
            continue;
        m->asking[n] = &m->seats[j];
        m->asked[n++] = &m->members[j];
    }
    if (bx_together(m->asked, n))
        return BX_OK;
    int code = bx_seat_refuse(m->t, m->events, m->asked, m->asking, n, e);
    bx_hint(e, "events in braces are counted at once; without them they take turns");
    return code;
}

static int check_bundles(struct maker *m, bx_error *e)
{
    int code = BX_OK;
    for (size_t i = 0; code == BX_OK && i < m->n; i++)
        if (m->members[i].bundle)
            code = check_bundle(m, i, e);
    return code;
}

/* ---- fitting ---- */

/* Whether two clusters are the same puzzle: most units are asked for the same. */
static bool alike(const struct maker *m, size_t a, size_t b)
{
    while (a != BX_NONE && b != BX_NONE) {
        const bx_member *one = &m->members[a], *other = &m->members[b];
        if (one->choice != other->choice || one->can != other->can ||
            m->at[one->box] != m->at[other->box] || !one->bundle != !other->bundle ||
            (one->bundle && m->at[one->bundle - 1] != m->at[other->bundle - 1]))
            return false;
        a = m->next[a];
        b = m->next[b];
    }
    return a == b;
}

static size_t solved_before(const struct maker *m, size_t cluster)
{
    for (size_t i = 0; i < cluster; i++)
        if (m->cluster[i] == i && alike(m, i, cluster))
            return i;
    return BX_NONE;
}

static void copy_solution(struct maker *m, size_t from, size_t to)
{
    for (; to != BX_NONE; from = m->next[from], to = m->next[to]) {
        m->members[to].pass = m->members[from].pass;
        m->members[to].counter = m->members[from].counter;
        m->members[to].chosen = m->members[from].chosen;
        m->seats[to].passes = m->seats[from].passes;
    }
}

static unsigned fit(struct maker *m, size_t cluster)
{
    size_t n = 0;
    for (size_t i = cluster; i != BX_NONE; i = m->next[i])
        m->some[n++] = m->members[i];
    unsigned passes = bx_fit(m->some, n);
    n = 0;
    for (size_t i = cluster; i != BX_NONE; i = m->next[i]) {
        m->members[i] = m->some[n++];
        m->seats[i].passes = (uint16_t)passes;
    }
    return passes;
}

static void take_seat(struct maker *m, size_t i)
{
    const bx_evsel *event = &m->events[m->seats[i].event];
    const bx_member *member = &m->members[i];
    const bx_cat_counter *counter = bx_seat_fixed(m->t, event);
    if (!counter)
        counter = bx_pmu_counter(m->t->catalog, event->pmu, member->counter);
    bx_seat *seat = &m->seats[i];
    seat->counter = (uint16_t)(counter - bx_cat_counters(m->t->catalog));
    seat->pass = member->pass;
    if (seat->place != BX_NONE)
        seat->place = (uint16_t)(seat->place + member->chosen);
}

/* Returns the most passes of any cluster; 0: out of memory. */
static unsigned fit_all(struct maker *m)
{
    unsigned most = 1;
    for (size_t i = 0; i < m->n; i++) {
        if (m->cluster[i] != i)
            continue;
        size_t before = solved_before(m, i);
        if (before != BX_NONE) {
            copy_solution(m, before, i);
            continue;
        }
        unsigned passes = fit(m, i);
        if (!passes)
            return 0;
        most = passes > most ? passes : most;
    }
    for (size_t i = 0; i < m->n; i++)
        take_seat(m, i);
    return most;
}

static void forget(struct maker *m)
{
    free(m->members);
    free(m->choices);
    free(m->cluster);
    free(m->next);
    free(m->at);
    free(m->some);
    free(m->asked);
    free(m->asking);
}

int bx_schedule_make(const bx_topology *t, const bx_evsel *events, size_t n, bx_schedule *s,
                     bx_error *e)
{
    struct maker m = {.t = t, .events = events};
    unsigned passes = 0;
    int rc = BX_OK;
    for (size_t i = 0; rc == BX_OK && i < n; i++)
        rc = bx_seat_check(t, &events[i], e);
    if (rc == BX_OK)
        rc = make_seats(&m, n, e);
    if (rc == BX_OK) {
        find_clusters(&m);
        rc = check_bundles(&m, e);
    }
    if (rc == BX_OK && !(passes = fit_all(&m)))
        rc = out_of_memory(e);
    forget(&m);
    if (rc == BX_OK)
        *s = (bx_schedule){.seats = m.seats, .n = m.n, .passes = passes};
    else
        free(m.seats);
    return rc;
}

void bx_schedule_free(bx_schedule *s)
{
    free(s->seats);
    *s = (bx_schedule){0};
}
