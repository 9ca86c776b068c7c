/* Notices lost processes. */
#include "machine/program/trace/ledger.h"

#include "tracer/trace_format.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum kind {
    FORKED, /* a fork whose child has not said hello; `number` is the parent */
    HEARD,  /* a hello whose fork has not been read */
    KILLED, /* a process that SIGKILL has ended; it has not been read to its end */
    CUT,    /* a process without an end */
};

typedef struct bx_ledger_entry {
    struct bx_ledger_entry *next;
    enum kind kind;
    uint32_t number, child; /* child: 0 while the fork has not returned */
    uint64_t time;
    char name[BX_LIFE_NAME];
} entry;

void bx_trace_ledger_free(bx_trace_ledger *l)
{
    for (entry *e; (e = l->first);) {
        l->first = e->next;
        free(e);
    }
}

static void add_entry(bx_trace_ledger *l, enum kind kind, uint32_t number, uint64_t time,
                      const char *name)
{
    entry *e = calloc(1, sizeof *e);
    l->no_memory |= !e;
    if (!e)
        return;
    e->next = l->first;
    e->kind = kind;
    e->number = number;
    e->time = time;
    memcpy(e->name, name, strnlen(name, sizeof e->name - 1));
    l->first = e;
}

static void take_out(entry **link)
{
    entry *e = *link;
    *link = e->next;
    free(e);
}

/* Takes an entry with this time out. In another namespace its parent may have another number. */
static bool take_fork(bx_trace_ledger *l, enum kind kind, uint32_t parent, uint64_t time)
{
    entry **best = NULL;
    for (entry **link = &l->first; *link; link = &(*link)->next)
        if ((*link)->kind == kind && (*link)->time == time && (!best || (*link)->number == parent))
            best = link;
    if (best)
        take_out(best);
    return best;
}

static bool take_number(bx_trace_ledger *l, enum kind kind, uint32_t number)
{
    for (entry **link = &l->first; *link; link = &(*link)->next)
        if ((*link)->kind == kind && (*link)->number == number) {
            take_out(link);
            return true;
        }
    return false;
}

/* The last fork of this process returns; child 0: it has failed. */
static void return_from_fork(bx_trace_ledger *l, uint32_t parent, uint32_t child)
{
    entry **link = &l->first;
    while (*link && ((*link)->kind != FORKED || (*link)->number != parent || (*link)->child))
        link = &(*link)->next;
    if (*link && child)
        (*link)->child = child;
    else if (*link)
        take_out(link);
}

static bool forks(uint32_t call)
{
    return call == SYS_fork || call == SYS_vfork || call == SYS_clone || call == SYS_clone3;
}

static void return_from_call(bx_trace_ledger *l, bx_trace_life *life, uint32_t number,
                             const uint64_t *words)
{
    if (life->end == BX_LIFE_EXECUTES) { /* the exec has failed */
        life->end = BX_LIFE_RUNS;
        life->untraced = false;
    }
    if (forks((uint32_t)words[0]))
        return_from_fork(l, number, words[2] == BX_TRACE_PROCESS ? (uint32_t)words[3] : 0);
}

void bx_trace_ledger_record(bx_trace_ledger *l, bx_trace_life *life, uint32_t number,
                            const uint64_t *words)
{
    switch (bx_trace_control_kind(words[0])) {
    case BX_TRACE_END:
        life->end = (uint32_t)words[0] == BX_TRACE_END_EXEC ? BX_LIFE_EXECUTES : BX_LIFE_ENDED;
        break;
    case BX_TRACE_UNTRACED:
        life->untraced = true;
        break;
    case BX_TRACE_RETURN:
        return_from_call(l, life, number, words);
        break;
    case BX_TRACE_FORK:
        if (!take_fork(l, HEARD, number, words[1]))
            add_entry(l, FORKED, number, words[1], life->name);
        break;
    case BX_TRACE_KILLED:
        if (!take_number(l, CUT, (uint32_t)words[1]))
            add_entry(l, KILLED, (uint32_t)words[1], 0, "");
        break;
    default:
        break;
    }
}

void bx_trace_ledger_hello(bx_trace_ledger *l, uint32_t parent, uint64_t time)
{
    if (!take_fork(l, FORKED, parent, time))
        add_entry(l, HEARD, parent, time, "");
}

void bx_trace_ledger_cut(bx_trace_ledger *l, uint32_t number, const bx_trace_life *life)
{
    if (!take_number(l, KILLED, number))
        add_entry(l, CUT, number, 0, life->name);
}

bool bx_trace_ledger_awaits(const bx_trace_ledger *l)
{
    const entry *e = l->first;
    while (e && e->kind != FORKED)
        e = e->next;
    return e;
}

void bx_trace_ledger_tell(const bx_trace_ledger *l,
                          void (*tell)(void *context, bool forked, uint32_t number,
                                       const char *name),
                          void *context)
{
    for (const entry *e = l->first; e; e = e->next) {
        if (e->kind == FORKED)
            tell(context, true, e->child ? e->child : e->number, e->name);
        if (e->kind == CUT)
            tell(context, false, e->number, e->name);
    }
}
