/* What a session consists of, and its parts: readings.c lays out what is to come of it, execute.c
 * does register operations, count.c turns register values into readings, plausibility.c tells which
 * of those no counter can hold, sample.c how often they are read, verify.c whether registers hold
 * what was written, restore.c puts registers back, preflight.c looks after a host's, session.c is
 * the course of a measurement. */
#ifndef BX_SESSION_SESSION_H
#define BX_SESSION_SESSION_H

#include "host/safety/lock.h"
#include "base/buf.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "session/kernel_counters.h"

/* Widens one counter: values of the register come in, differences go to the reading. */
typedef struct bx_tally {
    bx_reading *reading;
    uint64_t last, mask; /* value at the last read; the counter's bits, shifted down */
    uint64_t start;      /* where a set-up has it start */
    uint64_t patience;   /* cycles in which it cannot wrap twice */
    uint64_t outside;    /* bits of the register that belong to nothing: they read 0 */
    uint64_t rate;       /* more than it can count in a unit of the machine's time */
    uint64_t lapse;      /* time in which it may have wrapped unseen */
    uint64_t since;      /* its turn: counted and accounted for up to here; */
    uint64_t until;      /* it was switched off then, 0: it counts */
    uint8_t shift;
    uint8_t erratum; /* of a real machine: bx_cat_counter.erratum */
    bool free_running, takes_turns;
    bool stops;   /* its pass switches it off at the end; not asked where registers are our own */
    bool blocked; /* out: it could not be read or programmed, or reads what no counter holds */
    bool fresh;   /* free-running, and `last` is not known yet */
} bx_tally;

/* The counters that the present pass reads, laid out for one sweep over them. */
typedef struct bx_active {
    size_t n;
    uint64_t patience; /* cycles that they can go unread */
    bx_address *at;
    uint64_t *values;
    bx_tally **tally;
    const bx_op **op;
} bx_active;

/* What counters are read for. */
enum bx_look {
    BX_LOOK_PASSING, /* they go on */
    BX_LOOK_BEGINS,  /* where they begin */
    BX_LOOK_TURN,    /* those that take turns have been stopped */
    BX_LOOK_ENDS,    /* all have but free-running ones */
};

enum bx_session_phase { BX_OPENED, BX_RUNNING, BX_STOPPED };

enum { BX_LEFT_TEXT = sizeof(((bx_error *)0)->message) };

struct bx_session {
    bx_machine *machine;
    struct bx_bus *bus;
    const bx_topology *topology;
    bx_evsel *events; /* those that the machine produces; seats refer to them */
    bx_schedule schedule;
    bx_plan plan;
    uint8_t *kept;              /* of each save operation: enum bx_keep */
    int *whys;                  /* of each restore operation: 0, or the errno that it failed with */
    bool *written;              /* of each operation of a step: it was, and is to be verified */
    uint8_t *marks;             /* of each save operation: enum bx_mark */
    bool wary;                  /* what registers read is looked at twice: they are not our own */
    char (*left)[BX_LEFT_TEXT]; /* registers that could not be put back, and why */
    size_t left_n;
    bx_lock *locks; /* of each package, or NULL */
    bool claimed;   /* a helper has the locks */
    bool journaled; /* there is a journal, in this file */
    bx_buf journal;
    bx_kernel *kernel; /* what the host's kernel counts */
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
    uint64_t looked;               /* no counter was read before this, since it was read last */
    uint64_t ended;                /* when the first gate was closed at the end; 0: it was not */
    uint64_t turn_ends, must_read; /* when to rotate; when to read, lest a counter wrap twice */
    uint8_t look;                  /* enum bx_look */
    bx_error trouble;              /* the first access that failed */
};

/* ---- readings.c ---- */

/* The events that go by registers: first those that the machine produces, then the others. */
typedef struct bx_sorted {
    bx_evsel *events;
    uint16_t *origin; /* which of the caller's each of them is */
    size_t n, produced;
} bx_sorted;

/* Copies the events that the machine produces to the front, the others behind them: they take no
 * counter. Left out are those that the kernel counts. */
void bx_readings_sort(const bx_machine *m, const bx_evsel *events, size_t n, const bool *kernels,
                      bx_sorted *to);

/* One reading for each seat of registers, of the kernel and of what is absent, in the order of the
 * caller's events. false: out of memory. */
bool bx_readings_new(struct bx_session *s, const bx_schedule *absent, const bx_sorted *sorted,
                     const bx_evsel *events, size_t n);

/* ---- execute.c ---- */

/* Fills in the base addresses of memory-mapped registers. */
void bx_carry_bases(struct bx_session *s);

void bx_carry_save(struct bx_session *s);

