/* Shares the signals of one model among several banks of virtual PMUs. */
#include "vpmu/signal_share.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NO_NUMBER UINT32_MAX

/* One of the banks that share the signals. */
struct member {
    bx_signals signals;
    bx_signal_share *share;
    struct member *next;
    bx_watcher *watcher;
    uint64_t alarm;
    uint32_t *number; /* the model's number of each of its watches, or NO_NUMBER */
    size_t numbers;
};

/* The owner of a watch, by the model's number; m NULL: the number is free. */
struct owner {
    struct member *of;
    unsigned id;
};

struct bx_signal_share {
    bx_watcher watcher;
    bx_signals *of;
    struct member *members;
    struct owner *owners;
    size_t owners_n;
    bool out_of_memory;
};

static struct member *member_of(bx_signals *s)
{
    return (struct member *)(void *)s;
}

static bx_signal_share *share_of(struct bx_watcher *w)
{
    return (bx_signal_share *)(void *)w;
}

/* ---- numbers ---- */

/* The lowest free number; NO_NUMBER: out of memory. */
static uint32_t free_number(bx_signal_share *share)
{
    size_t i = 0;
    while (i < share->owners_n && share->owners[i].of)
        i++;
    if (i < share->owners_n)
        return (uint32_t)i;
    size_t room = i ? 2 * i : 16;
    struct owner *owners = realloc(share->owners, room * sizeof *owners);
    if (!owners)
        return NO_NUMBER;
    memset(owners + i, 0, (room - i) * sizeof *owners);
    share->owners = owners;
    share->owners_n = room;
    return (uint32_t)i;
}

static bool make_room_for_signal(struct member *m, unsigned id)
{
    size_t room = (size_t)id + 64;
    if (id < m->numbers)
        return true;
    uint32_t *number = realloc(m->number, room * sizeof *number);
    if (!number)
        return false;
    memset(number + m->numbers, 0xff, (room - m->numbers) * sizeof *number);
    m->number = number;
    m->numbers = room;
    return true;
}

static uint32_t number_for(struct member *m, unsigned id)
{
    uint32_t number = make_room_for_signal(m, id) ? m->number[id] : NO_NUMBER;
    if (number == NO_NUMBER && id < m->numbers)
        number = free_number(m->share);
    m->share->out_of_memory |= number == NO_NUMBER;
    return number;
}

/* ---- called by a member ---- */

static uint64_t share_now(bx_signals *s)
{
    bx_signals *of = member_of(s)->share->of;
    return of->now(of);
}

static bool share_tally(bx_signals *s, const bx_selection *sel, uint64_t *sum)
{
    bx_signals *of = member_of(s)->share->of;
    return of->tally(of, sel, sum);
}

static bool share_compares(bx_signals *s, const bx_selection *sel)
{
    bx_signals *of = member_of(s)->share->of;
    return of->compares(of, sel);
}

static void share_unwatch(bx_signals *s, unsigned id)
{
    struct member *m = member_of(s);
    bx_signal_share *share = m->share;
    if (id >= m->numbers || m->number[id] == NO_NUMBER)
        return;
    share->of->unwatch(share->of, m->number[id]);
    share->owners[m->number[id]].of = NULL;
    m->number[id] = NO_NUMBER;
}

static bool share_watch(bx_signals *s, unsigned id, const bx_selection *sel)
{
    struct member *m = member_of(s);
    bx_signal_share *share = m->share;
    uint32_t number = number_for(m, id);
    if (number == NO_NUMBER)
        return false;
    m->number[id] = number;
    share->owners[number] = (struct owner){m, id}; /* now: a high level is reported at once */
    if (share->of->watch(share->of, number, sel))
        return true;
    share_unwatch(s, id);
    return false;
}

static void share_relax(bx_signals *s, unsigned id, bool relaxed)
{
    const struct member *m = member_of(s);
    bx_signals *of = m->share->of;
    if (id < m->numbers && m->number[id] != NO_NUMBER)
        of->relax(of, m->number[id], relaxed);
}

