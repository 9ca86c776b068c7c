/* What a session consists of, and its parts: carry.c does register operations, count.c turns
 * register values into readings, session.c is the course of a measurement. */
#ifndef BX_SESSION_SESSION_H
#define BX_SESSION_SESSION_H

#include "machine/machine.h"
#include "plan/plan.h"

/* Widens one counter: values of the register come in, differences go to the reading. */
typedef struct bx_tally {
    bx_reading *reading;
    uint64_t last, mask; /* value at the last read; the counter's bits, shifted down */
    uint64_t start;      /* where a set-up has it start */
    uint64_t patience;   /* cycles in which it cannot wrap twice */
    uint8_t shift;
    uint8_t erratum; /* of a real machine: bx_cat_counter.erratum */
    bool free_running, takes_turns;
    bool blocked;
} bx_tally;

/* The counters that the present pass reads, laid out for one sweep over them. */
typedef struct bx_active {
    size_t n;
    uint64_t patience; /* cycles that they can go unread */
    bool erratum;      /* some of them have it */
    bx_address *at;
    uint64_t *values;
    bx_tally **tally;
    const bx_op **op;
} bx_active;

enum bx_session_phase { BX_OPENED, BX_RUNNING, BX_STOPPED };

struct bx_session {
    bx_machine *machine;
    struct bx_bus *bus;
    const bx_topology *topology;
    bx_evsel *events; /* those that the machine produces; seats refer to them */
    bx_schedule schedule;
    bx_plan plan;
    uint8_t *kept;     /* of each save operation: enum bx_keep */
    bx_tally *tallies; /* of each seat */
    bx_active active;
    bx_reading *readings;
    size_t n;      /* readings */
    uint8_t phase; /* enum bx_session_phase */
    bool repeat;
    unsigned pass;
    uint64_t interval;             /* counts to an overflow that counters start at; 0: at 0 */
    uint64_t turn;                 /* cycles that a pass keeps the counters; 0: it depends */
    uint64_t began;                /* when counting started */
    uint64_t counted_to;           /* readings are true up to this cycle */
    uint64_t turn_ends, must_read; /* when to rotate; when to read, lest a counter wrap twice */
    bx_error trouble;              /* the first access that failed */
};

/* ---- carry.c ---- */

/* Fills in the base addresses of memory-mapped registers. */
void bx_carry_bases(struct bx_session *s);

void bx_carry_save(struct bx_session *s);

/* Does the present pass's set-up, start or stop: all of it, or what is not steady. */
void bx_carry(struct bx_session *s, unsigned step, bool all);

/* Writes back what registers held when they were saved. All are tried; the first failure is told */
int bx_carry_restore(struct bx_session *s, bx_error *e);

/* An operation failed with an errno: the seats that need it are blocked, the others go on. */
void bx_carry_failed(struct bx_session *s, const bx_op *op, int why);

/* ---- count.c ---- */

bool bx_count_new(struct bx_session *s); /* tallies of all seats; false: out of memory */
void bx_count_free(struct bx_session *s);
void bx_count_activate(struct bx_session *s); /* the present pass has just begun to count */
void bx_count_prime(struct bx_session *s);    /* where free-running counters stand at the start */
void bx_count_collect(struct bx_session *s);  /* reads the active counters into their readings */
void bx_count_settle(struct bx_session *s); /* brings times and states of all readings up to date */

#endif
