/* A session and its parts:
 *
 *   session.c       the course of a measurement
 *   banks.c         where each pass is counted: one bank of registers in turns, or one each
 *   readings.c      lays out the readings
 *   execute.c       executes register operations
 *   blame.c         names failed operations, and blocks the counters that need them
 *   count.c         turns register values into readings
 *   turns.c         which pass counts next, and for how long
 *   spread.c        how much counts differ from turn to turn, and what that says of scaled values
 *   sample.c        chooses how often a register is read
 *   plausibility.c  recognises impossible values
 *   verify.c        checks that registers hold what was written
 *   save.c          saves what registers hold
 *   restore.c       puts it back
 *   preflight.c     checks a host before and after
 *   overflow.c      stops all counters when one overflows
 *   regions.c       counts the regions that a program marks
 *   kernel_*.c      count through the kernel */
#ifndef BX_SESSION_SESSION_H
#define BX_SESSION_SESSION_H

#include "guard/lock.h"
#include "guard/put_back.h"
#include "base/buf.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "session/kernel_counters.h"

/* A count, and the time in which it was counted. */
struct bx_turn {
    double count, time;
};

/* The state of one counter. It widens register values: differences are added to the reading. */
typedef struct bx_counter_state {
    bx_reading *reading;
    uint64_t last, mask;  /* value at the last read, shifted down to bit 0; its bits */
    uint64_t start;       /* start value that set-up writes */
    uint64_t wrap_safe;   /* cycles within which it cannot wrap twice */
    uint64_t unused_bits; /* bits of the register that the counter lacks: they read 0 */
    uint64_t rate;        /* an upper limit of the counts per unit of the machine's time */
    uint64_t wrap_time;   /* time after which it may have wrapped unnoticed */
    uint64_t since;       /* its time is added to the reading up to here */
    uint64_t until;       /* the time when it was switched off; 0: it counts */
    struct bx_turn begun; /* its reading at the begin of its turn */
    struct bx_turn before[2], before_together[2]; /* last turns, latest first: its own, and … */
    struct bx_turn together; /* … its group's; the sum over its group in the present turn */
    /* the first counter of its group: the counters that count its event at the same times */
    struct bx_counter_state *first;
    uint8_t shift;
    uint8_t erratum; /* on real machines: bx_cat_counter.erratum */
    bool free_running, multiplexed;
    bool down;     /* it counts downwards */
    bool stops;    /* its pass switches it off at the end; unused on virtual registers */
    bool blocked;  /* it cannot be read or programmed, or its values are impossible */
    bool unprimed; /* it is free-running, and `last` is not known yet */
} bx_counter_state;

/* The counts from one value of a counter to another; both are shifted down to bit 0. */
static inline uint64_t bx_count_grown(const bx_counter_state *t, uint64_t from, uint64_t to)
{
    return (t->down ? from - to : to - from) & t->mask;
}

/* The counters of the present pass, or of all passes that count at the same time, laid out for one
 * sweep. */
typedef struct bx_active {
    size_t n;
    uint64_t wrap_safe; /* cycles for which they can stay unread */
    struct bx_bus **bus;
    bx_address *at;
    uint64_t *values;
    bx_counter_state **counter_state;
    const bx_op **op;
} bx_active;

/* Why counters are read. */
enum bx_sample_point {
    BX_SAMPLE_RUNNING, /* the counters continue to run */
    BX_SAMPLE_START,   /* for the start values */
    BX_SAMPLE_ROTATE,  /* multiplexed counters have been stopped */
    BX_SAMPLE_STOP,    /* all counters have been stopped, except free-running ones */
};

/* The turns of a round: one turn for each pass. */
typedef struct bx_turns {
    uint16_t *order; /* order of the passes; NULL: nothing is multiplexed */
    unsigned at;     /* index of the present turn */
    uint64_t length; /* length of each turn */
    uint64_t random; /* state of the random numbers */
    uint64_t slice;  /* mean cycles of a turn; 0: chosen automatically */
    uint64_t ends;   /* time of the next rotation */
} bx_turns;

enum bx_session_phase { BX_OPENED, BX_RUNNING, BX_STOPPED };

enum { BX_NOT_RESTORED_TEXT = sizeof(((bx_error *)0)->message) };

/* What is programmed: the events that the machine produces on their counters, as operations. */
typedef struct bx_programme {
    bx_machine *machine;
    struct bx_bus *bus;
    const bx_topology *topology;
    bx_evsel *events; /* first those of the assignments */
    bx_schedule schedule;
    bx_plan plan;
    bool *refused;      /* for each operation of the plan: it must not be executed */
    bool *written;      /* for each operation of a step: it was written and must be verified */
    bool real_hardware; /* the registers are a host's: every read is checked twice */
    bool repeat;
    bool at_once; /* all passes count at the same time, each in a bank of its own */
    unsigned pass;
    bx_vpmu **banks;   /* [passes]: bank of each pass; NULL: all passes use the session's bus */
    uint64_t interval; /* counts until overflow, which sets the start value; 0: start at 0 */
} bx_programme;