static uint64_t earliest(const bx_signal_share *share)
{
    uint64_t alarm = BX_NEVER;
    for (const struct member *m = share->members; m; m = m->next)
        alarm = m->alarm < alarm ? m->alarm : alarm;
    return alarm;
}

static void share_set_alarm(bx_signals *s, uint64_t when)
{
    bx_signal_share *share = member_of(s)->share;
    member_of(s)->alarm = when;
    share->of->set_alarm(share->of, earliest(share));
}

static void share_set_watcher(bx_signals *s, bx_watcher *w)
{
    member_of(s)->watcher = w;
}

static void share_interrupt(bx_signals *s, unsigned package, unsigned cores)
{
    bx_signals *of = member_of(s)->share->of;
    of->interrupt(of, package, cores);
}

static void share_set_prefetchers(bx_signals *s, unsigned core, unsigned off)
{
    bx_signals *of = member_of(s)->share->of;
    of->set_prefetchers(of, core, off);
}

/* ---- called by the model ---- */

static void on_level(struct bx_watcher *w, unsigned number, uint64_t start, uint64_t cycles,
                     uint32_t level)
{
    const struct owner *owner = &share_of(w)->owners[number];
    bx_watcher *watcher = owner->of->watcher;
    if (watcher)
        watcher->on_level(watcher, owner->id, start, cycles, level);
}

/* A member that is called may set the alarm of another one. */
static uint64_t alarm(struct bx_watcher *w, uint64_t now)
{
    for (struct member *m = share_of(w)->members; m;) {
        if (m->alarm > now) {
            m = m->next;
            continue;
        }
        m->alarm = BX_NEVER;
        if (m->watcher)
            m->alarm = m->watcher->alarm(m->watcher, now);
        m = share_of(w)->members;
    }
    return earliest(share_of(w));
}

/* ---- creation and end ---- */

bx_signal_share *bx_signal_share_new(bx_signals *of)
{
    bx_signal_share *share = malloc(sizeof *share);
    if (!share)
        return NULL;
    *share = (bx_signal_share){.watcher = {on_level, alarm}, .of = of};
    of->set_watcher(of, &share->watcher);
    return share;
}

bx_signals *bx_signal_share_add(bx_signal_share *share)
{
    struct member *m = malloc(sizeof *m);
    if (!m)
        return NULL;
    *m = (struct member){
        .signals = {.now = share_now,
                    .tally = share_tally,
                    .watch = share_watch,
                    .unwatch = share_unwatch,
                    .relax = share->of->relax ? share_relax : NULL,
                    .set_alarm = share_set_alarm,
                    .set_watcher = share_set_watcher,
                    .interrupt = share->of->interrupt ? share_interrupt : NULL,
                    .set_prefetchers = share->of->set_prefetchers ? share_set_prefetchers : NULL,
                    .compares = share->of->compares ? share_compares : NULL},
        .share = share,
        .next = share->members,
        .alarm = BX_NEVER,
    };
    share->members = m;
    return &m->signals;
}

void bx_signal_share_remove(bx_signal_share *share, bx_signals *signals)
{
    struct member *m = signals ? member_of(signals) : NULL, **at = &share->members;
    if (!m)
        return;
    for (unsigned id = 0; id < m->numbers; id++)
        share_unwatch(signals, id);
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    share->of->set_alarm(share->of, earliest(share));
    free(m->number);
    free(m);
}

void bx_signal_share_free(bx_signal_share *share)
{
    if (!share)
        return;
    while (share->members)
        bx_signal_share_remove(share, &share->members->signals);
    share->of->set_watcher(share->of, NULL);
    free(share->owners);
    free(share);
}

bool bx_signal_share_out_of_memory(const bx_signal_share *share)
{
    return share->out_of_memory;
}
