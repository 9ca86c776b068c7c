/* The programme of a measurement: events, their counters, and the register operations that make
 * these count them. It owns the schedule, the plan, the banks, and what became of each operation
 * and assignment. Its parts need nothing else of the session:
 *
 *   programme.c  makes and frees it
 *   overflow.c   the counter whose overflow stops all others
 *   banks.c      where each pass is counted: one bank of registers in turns, or one each
 *   blame.c      names failed operations, and blocks the counters that need them
 *   verify.c     checks that registers hold what was written */
#ifndef BX_SESSION_PROGRAMME_H
#define BX_SESSION_PROGRAMME_H

#include "guard/put_back.h"
#include "machine/machine.h"
#include "plan/plan.h"

/* What became of an assignment. */
typedef struct bx_outcome {
    bx_reading *reading;
    bool blocked; /* it cannot be read or programmed, or its values are impossible */
} bx_outcome;

/* What is programmed: the events that the machine produces on their counters, as operations. */
typedef struct bx_programme {
    bx_machine *machine;
    struct bx_bus *bus;
    const bx_topology *topology;
    bx_evsel *events; /* first those of the assignments */
    bx_schedule schedule;
    bx_plan plan;
    bool *refused;        /* for each operation of the plan: it must not be executed */
    bool *written;        /* for each operation of a step: it was written and must be verified */
    bool real_hardware;   /* the registers are a host's: every read is checked twice */
    bx_outcome *outcomes; /* by assignment */
    bx_error trouble;     /* the first access that failed */
    bool repeat;
    bool at_once; /* all passes count at the same time, each in a bank of its own */
    unsigned pass;
    bx_vpmu **banks;      /* [passes]: bank of each pass; NULL: all passes use the session's bus */
    uint64_t interval;    /* counts until overflow, which sets the start value; 0: start at 0 */
    bx_overflow overflow; /* the counter that stops all others; counts 0: none */
} bx_programme;

/* ---- programme.c ---- */

/* The events that registers count: first those that the machine produces, then the others. */
typedef struct bx_sorted {
    bx_evsel *events;
    uint16_t *origin; /* index of each event in the caller's array */
    size_t n, produced;
} bx_sorted;

/* Copies the events that the machine produces to the front, and the others after them. The others
 * take no counter. Events that the kernel counts are not copied. */
void bx_programme_sort(const bx_machine *m, const bx_evsel *events, size_t n, const bool *kernels,
                       bx_sorted *to);

/* Assigns the first n events to counters. */
int bx_programme_schedule(bx_programme *p, size_t n, bx_error *e);

/* Plans the operations. */
int bx_programme_plan(bx_programme *p, bx_error *e);

/* Fills in the base addresses of memory-mapped registers. */
void bx_programme_find_bases(bx_programme *p);
void bx_programme_free(bx_programme *p);

/* ---- banks.c ---- */

/* Gets a bank for each pass, or one for all. After the session, the registers of the first bank are
 * restored, and the other banks are freed. */
int bx_banks_open(bx_programme *p, bx_error *e);
void bx_banks_close(bx_programme *p);

/* The bus of the bank in which an operation's pass is counted. */
struct bx_bus *bx_banks_bus(const bx_programme *p, const bx_op *op);

/* Whether an operation is on a bank that belongs to the session alone. */
bool bx_banks_own(const bx_programme *p, const bx_op *op);

/* The passes that are programmed: the present one, or all. */
typedef struct bx_pass_range {
    unsigned first, end;
} bx_pass_range;
static inline bx_pass_range bx_banks_passes(const bx_programme *p)
{
    return p->at_once ? (bx_pass_range){0, p->schedule.passes}
                      : (bx_pass_range){p->pass, p->pass + 1};
}

/* ---- overflow.c ---- */

/* Finds the counter that must overflow, when events are scheduled. event: index of the caller's. */
int bx_overflow_choose(bx_programme *p, const bx_sorted *sorted, size_t event, bx_error *e);

/* Sends interrupts of the counter's virtual PMU to a handler. NULL: no more. */
void bx_overflow_await(const bx_programme *p, void (*handler)(void *context, unsigned cpu),
                       void *context);

/* ---- blame.c ---- */

/* Whether no assignment that can still be counted needs op. */
bool bx_blame_is_useless(const bx_programme *p, const bx_op *op);

/* An operation failed with an errno: blocks the assignments that need it. The others continue. */
void bx_blame_failed(bx_programme *p, const bx_op *op, int err);

/* The same for an operation that must not be executed because another one failed. */
void bx_blame_refused(bx_programme *p, const bx_op *op, const bx_op *failed, int err);

/* The same for a counter with an impossible value. */
void bx_blame_implausible(bx_programme *p, const bx_op *op, const char *why);

/* Makes an error such as "NAME (ADDRESS) cannot be read: REASON", also for writing and restoring.
 * Returns the code. */
int bx_blame_report(const bx_programme *p, const bx_op *op, int err, bx_error *e);

/* The name of a register, such as "MSR_UNC_CBO_0_PERFEVTSEL0 (0x700)"; with the package if there
 * are several. */
size_t bx_blame_name(const bx_programme *p, const bx_op *op, char *to, size_t room);

/* ---- verify.c ---- */

/* The value that an operation writes: bits that no event owns keep their value. The second function
 * adds what must read back: on real hardware, all that the register stores. */
uint64_t bx_written_value(const bx_programme *p, const bx_op *op);
bx_write bx_write_of(const bx_programme *p, const bx_op *op);

/* Checks that the register holds what op has written. Returns 0 or an errno. EBADMSG: it holds
 * *value instead. */
int bx_verify(const bx_programme *p, const bx_op *op, uint64_t *value);

/* Checks that the registers still hold what set-up wrote for the pass: all registers, or those that
 * differ between passes. If one differs, its readings become implausible. Call it before a stop for
 * the registers that the stop changes, and after it for the others. */
void bx_verify_unchanged(bx_programme *p, bool all, bool stopped);

#endif