/* What is read from the counters, and when. */
typedef struct bx_samples {
    bx_counter_state *states; /* by assignment */
    bx_active active;
    uint64_t began;        /* when counting started */
    uint64_t counted_to;   /* readings are valid up to this cycle */
    uint64_t last_sampled; /* time of the oldest last read of all counters */
    uint64_t ended;        /* time when the first enable was cleared at the end; 0: not yet */
    uint64_t must_read;    /* latest time to read counters before a second wrap */
    uint8_t point;         /* enum bx_sample_point */
} bx_samples;

/* The counter whose overflow stops all others. */
typedef struct bx_stopper {
    bx_overflow overflow; /* counts 0: no counter should overflow */
    size_t event;         /* index of the caller's event */
    uint64_t rearmed_at;  /* count of that event when its counter was last started */
    bool (*at_overflow)(void *context);
    void *context;
    int (*stop)(bx_session *s, bx_error *e); /* ends the session */
} bx_stopper;

/* What has to be put back, and who may write meanwhile. */
typedef struct bx_session_undo {
    bx_allow allow;
    bx_register_policy policy;
    bx_undo_log *logs;                          /* by package: the values to restore at the end */
    bx_undo_op *ops;                            /* room for restoring a package, … */
    int *errnos;                                /* … and for the results */
    char (*not_restored)[BX_NOT_RESTORED_TEXT]; /* registers that were not restored, and why */
    size_t not_restored_n;
    bx_lock *locks;    /* one for each claimed package, or NULL */
    bool private_lock; /* the lock does not exclude processes of root */
    bool journaled;    /* the journal exists at this path */
    bx_buf journal;
} bx_session_undo;

struct bx_session {
    uint8_t phase; /* enum bx_session_phase */
    bx_programme programme;
    bx_session_undo undo;
    bx_samples samples;
    bx_turns turns;
    bx_stopper stopper;
    bx_kernel *kernel;          /* events that the host's kernel counts */
    struct bx_regions *regions; /* NULL: regions are not counted */
    bx_reading *readings;
    size_t n;              /* number of readings */
    bx_error *unsupported; /* [events_n]: why each is BX_NOT_SUPPORTED; NULL: an unsupported event
                              is an error */
    size_t events_n;
    bx_error trouble; /* the first access that failed */
};

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

/* ---- readings.c ---- */

/* The events that registers count: first those that the machine produces, then the others. */
typedef struct bx_sorted {
    bx_evsel *events;
    uint16_t *origin; /* index of each event in the caller's array */
    size_t n, produced;
} bx_sorted;

/* Copies the events that the machine produces to the front, and the others after them. The others
 * take no counter. Events that the kernel counts are not copied. */
void bx_readings_sort(const bx_machine *m, const bx_evsel *events, size_t n, const bool *kernels,
                      bx_sorted *to);

/* Makes one reading for each assignment of registers, of the kernel and of absent events, in the
 * order of the caller's events. false: out of memory. */
bool bx_readings_new(struct bx_session *s, const bx_schedule *absent, const bx_sorted *sorted,
                     const bx_evsel *events, size_t n);

/* ---- execute.c ---- */

/* Fills in the base addresses of memory-mapped registers. */
void bx_execute_find_bases(struct bx_session *s);

/* Executes the set-up, start or stop of the present pass, or of all passes that count at once. It
 * executes all operations, or those that differ between passes. */
void bx_execute(struct bx_session *s, unsigned step, bool all);

/* ---- blame.c ---- */

/* Whether no assignment that can still be counted needs op. */
bool bx_blame_is_useless(const bx_programme *p, const bx_samples *samples, const bx_op *op);

/* An operation failed with an errno: blocks the assignments that need it. The others continue. */
void bx_blame_failed(struct bx_session *s, const bx_op *op, int err);

/* The same for an operation that must not be executed because another one failed. */
void bx_blame_refused(struct bx_session *s, const bx_op *op, const bx_op *failed, int err);

/* The same for a counter with an impossible value. */
void bx_blame_implausible(struct bx_session *s, const bx_op *op, const char *why);

/* Makes an error such as "NAME (ADDRESS) cannot be read: REASON", also for writing and restoring.
 * Returns the code. */
int bx_blame_report(const bx_programme *p, const bx_op *op, int err, bx_error *e);

/* The name of a register, such as "MSR_UNC_CBO_0_PERFEVTSEL0 (0x700)"; with the package if there
 * are several. */
