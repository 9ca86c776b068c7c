/* The beginning, the end and the turns of threads. */
#include "threads.h"

#include "allocations.h"
#include "clock.h"
#include "functions.h"
#include "core_calls.h"
#include "placement.h"
#include "records.h"
#include "ring.h"
#include "seccomp.h"
#include "spinning.h"
#include "turn_lock.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"

Long bx_threads_turn = 1000;

typedef struct thread {
    ULong clear; /* address of the futex, as in the record STOP */
    UInt call;   /* number plus 1 of the system call that the thread is in; 0: none */
    bx_spinning *spins;
    Bool looked; /* its turn has ended because it only looks */
} thread;

static thread *threads; /* [VG_N_THREADS] */
static UInt living;
Bool bx_threads_share_time;
static ULong child_clear;
static Bool comes_back; /* the running thread is neither in a call nor has it ended */

static thread *of(ThreadId tid)
{
    if (!threads)
        threads = VG_(calloc)("bx.threads", VG_N_THREADS, sizeof *threads);
    return &threads[tid];
}

/* ---- turns ---- */

static Bool another_can_run(ThreadId tid)
{
    UInt waiting = 0;
    for (ThreadId i = 1; i < VG_N_THREADS; i++)
        waiting += of(i)->call != 0;
    return living - waiting > (of(tid)->call ? 0 : 1);
}

static void set_comes_back(Bool comes)
{
    comes_back = comes;
    bx_turn_lock_stay(comes_back && living > 1);
}

static Bool has_enough(ThreadId tid)
{
    return bx_ring_passed_over() == tid;
}

/* Limits the turn: a thread releases the lock when its counter of blocks falls below 0. */
void bx_threads_interrupt(void *state)
{
    VexGuestAMD64State *s = state;
    UInt turn = (UInt)bx_threads_turn - 1; /* this block is part of the turn */
    bx_ring_turn();
    if (living < 2)
        return;
    ThreadId tid = VG_(get_running_tid)();
    if (has_enough(tid) && another_can_run(tid))
        turn = 0;
    if (s->host_EvC_COUNTER > turn)
        s->host_EvC_COUNTER = turn;
}

static void end_turn(void *state)
{
    VexGuestAMD64State *s = state;
    s->host_EvC_COUNTER = 0;
}

ULong bx_threads_meet(void *state, ULong address)
{
    if (living < 2 || !bx_clock_meets(address))
        return 0;
    end_turn(state);
    return 1;
}

void bx_threads_look(void *state)
{
    if (living > 1 && bx_turn_lock_look())
        end_turn(state);
}

void bx_threads_round(void *state, ULong to)
{
    thread *t = of(VG_(get_running_tid)());
    if (living > 1 && bx_spinning_is_same(&t->spins, state, to) && bx_turn_lock_look()) {
        t->looked = True;
        end_turn(state);
    }
}

static void start_code(ThreadId tid, ULong blocks)
{
    (void)blocks;
    set_comes_back(True);
    bx_spinning_go_on(of(tid)->looked);
    of(tid)->looked = False;
    bx_turn_lock_name(tid);
    bx_allocations_run(tid);
    bx_functions_run(tid);
    bx_record_thread(tid);
    if (of(tid)->call) { /* a signal interrupted the call: Valgrind will begin it again */
        BX_RECORD(tid, BX_TRACE_RETURN, of(tid)->call - 1, bx_time(), BX_TRACE_NOTHING, 0);
        of(tid)->call = 0;
    }
    if (living > 1)
        bx_ring_interrupt();
}

void bx_threads_enter_call(ThreadId tid, UInt number)
{
    of(tid)->call = number + 1;
    set_comes_back(False);
}

void bx_threads_leave_call(ThreadId tid)
{
    of(tid)->call = 0;
    set_comes_back(True);
}

Bool bx_threads_is_last(void)
{
    return living == 1;
}

/* ---- beginning and end ---- */

void bx_threads_set_clear(ThreadId tid, ULong address)
{
    of(tid)->clear = address;
}

void bx_threads_set_child_clear(ULong address)
{
    child_clear = address;
}

/* From now on, code collects the cycles of its thread, and threads meet at locked operations. */
static void share_time(Bool share)
{
    if (share != bx_threads_share_time) {
        bx_threads_share_time = share;
        bx_core_stop_anywhere(share);
        bx_core_discard_translations();
    }
}

static void thread_starts(ThreadId by, ThreadId tid)
{
    if (++living > 1)
        share_time(True);
    set_comes_back(comes_back);
    *of(tid) = (thread){.clear = child_clear};
    child_clear = 0;
    bx_functions_start(tid);
    bx_placement_start(by, tid);
    bx_seccomp_start(by, tid);
    if (by != VG_INVALID_THREADID)
        BX_RECORD(by, BX_TRACE_START, tid, by);
}

static void stop(ThreadId tid)
{
    living--;
    set_comes_back(False);
    bx_turn_lock_end(of(tid)->clear);
    BX_RECORD(VG_INVALID_THREADID, BX_TRACE_STOP, tid, bx_time(), of(tid)->clear);
    bx_ring_publish();
    bx_placement_stop(tid);
    bx_spinning_free(of(tid)->spins);
    *of(tid) = (thread){0};
}

void bx_threads_fork(ThreadId tid)
{
    for (ThreadId i = 1; i < VG_N_THREADS; i++)
        if (i != tid) {
            bx_spinning_free(of(i)->spins);
            *of(i) = (thread){0};
        }
    of(tid)->clear = child_clear;
    child_clear = 0;
    bx_functions_fork();
    living = 1;
    bx_threads_share_time = False;
    bx_core_stop_anywhere(False);
    bx_clock_forget_lines();
}

void bx_threads_setup(void)
{
    VG_(track_pre_thread_ll_create)(thread_starts);
    VG_(track_pre_thread_ll_exit)(stop);
    VG_(track_start_client_code)(start_code);
}
