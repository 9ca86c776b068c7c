/* Waits by naps, until the kernel shows that a thread sleeps, has come, or has gone. */
#include "turn_arrivals.h"

#include "core_calls.h"
#include "thread_state.h"

#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum {
    FUTEX_CMP_REQUEUE = 4,
    TRY_AGAIN = 11, /* EAGAIN */
    NAP = 20000,    /* ns */
    SHORT_NAPS = 50,
    NAPS = SHORT_NAPS + BX_ARRIVALS_PATIENCE / NAP,
    QUICK_LOOKS = 4,        /* at a thread in a call, without a nap */
    CALL_NAPS = 100 * NAPS, /* for a call that the kernel cannot interrupt: a fault or a file may
                               need another thread of the program */
};

/* A thread that was expected has come, or perhaps another one. */
void bx_arrivals_came(bx_turn_lock *l, bx_place *p)
{
    if ((p->futex || p->comes) && l->coming)
        l->coming--;
    p->futex = 0;
    p->comes = p->settles = False;
}

void bx_arrivals_expect(bx_turn_lock *l, bx_place *p)
{
    p->comes = True;
    l->coming++;
}

/* Whether the thread is still on its way here or to a futex, on a host that is slow to run it. */
static Bool is_on_its_way(const bx_place *p)
{
    return p->is == BX_PLACE_AWAY && (p->futex || p->comes) && bx_thread_is_runnable(p->thread);
}

/* Threads that the kernel has ended. Before that it has cleared the thread's word, and woken who
 * sleeps there (set_tid_address(2)). */
static Bool has_left(Int thread)
{
    return bx_core_syscall(__NR_tgkill, (UWord)VG_(getpid)(), (UWord)thread, 0, 0, 0, 0) < 0;
}

Bool bx_arrivals_some_are_on_their_way(const bx_turn_lock *l)
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
static Word sleepers(const bx_place *p)
{
    return bx_core_syscall(__NR_futex, p->futex, FUTEX_CMP_REQUEUE | p->private, 0, 0x7fffffff,
                           p->futex, *(const volatile UInt *)p->futex);
}

static Word should_sleep(const bx_turn_lock *l, Addr futex)
{
    Word n = 0;
    for (UInt i = 0; i < l->n; i++)
        n += l->place[i].is == BX_PLACE_AWAY && l->place[i].futex == futex;
    return n;
}

/* No thread runs while another one is on its way to a futex. So it depends on no real time whether
 * that thread finds the futex changed, sleeps, or is woken. */
static void settle_at_futex(const bx_turn_lock *l, const bx_place *p)
{
    for (UInt i = 0; p->is == BX_PLACE_AWAY && (i < NAPS || is_on_its_way(p)); i++) {
        Word n = sleepers(p);
        if (n >= should_sleep(l, p->futex) || (n < 0 && n != -TRY_AGAIN))
            break;
        nap(i);
    }
}

/* No thread runs while another one is in a call in which it does not sleep. So it depends on no
 * real time how far others get until that thread returns. */
static void settle_in_call(const bx_place *p)
{
    for (UInt i = 0; p->is == BX_PLACE_AWAY; i++) {
        HChar state = bx_thread_state(p->thread);
        if (state != 'R' && (state != 'D' || i >= CALL_NAPS))
            break;
        if (i >= QUICK_LOOKS) /* most calls have come back, or sleep */
            nap(SHORT_NAPS);
    }
}

static void settle(const bx_turn_lock *l, bx_place *p)
{
    if (p->futex)
        settle_at_futex(l, p);
    else
        settle_in_call(p);
    p->settles = False;
}

void bx_arrivals_await(const bx_turn_lock *l)
{
    for (UInt i = 0; __atomic_load_n(&l->coming, __ATOMIC_SEQ_CST); i++) {
        if (i >= NAPS && !bx_arrivals_some_are_on_their_way(l))
            break;
        nap(i);
    }
}

/* No thread runs while another one ends. So it depends on no real time whether the others find its
 * word cleared. */
static void await_end(bx_turn_lock *l)
{
    for (UInt i = 0; l->leaving && !has_left(l->leaving); i++) {
        if (i >= NAPS && !bx_thread_is_runnable(l->leaving))
            break;
        nap(i);
    }
    l->leaving = 0;
}

void bx_arrivals_settle(bx_turn_lock *l)
{
    await_end(l);
    for (UInt i = 0; i < l->n; i++)
        if (l->place[i].is == BX_PLACE_AWAY && l->place[i].settles)
            settle(l, &l->place[i]);
}
