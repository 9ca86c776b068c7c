/* Which processes of a program were announced, and how each ended: so that one that is lost is
 * noticed. The control records of all processes tell it. */
#ifndef BX_MACHINE_PROGRAM_TRACE_LEDGER_H
#define BX_MACHINE_PROGRAM_TRACE_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

enum { BX_LIFE_NAME = 64 };

enum bx_life_end {
    BX_LIFE_RUNS,
    BX_LIFE_EXECUTES, /* its program executes another one, whose hello must follow */
    BX_LIFE_ENDED,
};

/* A process, as its own records describe it. */
typedef struct bx_trace_life {
    enum bx_life_end end;
    bool untraced; /* it executes a program that has no trace */
    char name[BX_LIFE_NAME];
} bx_trace_life;

typedef struct bx_trace_ledger {
    struct bx_ledger_entry *first; /* what waits for its counterpart, the newest first */
    bool no_memory;
} bx_trace_ledger;

void bx_trace_ledger_free(bx_trace_ledger *l);

/* Takes a control record of process `number`. */
void bx_trace_ledger_record(bx_trace_ledger *l, bx_trace_life *life, uint32_t number,
                            const uint64_t *words);

/* The hello of a child, which its parent forked at that time, has come. */
void bx_trace_ledger_hello(bx_trace_ledger *l, uint32_t parent, uint64_t time);

/* The process has ended, and its records do not tell it. That is no loss if SIGKILL ended it, which
 * a record of its parent may tell, before or after. */
void bx_trace_ledger_cut(bx_trace_ledger *l, uint32_t number, const bx_trace_life *life);

/* Whether there is a fork without a hello. */
bool bx_trace_ledger_awaits(const bx_trace_ledger *l);

/* Tells what is lost: a process whose end is missing, or one that was forked and has said nothing;
 * its name is then that of its parent. */
void bx_trace_ledger_tell(const bx_trace_ledger *l,
                          void (*tell)(void *context, bool forked, uint32_t number,
                                       const char *name),
                          void *context);

#endif
