/* What a session consists of, and its parts: readings.c lays out what is to come of it, execute.c
 * does register operations, count.c turns register values into readings, plausibility.c tells which
 * of those no counter can hold, sample.c how often they are read, verify.c whether registers hold
 * what was written, restore.c puts registers back, preflight.c samples after a host's, session.c is
 * the course of a measurement. */
#ifndef BX_SESSION_SESSION_H
#define BX_SESSION_SESSION_H

#include "host/safety/lock.h"
#include "base/buf.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "session/kernel_counters.h"

/* Widens one counter: values of the register come in, differences go to the reading. */
typedef struct bx_counter_state {
    bx_reading *reading;
    uint64_t last, mask;  /* value at the last read; the counter's bits, shifted down */
    uint64_t start;       /* where a set-up has it start */
    uint64_t wrap_safe;   /* cycles in which it cannot wrap twice */
    uint64_t unused_bits; /* bits of the register that belong to nothing: they read 0 */
    uint64_t rate;        /* more than it can count in a unit of the machine's time */
    uint64_t wrap_time;   /* time in which it may have wrapped unseen */
    uint64_t since;       /* its slice: counted and accounted for up to here; */
    uint64_t until;       /* it was switched off then, 0: it counts */
    uint8_t shift;
    uint8_t erratum; /* of a real machine: bx_cat_counter.erratum */
    bool free_running, multiplexed;
    bool stops;    /* its pass switches it off at the end; not asked where registers are our own */
    bool blocked;  /* out: it could not be read or programmed, or reads what no counter holds */
    bool unprimed; /* free-running, and `last` is not known yet */
} bx_counter_state;

/* The counters that the present pass reads, laid out for one sweep over them. */
typedef struct bx_active {
    size_t n;
    uint64_t wrap_safe; /* cycles that they can go unread */
    bx_address *at;
    uint64_t *values;
    bx_counter_state **counter_state;
    const bx_op **op;
} bx_active;

/* What counters are read for. */
enum bx_sample_point {
    BX_SAMPLE_RUNNING, /* they continue */
    BX_SAMPLE_START,   /* where they begin */
    BX_SAMPLE_ROTATE,  /* multiplexed ones have been stopped */
    BX_SAMPLE_STOP,    /* all have but free-running ones */
};

enum bx_session_phase { BX_OPENED, BX_RUNNING, BX_STOPPED };

enum { BX_NOT_RESTORED_TEXT = sizeof(((bx_error *)0)->message) };

