/* The lock that a thread holds to run, in place of Valgrind's. The thread whose clock comes first
 * gets it. Threads that have just been created or woken are waited for, and those in calls that do
 * not sleep. */
#include "turn_lock.h"

#include "core_calls.h"
#include "ring.h"
#include "turn_arrivals.h"
#include "turn_places.h"

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
    TIMED_OUT = 110, /* ETIMEDOUT */
};

ULong bx_turn_lock_now;
static bx_turn_lock *of_all; /* there is one */
static Bool stays;           /* the thread that runs wants to run on when its turn has ended */
static ULong first =
    BX_TURN_NEVER; /* smallest clock of the others; only for the thread that runs */

static bx_turn_lock *new_lock(void)
{
    of_all = VG_(calloc)("bx.turn", 1, sizeof(bx_turn_lock) + VG_N_THREADS * sizeof(bx_place));
    return of_all;
}

static void free_lock(bx_turn_lock *l)
{
    VG_(free)(l);
}

static Int lock_owner(bx_turn_lock *l)
{
    return l->owner;
}

static void give_lock(bx_turn_lock *l, bx_place *p)
{
    p->is = BX_PLACE_AWAY;
    p->looks = False;
    l->owner = p->thread;
    l->runs = (UInt)(p - l->place);
    l->began = bx_turn_lock_now = p->clock;
    first = bx_places_smallest_clock(l, True);
    __atomic_store_n(&p->go, 1, __ATOMIC_SEQ_CST);
    if (p->sleeps)
        bx_core_syscall(__NR_futex, (UWord)&p->go, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    p->sleeps = False;
}

/* Gives the lock away if it is free. Waits for threads that have still to come, except for one that
 * comes back from waking them. */
static void pass_on(bx_turn_lock *l)
{
    bx_place *next = l->owner ? NULL : bx_places_first_waiter(l);
    if (next && (!l->coming || next->wakes))
        give_lock(l, next);
}

/* Waits until threads have come that the caller has created or woken. */
static void await_them(bx_turn_lock *l)
{
    bx_arrivals_await(l);
    bx_places_enter(l);
    l->coming = 0;
    first = bx_places_smallest_clock(l, True);
    bx_places_leave(l);
}

/* ---- the lock ---- */

/* A clock behind that of the first thread, or of the first that does not only look. */
static ULong behind_others(const bx_turn_lock *l, ULong clock, Bool looking)
{
    ULong others = bx_places_smallest_clock(l, looking);
    return others != BX_TURN_NEVER && others >= clock ? others + 1 : clock;
}

/* A thread that was away for long does not make up for it. */
static void catch_up(const bx_turn_lock *l, bx_place *p)
{
    ULong others = bx_places_smallest_clock(l, False),
          now = others < BX_TURN_NEVER ? others : bx_turn_lock_now;
    if (p->clock + BX_TURN_BEHIND < now)
        p->clock = now - BX_TURN_BEHIND;
}

static bx_place *place_of_thread(bx_turn_lock *l, Int thread)
{
    bx_place *p = bx_places_find(l, thread);
    return p ? p : bx_places_make(l, thread, bx_turn_lock_now);
}

static void wait_for_turn(bx_turn_lock *l)
{
    const struct vki_timespec patience = {0, BX_ARRIVALS_PATIENCE};
    Int thread = VG_(gettid)();
    bx_places_enter(l);
    bx_place *p = place_of_thread(l, thread);
    if (!p->go) {
        catch_up(l, p);
        bx_arrivals_came(l, p);
        p->is = BX_PLACE_WAITS;
        if (l->owner && p->clock < first)
            first = p->clock;
        p->sleeps = True;
        pass_on(l);
    }
    bx_places_leave(l);
    while (!__atomic_load_n(&p->go, __ATOMIC_SEQ_CST)) {
        Word r = bx_core_syscall(__NR_futex, (UWord)&p->go, FUTEX_WAIT_PRIVATE, 0, (UWord)&patience,
                                 0, 0);
        if (r != -TIMED_OUT)
            continue;
        bx_places_enter(l);
        if (!l->owner && !bx_arrivals_some_are_on_their_way(l))
            l->coming = 0;
        pass_on(l);
        bx_places_leave(l);
    }
    p->go = 0;
    bx_arrivals_settle(l);
}

static void leave_turn(bx_turn_lock *l)
{
    bx_places_enter(l);
    bx_place *p = &l->place[l->runs];
    p->clock = bx_turn_lock_now;
    p->idle = bx_turn_lock_now == l->began ? p->idle + 1 : 0;
    if (p->idle > 1) /* as when Valgrind waits for the ends of all other threads */
        p->clock = behind_others(l, p->clock, True);
    else if (p->id && bx_ring_passed_over() == p->id)
        p->clock = behind_others(l, p->clock, False);
    p->sleeps = False;
    p->is = p->ends ? BX_PLACE_FREE : stays ? BX_PLACE_WAITS : BX_PLACE_AWAY;
    p->settles = p->is == BX_PLACE_AWAY && !p->comes;
    l->owner = 0;
    pass_on(l);
    bx_places_leave(l);
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
    bx_turn_lock *l = of_all;
    if (!l)
        return False;
    bx_places_enter(l);
    Bool another = bx_places_smallest_clock(l, True) != BX_TURN_NEVER;
    l->place[l->runs].looks = True;
    bx_turn_lock_now = behind_others(l, bx_turn_lock_now + BX_TURN_LOOK, False);
    bx_places_leave(l);
    return another;
}

void bx_turn_lock_return(void)
{
    bx_turn_lock *l = of_all;
    if (!l)
        return;
    bx_places_enter(l);
    bx_arrivals_expect(l, &l->place[l->runs]);
    bx_places_leave(l);
}

void bx_turn_lock_create(Int thread)
{
    bx_turn_lock *l = of_all;
    if (!l)
        return;
    bx_places_enter(l);
    bx_place *p = bx_places_find(l, thread);
    if (!p) {
        p = bx_places_make(l, thread, bx_turn_lock_now);
        bx_arrivals_expect(l, p);
    }
    p->clock = bx_turn_lock_now;
    bx_places_leave(l);
    await_them(l);
}

void bx_turn_lock_sleep(Addr futex, UInt private)
{
    bx_turn_lock *l = of_all;
    if (!l)
        return;
    bx_place *p = &l->place[l->runs];
    bx_places_enter(l);
    p->futex = futex;
    p->private = private;
    bx_places_leave(l);
}

/* The threads that sleep at the futex are about to be woken. Returns their number. */
static UInt make_later(bx_turn_lock *l, Addr futex)
{
    UInt n = 0;
    for (UInt i = 0; i < l->n; i++) {
        bx_place *p = &l->place[i];
        if (p->is != BX_PLACE_AWAY || !futex || p->futex != futex)
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
    bx_turn_lock *l = of_all;
    if (!l)
        return;
    bx_places_enter(l);
    UInt sleep = make_later(l, futex);
    sleep = most < sleep ? (UInt)most : sleep;
    l->place[l->runs].wakes = sleep;
    l->coming += sleep;
    bx_arrivals_expect(l, &l->place[l->runs]);
    bx_places_leave(l);
}

void bx_turn_lock_woke(UWord threads)
{
    bx_turn_lock *l = of_all;
    if (!l)
        return;
    bx_place *p = &l->place[l->runs];
    bx_places_enter(l);
    UInt fewer = threads < p->wakes ? p->wakes - (UInt)threads : 0;
    l->coming = fewer < l->coming ? l->coming - fewer : 0;
    p->wakes = 0;
    bx_places_leave(l);
    await_them(l);
}

void bx_turn_lock_end(Addr clears)
{
    bx_turn_lock *l = of_all;
    if (!l)
        return;
    bx_place *me = &l->place[l->runs];
    bx_places_enter(l);
    me->ends = True;
    l->leaving = me->thread;
    l->coming += make_later(l, clears);
    bx_places_leave(l);
}

/* ---- in place of Valgrind's ---- */

/* As in priv_sched-lock-impl.h of Valgrind 3.13 to 3.24. With --fair-sched=yes, Valgrind uses these
 * functions. They are defined here, so the linker does not take those of libcoregrind.a. */
struct sched_lock_ops {
    const HChar *(*name)(void);
    bx_turn_lock *(*make)(void);
    void (*free)(bx_turn_lock *l);
    Int (*owner)(bx_turn_lock *l);
    void (*acquire)(bx_turn_lock *l);
    void (*release)(bx_turn_lock *l);
};

static const HChar *name_of_lock(void)
{
    return "turns";
}

extern const struct sched_lock_ops ML_(linux_ticket_lock_ops);
const struct sched_lock_ops ML_(linux_ticket_lock_ops) = {
    name_of_lock, new_lock, free_lock, lock_owner, wait_for_turn, leave_turn,
};
