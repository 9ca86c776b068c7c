/* The lock that a thread holds to run, in place of Valgrind's. The thread whose clock comes first
 * gets it. Threads that have just been created or woken are waited for, and those in calls that do
 * not sleep. */
#include "turn_lock.h"

#include "core_calls.h"
#include "ring.h"
#include "thread_state.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum {
    FUTEX_WAIT_PRIVATE = 0x80,
    FUTEX_WAKE_PRIVATE = 0x81,
    FUTEX_CMP_REQUEUE = 4,
    TRY_AGAIN = 11,      /* EAGAIN */
    TIMED_OUT = 110,     /* ETIMEDOUT */
    PATIENCE = 10000000, /* ns that others wait for a thread that is about to come, if it does not
                            run */
    NAP = 20000,         /* ns */
    SHORT_NAPS = 50,
    NAPS = SHORT_NAPS + PATIENCE / NAP,
    QUICK_LOOKS = 4,        /* at a thread in a call, without a nap */
    CALL_NAPS = 100 * NAPS, /* for a call that the kernel cannot interrupt: a fault or a file may
                               need another thread of the program */
};

enum state {
    FREE, /* no thread */
    AWAY, /* it runs, or does not want to */
    WAITS,
};

typedef struct place { /* a thread */
    Int thread;        /* the kernel's number of it */
    enum state is;
    ULong clock;
    Addr futex;   /* the thread sleeps there; 0: it does not */
    UInt private; /* FUTEX_PRIVATE_FLAG, if it does */
    Bool settles; /* it is in a call, and perhaps does not sleep yet */
    Bool comes;   /* it is one of those that are about to come */
    UInt wakes;   /* it is about to wake so many at most */
    Bool looks;   /* it only looks whether others have done something */
    Bool ends;
    UInt idle;   /* turns in a row in which it has executed nothing: it waits for what others do */
    UInt id;     /* Valgrind's number of the thread */
    UInt go;     /* a futex: the lock is this thread's */
    Bool sleeps; /* it waits for that futex */
} place;

typedef struct turn_lock {
    UInt guard; /* 1: a thread is changing the places */
    Int owner;
    UInt runs;   /* place of the owner */
    ULong began; /* clock of the owner when it got the lock */
    UInt n;      /* places used so far */
    UInt coming; /* threads that are about to come: created, woken, or in a call that does not block
                  */
    Int leaving; /* the kernel's number of a thread that has ended for us; 0: none */
    place place[]; /* [VG_N_THREADS] */
} turn_lock;

ULong bx_turn_lock_now;
static turn_lock *of_all; /* there is one */
static Bool stays;        /* the thread that runs wants to run on when its turn has ended */
static ULong first =
    BX_TURN_NEVER; /* smallest clock of the others; only for the thread that runs */

static turn_lock *new_lock(void)
{
    of_all = VG_(calloc)("bx.turn", 1, sizeof(turn_lock) + VG_N_THREADS * sizeof(place));
    return of_all;
}

static void free_lock(turn_lock *l)
{
    VG_(free)(l);
}

static Int lock_owner(turn_lock *l)
{
    return l->owner;
}

/* ---- the guard of the places ---- */

/* It is held for an instant. A thread that waits for it does not sleep: whoever asks the kernel has
 * to see that it is on its way. */
static void enter_places(turn_lock *l)
{
    while (__atomic_exchange_n(&l->guard, 1, __ATOMIC_SEQ_CST) != 0)
        bx_core_syscall(__NR_sched_yield, 0, 0, 0, 0, 0, 0);
}

static void leave_places(turn_lock *l)
{
    __atomic_store_n(&l->guard, 0, __ATOMIC_SEQ_CST);
}

/* ---- places; the caller has entered ---- */

static place *find_place(turn_lock *l, Int thread)
{
    for (UInt i = 0; i < l->n; i++)
        if (l->place[i].is != FREE && l->place[i].thread == thread)
            return &l->place[i];
    return NULL;
}

