/* Notices lost processes. */
#include "machine/program/trace/ledger.h"

#include "tracer/trace_format.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum kind {
    FORKED, /* a fork whose child has not said hello; `number` is the parent */
    HEARD,  /* a hello whose fork has not been read */
    KILLED, /* a traced process has sent SIGKILL to one that has not been read to its end */
    SEEN,   /* the parent of such a process has seen that SIGKILL had ended it */
    CUT,    /* a process without an end */
};

typedef struct bx_ledger_entry {
    struct bx_ledger_entry *next;
    enum kind kind;
    uint32_t number, child; /* child: 0 while the fork has not returned */
    int status;             /* of CUT, as in bx_trace_missing */
    bool no_memory;
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

static entry *add_entry(bx_trace_ledger *l, enum kind kind, uint32_t number, uint64_t time,
                        const char *name)
{
    entry *e = calloc(1, sizeof *e);
    l->no_memory |= !e;
    if (!e)
        return NULL;
    e->next = l->first;
    e->kind = kind;
    e->number = number;
    e->time = time;
    memcpy(e->name, name, strnlen(name, sizeof e->name - 1));
    l->first = e;
    return e;
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

static entry **find_number(bx_trace_ledger *l, enum kind kind, uint32_t number)
{
    entry **link = &l->first;
    while (*link && ((*link)->kind != kind || (*link)->number != number))
        link = &(*link)->next;
    return *link ? link : NULL;
}

static bool take_number(bx_trace_ledger *l, enum kind kind, uint32_t number)
{
    entry **link = find_number(l, kind, number);
    if (link)
        take_out(link);
    return link;
}

/* SIGKILL ends a process, which may have been read to its end before. */
static void take_kill(bx_trace_ledger *l, enum kind kind, uint32_t number)
{
    entry **cut = find_number(l, CUT, number);
    if (!cut)
        add_entry(l, kind, number, 0, "");
    else if (kind == KILLED || !(*cut)->no_memory)
        take_out(cut);
    else
        (*cut)->status = SIGKILL;
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
        take_kill(l, (uint32_t)words[0] == BX_TRACE_KILLED_CHILD ? SEEN : KILLED,
                  (uint32_t)words[1]);
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

void bx_trace_ledger_ended(bx_trace_ledger *l, uint32_t number)
{
    while (take_number(l, KILLED, number) || take_number(l, SEEN, number))
        ;
}

void bx_trace_ledger_cut(bx_trace_ledger *l, uint32_t number, const bx_trace_life *life, int status,
                         bool no_memory)
{
    bool seen = find_number(l, SEEN, number), sent = find_number(l, KILLED, number);
    bx_trace_ledger_ended(l, number);
    entry *e = sent || (seen && !no_memory) ? NULL : add_entry(l, CUT, number, 0, life->name);
    if (!e)
        return;
    e->status = seen ? SIGKILL : status;
    e->no_memory = no_memory;
}

bool bx_trace_ledger_awaits(const bx_trace_ledger *l)
{
    const entry *e = l->first;
    while (e && e->kind != FORKED)
        e = e->next;
    return e;
}

void bx_trace_ledger_tell(const bx_trace_ledger *l,
                          void (*tell)(void *context, const bx_trace_missing *what), void *context)
{
    for (const entry *e = l->first; e; e = e->next)
        if (e->kind == FORKED || e->kind == CUT)
            tell(context, &(bx_trace_missing){.forked = e->kind == FORKED,
                                              .no_memory = e->no_memory,
                                              .number = e->child ? e->child : e->number,
                                              .status = e->status,
                                              .name = e->name});
}
