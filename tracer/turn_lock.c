/* The lock that a thread holds to run, in place of Valgrind's. Threads get it in the order of their
 * requests. A thread that releases it at the end of its turn joins the queue before the next one
 * runs. So no thread has two turns while others wait. */
#include "core_calls.h"
#include "threads.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vkiscnums.h"

enum {
    BELLS = 16, /* a power of two; threads wait for the bell of their ticket: few wake up */
    FUTEX_WAIT_PRIVATE = 0x80,
    FUTEX_WAKE_PRIVATE = 0x81,
    EVERYBODY = 0x7fffffff,
};

typedef struct place { /* a thread that rejoined the queue when it released the lock */
    Int thread;        /* the kernel's number of the thread; 0: free */
    UInt ticket;
} place;

typedef struct turn_lock {
    UInt next, served; /* numbers of tickets */
    UInt bell[BELLS];
    Int owner;
    UInt places;   /* places used so far */
    place place[]; /* [VG_N_THREADS] */
} turn_lock;

static turn_lock *new_lock(void)
{
    return VG_(calloc)("bx.turn", 1, sizeof(turn_lock) + VG_N_THREADS * sizeof(place));
}

static void free_lock(turn_lock *l)
{
    VG_(free)(l);
}

static Int lock_owner(turn_lock *l)
{
    return l->owner;
}

/* ---- the queue ---- */

static UInt take_ticket(turn_lock *l)
{
    return __atomic_fetch_add(&l->next, 1, __ATOMIC_SEQ_CST);
}

/* The caller holds the lock. */
static void stay_in_queue(turn_lock *l)
{
    UInt i = 0;
    while (i < l->places && __atomic_load_n(&l->place[i].thread, __ATOMIC_ACQUIRE) != 0)
        i++;
    tl_assert(i < VG_N_THREADS);
    l->place[i].ticket = take_ticket(l);
    __atomic_store_n(&l->place[i].thread, l->owner, __ATOMIC_RELEASE);
    if (i == l->places)
        __atomic_store_n(&l->places, i + 1, __ATOMIC_RELEASE);
}

static UInt my_ticket(turn_lock *l, Int thread)
{
    UInt n = __atomic_load_n(&l->places, __ATOMIC_ACQUIRE);
    for (UInt i = 0; i < n; i++)
        if (__atomic_load_n(&l->place[i].thread, __ATOMIC_ACQUIRE) == thread) {
            UInt ticket = l->place[i].ticket;
            __atomic_store_n(&l->place[i].thread, 0, __ATOMIC_RELEASE);
            return ticket;
        }
    return take_ticket(l);
}

/* ---- the lock ---- */

static void wait_for_turn(turn_lock *l)
{
    Int thread = VG_(gettid)();
    UInt ticket = my_ticket(l, thread), *bell = &l->bell[ticket % BELLS];
    for (;;) {
        UInt rung = __atomic_load_n(bell, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&l->served, __ATOMIC_SEQ_CST) == ticket)
            break;
        bx_core_syscall(__NR_futex, (UWord)bell, FUTEX_WAIT_PRIVATE, rung, 0, 0, 0);
    }
    l->owner = thread;
}

static void end_turn(turn_lock *l)
{
    if (bx_threads_yields())
        stay_in_queue(l);
    l->owner = 0;
    UInt next = __atomic_add_fetch(&l->served, 1, __ATOMIC_SEQ_CST), *bell = &l->bell[next % BELLS];
    __atomic_add_fetch(bell, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&l->next, __ATOMIC_SEQ_CST) != next)
        bx_core_syscall(__NR_futex, (UWord)bell, FUTEX_WAKE_PRIVATE, EVERYBODY, 0, 0, 0);
}

/* ---- in place of Valgrind's ---- */

/* As in priv_sched-lock-impl.h of Valgrind 3.13 to 3.24. With --fair-sched=yes, Valgrind uses these
 * functions. They are defined here, so the linker does not take those of libcoregrind.a. */
struct sched_lock_ops {
    const HChar *(*name)(void);
    turn_lock *(*make)(void);
    void (*free)(turn_lock *l);
    Int (*owner)(turn_lock *l);
    void (*acquire)(turn_lock *l);
    void (*release)(turn_lock *l);
};

static const HChar *name_of_lock(void)
{
    return "turns";
}

extern const struct sched_lock_ops ML_(linux_ticket_lock_ops);
const struct sched_lock_ops ML_(linux_ticket_lock_ops) = {
    name_of_lock, new_lock, free_lock, lock_owner, wait_for_turn, end_turn,
};