static place *make_place(turn_lock *l, Int thread)
{
    UInt i = 0;
    while (i < l->n && l->place[i].is != FREE)
        i++;
    tl_assert(i < VG_N_THREADS);
    if (i == l->n)
        l->n++;
    l->place[i] = (place){.thread = thread, .is = AWAY, .clock = bx_turn_lock_now};
    return &l->place[i];
}

static place *place_of_thread(turn_lock *l, Int thread)
{
    place *p = find_place(l, thread);
    return p ? p : make_place(l, thread);
}

/* The thread that should run next. */
static place *first_waiter(turn_lock *l)
{
    place *best = NULL;
    for (UInt i = 0; i < l->n; i++) {
        place *p = &l->place[i];
        if (p->is == WAITS && (!best || p->clock < best->clock))
            best = p;
    }
    return best;
}

/* looking: also of threads that only look. */
static ULong smallest_clock(const turn_lock *l, Bool looking)
{
    ULong clock = BX_TURN_NEVER;
    for (UInt i = 0; i < l->n; i++) {
        const place *p = &l->place[i];
        if (p->is == WAITS && (looking || !p->looks) && p->clock < clock)
            clock = p->clock;
    }
    return clock;
}

static void give_lock(turn_lock *l, place *p)
{
    p->is = AWAY;
    p->looks = False;
    l->owner = p->thread;
    l->runs = (UInt)(p - l->place);
    l->began = bx_turn_lock_now = p->clock;
    first = smallest_clock(l, True);
    __atomic_store_n(&p->go, 1, __ATOMIC_SEQ_CST);
    if (p->sleeps)
        bx_core_syscall(__NR_futex, (UWord)&p->go, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    p->sleeps = False;
}

/* Gives the lock away if it is free. Waits for threads that have still to come, except for one that
 * comes back from waking them. */
static void pass_on(turn_lock *l)
{
    place *next = l->owner ? NULL : first_waiter(l);
    if (next && (!l->coming || next->wakes))
        give_lock(l, next);
}

/* A thread that was expected has come, or perhaps another one. */
static void has_arrived(turn_lock *l, place *p)
{
    if ((p->futex || p->comes) && l->coming)
        l->coming--;
    p->futex = 0;
    p->comes = p->settles = False;
}

static void come_soon(turn_lock *l, place *p)
{
    p->comes = True;
    l->coming++;
}

/* Whether the thread is still on its way here or to a futex, on a host that is slow to run it. */
static Bool is_on_its_way(const place *p)
{
    return p->is == AWAY && (p->futex || p->comes) && bx_thread_is_runnable(p->thread);
}

/* Threads that the kernel has ended. Before that it has cleared the thread's word, and woken who
 * sleeps there (set_tid_address(2)). */
static Bool has_left(Int thread)
{
    return bx_core_syscall(__NR_tgkill, (UWord)VG_(getpid)(), (UWord)thread, 0, 0, 0, 0) < 0;
}

static Bool some_are_on_their_way(const turn_lock *l)
{
    if (l->leaving && !has_left(l->leaving))
        return True;
    for (UInt i = 0; i < l->n; i++)
        if (is_on_its_way(&l->place[i]))
            return True;
    return False;
}

/* ---- threads that are about to sleep ---- */

/* Waits for the i-th time: at first only for the kernel's other threads. */
static void nap(UInt i)
{
    const struct vki_timespec time = {0, NAP};
    if (i < SHORT_NAPS)
        bx_core_syscall(__NR_sched_yield, 0, 0, 0, 0, 0, 0);
    else
        bx_core_syscall(__NR_nanosleep, (UWord)&time, 0, 0, 0, 0, 0);
}

/* The kernel's number of threads that sleep at the futex: it would move so many to the same one. */
static Word sleepers(const place *p)
{
    return bx_core_syscall(__NR_futex, p->futex, FUTEX_CMP_REQUEUE | p->private, 0, 0x7fffffff,
                           p->futex, *(const volatile UInt *)p->futex);
}

static Word should_sleep(const turn_lock *l, Addr futex)
{
    Word n = 0;
    for (UInt i = 0; i < l->n; i++)
        n += l->place[i].is == AWAY && l->place[i].futex == futex;
    return n;
}

/* No thread runs while another one is on its way to a futex. So it depends on no real time whether
 * that thread finds the futex changed, sleeps, or is woken. */
static void settle_at_futex(const turn_lock *l, const place *p)
{
    for (UInt i = 0; p->is == AWAY && (i < NAPS || is_on_its_way(p)); i++) {
        Word n = sleepers(p);
        if (n >= should_sleep(l, p->futex) || (n < 0 && n != -TRY_AGAIN))
            break;
        nap(i);
    }
}

/* No thread runs while another one is in a call in which it does not sleep. So it depends on no
 * real time how far others get until that thread returns. */
static void settle_in_call(const place *p)
{
    for (UInt i = 0; p->is == AWAY; i++) {
        HChar state = bx_thread_state(p->thread);
        if (state != 'R' && (state != 'D' || i >= CALL_NAPS))
            break;
        if (i >= QUICK_LOOKS) /* most calls have come back, or sleep */
            nap(SHORT_NAPS);
    }
}

static void settle(const turn_lock *l, place *p)
{
    if (p->futex)
        settle_at_futex(l, p);
    else
        settle_in_call(p);
    p->settles = False;
}

/* Waits until threads have come that the caller has created or woken. */
static void await_them(turn_lock *l)
{
    for (UInt i = 0; __atomic_load_n(&l->coming, __ATOMIC_SEQ_CST); i++) {
        if (i >= NAPS && !some_are_on_their_way(l))
            break;
        nap(i);
    }
    enter_places(l);
    l->coming = 0;
    first = smallest_clock(l, True);
    leave_places(l);
}

/* No thread runs while another one ends. So it depends on no real time whether the others find its
 * word cleared. */
static void await_end(turn_lock *l)
{
    for (UInt i = 0; l->leaving && !has_left(l->leaving); i++) {
        if (i >= NAPS && !bx_thread_is_runnable(l->leaving))
            break;
        nap(i);
    }
    l->leaving = 0;
}

static void settle_all(turn_lock *l)
{
    await_end(l);
    for (UInt i = 0; i < l->n; i++)
        if (l->place[i].is == AWAY && l->place[i].settles)
            settle(l, &l->place[i]);
}

/* ---- the lock ---- */

/* A clock behind that of the first thread, or of the first that does not only look. */
static ULong behind_others(const turn_lock *l, ULong clock, Bool looking)
{
    ULong others = smallest_clock(l, looking);
    return others != BX_TURN_NEVER && others >= clock ? others + 1 : clock;
}

/* A thread that was away for long does not make up for it. */
static void catch_up(const turn_lock *l, place *p)
{
    ULong others = smallest_clock(l, False),
          now = others < BX_TURN_NEVER ? others : bx_turn_lock_now;
    if (p->clock + BX_TURN_BEHIND < now)
        p->clock = now - BX_TURN_BEHIND;
}

static void wait_for_turn(turn_lock *l)
{
    const struct vki_timespec patience = {0, PATIENCE};
    Int thread = VG_(gettid)();
    enter_places(l);
    place *p = place_of_thread(l, thread);
    if (!p->go) {
        catch_up(l, p);
        has_arrived(l, p);
        p->is = WAITS;
        if (l->owner && p->clock < first)
            first = p->clock;
        p->sleeps = True;
        pass_on(l);
    }
    leave_places(l);
    while (!__atomic_load_n(&p->go, __ATOMIC_SEQ_CST)) {
        Word r = bx_core_syscall(__NR_futex, (UWord)&p->go, FUTEX_WAIT_PRIVATE, 0, (UWord)&patience,
                                 0, 0);
        if (r != -TIMED_OUT)
            continue;
        enter_places(l);
        if (!l->owner && !some_are_on_their_way(l))
            l->coming = 0;
        pass_on(l);
        leave_places(l);
    }
    p->go = 0;
    settle_all(l);
}

static void leave_turn(turn_lock *l)
{
    enter_places(l);
    place *p = &l->place[l->runs];
    p->clock = bx_turn_lock_now;
    p->idle = bx_turn_lock_now == l->began ? p->idle + 1 : 0;
    if (p->idle > 1) /* as when Valgrind waits for the ends of all other threads */
        p->clock = behind_others(l, p->clock, True);
    else if (p->id && bx_ring_passed_over() == p->id)
        p->clock = behind_others(l, p->clock, False);
    p->sleeps = False;
    p->is = p->ends ? FREE : stays ? WAITS : AWAY;
    p->settles = p->is == AWAY && !p->comes;
    l->owner = 0;
    pass_on(l);
    leave_places(l);
}

/* ---- for the thread that holds the lock; without --fair-sched=yes, there is none ---- */

void bx_turn_lock_stay(Bool wants)
{
    stays = wants;
}

UInt bx_turn_lock_me(void)
{
    return of_all ? of_all->runs : 0;
}

ULong bx_turn_lock_first(void)
{
    return first;
}

void bx_turn_lock_name(UInt id)
{
    if (of_all)
        of_all->place[of_all->runs].id = id;
}

Bool bx_turn_lock_look(void)
{
    turn_lock *l = of_all;
    if (!l)
        return False;
    enter_places(l);
    Bool another = smallest_clock(l, True) != BX_TURN_NEVER;
    l->place[l->runs].looks = True;
    bx_turn_lock_now = behind_others(l, bx_turn_lock_now + BX_TURN_LOOK, False);
    leave_places(l);
    return another;
}

void bx_turn_lock_return(void)
{
    turn_lock *l = of_all;
    if (!l)
        return;
    enter_places(l);
    come_soon(l, &l->place[l->runs]);
    leave_places(l);
}

void bx_turn_lock_create(Int thread)
{
    turn_lock *l = of_all;
    if (!l)
        return;
    enter_places(l);
    place *p = find_place(l, thread);
    if (!p) {
        p = make_place(l, thread);
        come_soon(l, p);
    }
    p->clock = bx_turn_lock_now;
    leave_places(l);
    await_them(l);
}

void bx_turn_lock_sleep(Addr futex, UInt private)
{
    turn_lock *l = of_all;
    if (!l)
        return;
    place *p = &l->place[l->runs];
    enter_places(l);
    p->futex = futex;
    p->private = private;
    leave_places(l);
}

/* The threads that sleep at the futex are about to be woken. Returns their number. */
static UInt make_later(turn_lock *l, Addr futex)
{
    UInt n = 0;
    for (UInt i = 0; i < l->n; i++) {
        place *p = &l->place[i];
        if (p->is != AWAY || !futex || p->futex != futex)
            continue;
        if (p->clock < bx_turn_lock_now + BX_TURN_WAKE)
            p->clock = bx_turn_lock_now + BX_TURN_WAKE;
        n++;
    }
    return n;
}

/* Nobody knows which of those that sleep the kernel wakes. */
void bx_turn_lock_wake(Addr futex, UWord most)
{
    turn_lock *l = of_all;
    if (!l)
        return;
    enter_places(l);
    UInt sleep = make_later(l, futex);
    sleep = most < sleep ? (UInt)most : sleep;
    l->place[l->runs].wakes = sleep;
    l->coming += sleep;
    come_soon(l, &l->place[l->runs]);
    leave_places(l);
}

void bx_turn_lock_woke(UWord threads)
{
    turn_lock *l = of_all;
    if (!l)
        return;
    place *p = &l->place[l->runs];
    enter_places(l);
    UInt fewer = threads < p->wakes ? p->wakes - (UInt)threads : 0;
    l->coming = fewer < l->coming ? l->coming - fewer : 0;
    p->wakes = 0;
    leave_places(l);
    await_them(l);
}

void bx_turn_lock_end(Addr clears)
{
    turn_lock *l = of_all;
    if (!l)
        return;
    place *me = &l->place[l->runs];
    enter_places(l);
    me->ends = True;
    l->leaving = me->thread;
    l->coming += make_later(l, clears);
    leave_places(l);
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
    name_of_lock, new_lock, free_lock, lock_owner, wait_for_turn, leave_turn,
};
