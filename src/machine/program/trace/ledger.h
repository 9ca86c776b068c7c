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

/* The process has ended, and its records tell that. */
void bx_trace_ledger_ended(bx_trace_ledger *l, uint32_t number);

/* The process has ended, and its records do not tell it. status: as wait() gives it, or -1. Nothing
 * is lost if SIGKILL ended it, and a traced process has sent the signal or its traced parent has
 * seen the end: their records may tell it before or after. no_memory: the kernel has killed
 * processes for lack of memory. The end is then reported, unless a traced process has sent the
 * signal. */
void bx_trace_ledger_cut(bx_trace_ledger *l, uint32_t number, const bx_trace_life *life, int status,
                         bool no_memory);

/* Whether there is a fork without a hello. */
bool bx_trace_ledger_awaits(const bx_trace_ledger *l);

/* A process whose end is missing, or one that was forked and has said nothing; its name is then
 * that of its parent. */
typedef struct bx_trace_missing {
    bool forked, no_memory;
    uint32_t number;
    int status;
    const char *name;
} bx_trace_missing;

/* Tells what is missing. */
void bx_trace_ledger_tell(const bx_trace_ledger *l,
                          void (*tell)(void *context, const bx_trace_missing *what), void *context);

#endif