/* Does the present pass's set-up, start or stop: all of it, or what is not steady. */
void bx_carry(struct bx_session *s, unsigned step, bool all);

/* Nobody who can still be counted needs op. */
bool bx_carry_in_vain(const struct bx_session *s, const bx_op *op);

/* An operation failed with an errno: the seats that need it are blocked, the others go on. */
void bx_carry_failed(struct bx_session *s, const bx_op *op, int why);

/* The same of a counter that reads what it cannot hold. */
void bx_carry_doubted(struct bx_session *s, const bx_op *op, const char *why);

/* "NAME (ADDRESS) cannot be read: REASON"; returns the code. */
int bx_carry_report(const struct bx_session *s, const bx_op *op, int why, bx_error *e);

/* What an operation writes: bits that no event owns stay as they were. */
uint64_t bx_carry_value(const struct bx_session *s, const bx_op *op);

/* "MSR_UNC_CBO_0_PERFEVTSEL0 (0x700)", with the package where there are several. */
size_t bx_carry_name(const struct bx_session *s, const bx_op *op, char *to, size_t room);

/* ---- restore.c ---- */

/* Only what was saved is written, and only what was written is restored. */
enum bx_keep {
    BX_UNKNOWN,
    BX_SAVED,
    BX_REFUSED, /* it could not be written: as it was, unless a counter was set going all the same
                 */
    BX_TOUCHED,
    BX_LEFT, /* it could not be put back */
};

enum bx_mark {
    BX_MARK_UNSURE = 1, /* what was saved may be wrong */
    BX_MARK_OPEN = 2,   /* it was written so that counters may count, and not stopped since */
};

/* Writes back what registers held when they were saved. All are tried, what fails once more; what
 * is left then is named in s->left, and the first of it in *e: also counters that may go on, as
 * what stops them is left. */
int bx_restore(struct bx_session *s, bx_error *e);

/* ---- count.c ---- */

bool bx_count_new(struct bx_session *s); /* tallies of all seats; false: out of memory */
void bx_count_free(struct bx_session *s);
void bx_count_activate(struct bx_session *s); /* the present pass has just begun to count */
void bx_count_prime(struct bx_session *s);    /* where counters stand at the start */

/* Reads the active counters into their readings. */
void bx_count_collect(struct bx_session *s, unsigned look);

/* op was written: counters whose turns it begins or ends go by the time of it. */
void bx_count_turned(struct bx_session *s, const bx_op *op);
void bx_count_settle(struct bx_session *s); /* brings times and states of all readings up to date */

/* ---- sample.c ---- */

/* Reads the i-th active counter, whose value was fetched at that time, as often as it takes to be
 * sure of it. false: its seat is out, as was told; the caller takes it off the list. */
bool bx_look_sure(struct bx_session *s, size_t i, uint64_t fetched);

/* ---- preflight.c: of a host's registers ---- */

/* Before any is read: nobody else of boxscore counts on these packages. */
int bx_caution_begin(struct bx_session *s, bx_error *e);

/* Once they are saved and before any is written: nobody else counts there at all, nothing was left
 * over, and a journal is written. */
int bx_caution_program(struct bx_session *s, bx_error *e);

/* The journal ends, or is of what could not be put back only; others may count. */
void bx_caution_end(struct bx_session *s, bool restored);

/* ---- verify.c ---- */

/* Bits that read what was written last. */
uint64_t bx_verify_bits(const struct bx_session *s, const bx_op *op);

/* Whether the register reads what op has written; 0, or an errno: EBADMSG if it is *value. */
int bx_verify(struct bx_session *s, const bx_op *op, uint64_t *value);

/* Whether what was set up for the pass, all of it or what is not steady, is so still: readings of
 * what is not are doubted. First, before a stop, what that changes; then the rest. */
void bx_verify_watch(struct bx_session *s, bool all, bool stopped);

/* ---- plausibility.c ---- */

bool bx_doubt_is_counter(const struct bx_catalog *c, unsigned reg);

/* Why a counter cannot hold what was read of it, `span` after it was read last at the earliest;
 * NULL: it can. */
const char *bx_doubt(const bx_tally *t, uint64_t raw, uint64_t span);

/* Whether a counter may have come from the first value to the second one in `span`. */
bool bx_doubt_near(const bx_tally *t, uint64_t first, uint64_t second, uint64_t span);

enum { BX_LOOKS = 3 };

/* Whether a register holds the last of n values, read one right after the other. 0; EAGAIN: that
 * takes another look; EBADMSG: it cannot be told. */
int bx_doubt_saved(const struct bx_catalog *c, unsigned reg, const uint64_t *looks, unsigned n);

/* Bits of a register that no field is in. */
uint64_t bx_doubt_outside(const struct bx_catalog *c, unsigned reg);

#endif