struct bx_session {
    bx_machine *machine;
    struct bx_bus *bus;
    const bx_topology *topology;
    bx_evsel *events; /* those that the machine produces; assignments refer to them */
    bx_schedule schedule;
    bx_plan plan;
    uint8_t *save_states; /* of each save operation: enum bx_save_state */
    int *errnos;          /* of each restore operation: 0, or the errno that it failed with */
    bool *written;        /* of each operation of a step: it was, and is to be verified */
    uint8_t *marks;       /* of each save operation: enum bx_mark */
    bool real_hardware;   /* what is read is checked twice: they are not our own */
    char (*not_restored)[BX_NOT_RESTORED_TEXT]; /* registers that could not be put back, and why */
    size_t not_restored_n;
    bx_lock *locks; /* of each package, or NULL */
    bool claimed;   /* a helper has the locks */
    bool journaled; /* there is a journal, in this file */
    bx_buf journal;
    bx_kernel *kernel;                /* what the host's kernel counts */
    bx_counter_state *counter_states; /* of each assignment */
    bx_active active;
    bx_reading *readings;
    size_t n;      /* readings */
    uint8_t phase; /* enum bx_session_phase */
    bool repeat;
    unsigned pass;
    uint64_t interval;     /* counts to an overflow that counters start at; 0: at 0 */
    uint64_t slice;        /* cycles that a pass keeps the counters; 0: it depends */
    uint64_t began;        /* when counting started */
    uint64_t counted_to;   /* readings are true up to this cycle */
    uint64_t last_sampled; /* no counter was read before this, since it was read last */
    uint64_t ended;        /* when the first enable was cleared at the end; 0: it was not */
    uint64_t slice_ends, must_read; /* when to rotate; when to read, lest a counter wrap twice */
    uint8_t sample_point;           /* enum bx_sample_point */
    bx_error trouble;               /* the first access that failed */
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

/* One reading for each assignment of registers, of the kernel and of what is absent, in the order
 * of the caller's events. false: out of memory. */
bool bx_readings_new(struct bx_session *s, const bx_schedule *absent, const bx_sorted *sorted,
                     const bx_evsel *events, size_t n);

/* ---- execute.c ---- */

/* Fills in the base addresses of memory-mapped registers. */
void bx_execute_find_bases(struct bx_session *s);

void bx_execute_save(struct bx_session *s);

/* Does the present pass's set-up, start or stop: all of it, or what differs between passes. */
void bx_execute(struct bx_session *s, unsigned step, bool all);

/* Nobody who can still be counted needs op. */
bool bx_execute_is_useless(const struct bx_session *s, const bx_op *op);

/* An operation failed with an errno: the assignments that need it are blocked, the others continue.
 */
void bx_execute_failed(struct bx_session *s, const bx_op *op, int err);

/* The same of a counter that reads what it cannot hold. */
void bx_execute_implausible(struct bx_session *s, const bx_op *op, const char *why);

/* "NAME (ADDRESS) cannot be read: REASON"; returns the code. */
int bx_execute_report(const struct bx_session *s, const bx_op *op, int err, bx_error *e);

/* What an operation writes: bits that no event owns stay as they were. */
uint64_t bx_execute_value(const struct bx_session *s, const bx_op *op);

/* "MSR_UNC_CBO_0_PERFEVTSEL0 (0x700)", with the package where there are several. */
size_t bx_execute_name(const struct bx_session *s, const bx_op *op, char *to, size_t room);

/* ---- restore.c ---- */

/* Only what was saved is written, and only what was written is restored. */
enum bx_save_state {
    BX_SAVE_UNKNOWN,
    BX_SAVE_HELD,
    BX_SAVE_REFUSED, /* it could not be written: as it was, unless a counter was set going all the
                      * same
                      */
    BX_SAVE_WRITTEN,
    BX_SAVE_NOT_RESTORED, /* it could not be put back */
};

enum bx_mark {
    BX_MARK_UNSURE = 1, /* what was saved may be wrong */
    BX_MARK_OPEN = 2,   /* it was written so that counters may count, and not stopped since */
};

/* Writes back what registers held when they were saved. All are tried, what fails once more; what
 * is left then is named in s->not_restored, and the first of it in *e: also counters that may
 * continue, as what stops them is left. */
int bx_restore(struct bx_session *s, bx_error *e);

/* ---- count.c ---- */

bool bx_count_new(struct bx_session *s); /* the counters of all assignments; false: out of memory */
void bx_count_free(struct bx_session *s);
void bx_count_activate(struct bx_session *s); /* the present pass has just begun to count */
void bx_count_prime(struct bx_session *s);    /* where counters stand at the start */

/* Reads the active counters into their readings. */
void bx_count_collect(struct bx_session *s, unsigned sample_point);

/* op was written: counters whose slices it begins or ends go by the time of it. */
void bx_count_switched(struct bx_session *s, const bx_op *op);
void bx_count_update(struct bx_session *s); /* brings times and states of all readings up to date */

/* ---- sample.c ---- */

/* Reads the i-th active counter, whose value was fetched at that time, as often as it takes to be
 * sure of it. false: its assignment is out, as was reported; the caller takes it off the list. */
bool bx_sample_confirmed(struct bx_session *s, size_t i, uint64_t fetched);

/* ---- preflight.c: of a host's registers ---- */

/* Before any is read: nobody else of boxscore counts on these packages. */
int bx_preflight_lock(struct bx_session *s, bx_error *e);

/* Once they are saved and before any is written: nobody else counts there at all, nothing was left
 * over, and a journal is written. */
int bx_preflight_check(struct bx_session *s, bx_error *e);

/* The journal ends, or is of what could not be put back only; others may count. */
void bx_preflight_end(struct bx_session *s, bool restored);

/* ---- verify.c ---- */

/* Bits that read what was written last. */
uint64_t bx_verify_bits(const struct bx_session *s, const bx_op *op);

/* Whether the register reads what op has written; 0, or an errno: EBADMSG if it is *value. */
int bx_verify(struct bx_session *s, const bx_op *op, uint64_t *value);

/* Whether what was set up for the pass, all of it or what differs between passes, is so still:
 * readings of what is not are reported as implausible. First, before a stop, what that changes;
 * then the rest. */
void bx_verify_unchanged(struct bx_session *s, bool all, bool stopped);

/* ---- plausibility.c ---- */

bool bx_is_counter_value(const struct bx_catalog *c, unsigned reg);

/* Why a counter cannot hold what was read of it, `span` after it was read last at the earliest;
 * NULL: it can. */
const char *bx_implausible(const bx_counter_state *t, uint64_t raw, uint64_t span);

/* Whether a counter may have come from the first value to the second one in `span`. */
bool bx_plausible_step(const bx_counter_state *t, uint64_t first, uint64_t second, uint64_t span);

enum { BX_SAMPLES = 3 };

/* Whether a register holds the last of n values, read one right after the other. 0; EAGAIN: that
 * takes another sample; EBADMSG: it cannot be determined. */
int bx_plausible_saved(const struct bx_catalog *c, unsigned reg, const uint64_t *samples,
                       unsigned n);

/* Bits of a register that no field is in. */
uint64_t bx_unused_bits(const struct bx_catalog *c, unsigned reg);

#endif
