/* The table of threads that share turns. */
#include "turn_places.h"

#include "core_calls.h"
#include "turn_lock.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

/* ---- the guard of the places ---- */

/* It is held for an instant. A thread that waits for it does not sleep: whoever asks the kernel has
 * to see that it is on its way. */
void bx_places_enter(bx_turn_lock *l)
{
    while (__atomic_exchange_n(&l->guard, 1, __ATOMIC_SEQ_CST) != 0)
        bx_core_syscall(__NR_sched_yield, 0, 0, 0, 0, 0, 0);
}

void bx_places_leave(bx_turn_lock *l)
{
    __atomic_store_n(&l->guard, 0, __ATOMIC_SEQ_CST);
}

/* ---- places; the caller has entered ---- */

bx_place *bx_places_find(bx_turn_lock *l, Int thread)
{
    for (UInt i = 0; i < l->n; i++)
        if (l->place[i].is != BX_PLACE_FREE && l->place[i].thread == thread)
            return &l->place[i];
    return NULL;
}

bx_place *bx_places_make(bx_turn_lock *l, Int thread, ULong clock)
{
    UInt i = 0;
    while (i < l->n && l->place[i].is != BX_PLACE_FREE)
        i++;
    tl_assert(i < VG_N_THREADS);
    if (i == l->n)
        l->n++;
    l->place[i] = (bx_place){.thread = thread, .is = BX_PLACE_AWAY, .clock = clock};
    return &l->place[i];
}

bx_place *bx_places_first_waiter(bx_turn_lock *l)
{
    bx_place *best = NULL;
    for (UInt i = 0; i < l->n; i++) {
        bx_place *p = &l->place[i];
        if (p->is == BX_PLACE_WAITS && (!best || p->clock < best->clock))
            best = p;
    }
    return best;
}

ULong bx_places_smallest_clock(const bx_turn_lock *l, Bool looking)
{
    ULong clock = BX_TURN_NEVER;
    for (UInt i = 0; i < l->n; i++) {
        const bx_place *p = &l->place[i];
        if (p->is == BX_PLACE_WAITS && (looking || !p->looks) && p->clock < clock)
            clock = p->clock;
    }
    return clock;
}