size_t bx_blame_name(const bx_programme *p, const bx_op *op, char *to, size_t room);

/* ---- save.c ---- */

/* Saves all registers that the plan will change. A register that cannot be saved is not written,
 * and assignments that need it are blocked. */
int bx_save(struct bx_session *s, bx_error *e);
void bx_save_free(bx_session_undo *u, const bx_programme *p);

/* ---- restore.c ---- */

/* Restores the registers. s->undo.not_restored lists those that failed, and *e has the first. The
 * list includes counters that may still run because the register that stops them failed. */
int bx_restore(bx_session_undo *u, const bx_programme *p, bx_error *e);

/* ---- count.c ---- */

bool bx_count_new(bx_samples *samples, const bx_programme *p,
                  const bx_stopper *stopper); /* states of all counters; false: no memory */
void bx_count_free(bx_samples *samples);
void bx_count_activate(bx_samples *samples,
                       const bx_programme *p); /* the present pass has just started to count */
void bx_count_prime(struct bx_session *s);     /* reads the start values */

/* Reads all counters, those of the kernel, too. The readings are then up to date. */
void bx_count_now(struct bx_session *s);

/* Reads the active counters into their readings. */
void bx_count_collect(struct bx_session *s, unsigned sample_point);

/* Call it when op was written: sets the time of the counters whose slices it begins or ends. */
void bx_count_switched(bx_samples *samples, const bx_programme *p, const bx_op *op);
void bx_count_update(bx_samples *samples,
                     const bx_programme *p); /* updates times and states of all readings */

/* ---- turns.c ---- */

bool bx_turns_open(bx_turns *turns, const bx_programme *p, const bx_samples *samples,
                   uint64_t seed); /* false: out of memory */
void bx_turns_close(bx_turns *turns);

/* Changes to the pass whose turn is next. */
void bx_turns_next(bx_turns *turns, bx_programme *p, const bx_samples *samples);

/* The time at which the turn that begins now ends. UINT64_MAX: nothing is multiplexed. */
uint64_t bx_turns_end(const bx_turns *turns, const bx_programme *p);

/* ---- spread.c ---- */

/* Finds the counters that count one event at the same times. */
void bx_spread_find(bx_samples *samples, const bx_programme *p);

/* Ends a turn of the active multiplexed counters: compares it with earlier turns. */
void bx_spread_end_turn(bx_samples *samples, const bx_programme *p);

/* ---- sample.c ---- */

/* Reads the i-th active counter, whose value was fetched before, until its value is confirmed.
 * false: its assignment is blocked, and the reason recorded. The caller removes it from the
 * list. */
bool bx_sample_confirmed(struct bx_session *s, size_t i, uint64_t fetched);

/* ---- preflight.c: checks before registers are written ---- */

/* Call it before registers are read. Locks the packages that will be written, against other
 * sessions and other processes. */
int bx_preflight_lock(bx_session_undo *u, const bx_programme *p, bx_error *e);

/* Call it after saving and before writing. Checks that no other software counts there, and that no
 * killed measurement left a journal. Then writes our journal. */
int bx_preflight_check(bx_session_undo *u, const bx_programme *p, bx_error *e);

/* Removes the journal, or keeps it if some registers could not be restored. After that, other
 * processes may count. */
void bx_preflight_end(bx_session_undo *u, const bx_programme *p, bool restored);

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
void bx_verify_unchanged(struct bx_session *s, bool all, bool stopped);

/* ---- overflow.c ---- */

/* Finds the counter that must overflow, when events are scheduled. */
int bx_session_find_overflow(bx_stopper *stopper, const bx_programme *p, const bx_sorted *sorted,
                             bx_error *e);

/* Sends interrupts of the virtual PMUs to the session, which the last of them stops. NULL: no
 * more. */
void bx_session_await_overflow(struct bx_session *s, int (*stop)(bx_session *s, bx_error *e));

/* ---- regions.c ---- */

/* Reads the options. BX_NO_ACCESS: the machine cannot report marks. */
int bx_regions_new(struct bx_session *s, const bx_session_options *o, bx_error *e);
void bx_regions_free(struct bx_session *s);

/* Ends all open regions. The session must still run. */
void bx_regions_close(struct bx_session *s);

/* Makes the results. Returns whether all could be stored. With the option `inside`, the readings
 * have only the counts inside these regions. */
int bx_regions_finish(struct bx_session *s, bx_error *e);

/* ---- plausibility.c ---- */

/* Why a counter cannot hold the value `raw`, at least `span` after the last read; NULL: it can. */
const char *bx_implausible(const bx_counter_state *t, uint64_t raw, uint64_t span);

/* Whether a counter can get from the first value to the second in `span`. */
bool bx_plausible_step(const bx_counter_state *t, uint64_t first, uint64_t second, uint64_t span);

#endif
