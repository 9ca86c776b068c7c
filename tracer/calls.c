/* The records of system calls: the objects that they release and acquire. */
#include "calls.h"

#include "core_faults.h"
#include "exec.h"
#include "kernel_accesses.h"
#include "kills.h"
#include "maps.h"
#include "objects.h"
#include "placement.h"
#include "records.h"
#include "ring.h"
#include "surroundings.h"
#include "taken_calls.h"
#include "threads.h"
#include "turn_lock.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

static const object nothing = {BX_TRACE_NOTHING, 0};
static Bool exited;

Bool bx_calls_has_exited(void)
{
    return exited;
}

static object process(ULong number)
{
    return (object){BX_TRACE_PROCESS, number};
}

static object futex(UWord address)
{
    return (object){BX_TRACE_FUTEX, address};
}

static Bool can_read(UWord at, UWord bytes)
{
    return VG_(am_is_valid_for_client)(at, bytes, VKI_PROT_READ);
}

/* ---- futexes ---- */

enum { /* Linux's commands, without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME */
       WAIT = 0,
       WAKE = 1,
       REQUEUE = 3,
       CMP_REQUEUE = 4,
       WAKE_OP = 5,
       LOCK_PI = 6,
       UNLOCK_PI = 7,
       WAIT_BITSET = 9,
       WAKE_BITSET = 10,
       WAIT_REQUEUE_PI = 11,
       CMP_REQUEUE_PI = 12,
       LOCK_PI2 = 13,
       COMMAND = 0x7f,
       PRIVATE = 0x80, /* FUTEX_PRIVATE_FLAG */
};

static Bool wakes(UWord operation)
{
    UWord command = operation & COMMAND;
    return command == WAKE || command == REQUEUE || command == CMP_REQUEUE || command == WAKE_OP ||
           command == UNLOCK_PI || command == WAKE_BITSET || command == CMP_REQUEUE_PI;
}

static Bool waits(UWord operation)
{
    UWord command = operation & COMMAND;
    return command == WAIT || command == WAIT_BITSET || command == LOCK_PI ||
           command == WAIT_REQUEUE_PI || command == LOCK_PI2;
}

/* ---- before a call ---- */

static object released(UInt number, const UWord *args)
{
    switch (number) {
    case __NR_write:
    case __NR_pwrite64:
    case __NR_writev:
    case __NR_pwritev:
    case __NR_pwritev2:
    case __NR_sendto:
    case __NR_sendmsg:
    case __NR_sendmmsg:
    case __NR_shutdown:
    case __NR_close:
    case __NR_sendfile:
    case __NR_vmsplice:
        return bx_object_of_fd((Int)args[0]);
    case __NR_dup2: /* dup2() and dup3() close this descriptor */
    case __NR_dup3:
    case __NR_tee:
        return bx_object_of_fd((Int)args[1]);
    case __NR_splice:
        return bx_object_of_fd((Int)args[2]);
    case __NR_connect:
        return can_read(args[1], args[2])
                   ? bx_object_of_address((const void *)args[1], (UInt)args[2])
                   : nothing;
    case __NR_futex:
        return wakes(args[1]) ? futex(args[0]) : nothing;
    case __NR_exit:
    case __NR_exit_group:
        return exited ? process((ULong)VG_(getpid)()) : nothing;
    default:
        return nothing;
    }
}

static void release_more(UInt number, const UWord *args)
{
    if (exited)
        bx_objects_of_process(0, ~0U, False, bx_object_release);
    else if (number == __NR_close_range)
        bx_objects_of_process((UInt)args[0], (UInt)args[1], False, bx_object_release);
    else if (number == __NR_futex && (args[1] & COMMAND) == WAKE_OP)
        bx_object_release(futex(args[4]));
}

/* Notes what the call changes for the thread, or for the thread that it creates. */
static void note(UInt number, const UWord *args)
{
    bx_clone3 more;
    if (number == __NR_clone3 && bx_clone3_read(args, &more))
        bx_threads_set_child_clear(more.flags & VKI_CLONE_CHILD_CLEARTID ? more.child_tid : 0);
    else if (number == __NR_clone)
        bx_threads_set_child_clear(args[0] & VKI_CLONE_CHILD_CLEARTID ? args[3] : 0);
    else if (number == __NR_fork || number == __NR_vfork)
        bx_threads_set_child_clear(0);
    else if (number == __NR_execve)
        bx_exec_arguments(args[1], args[2]);
    else if (number == __NR_execveat)
        bx_exec_arguments(args[2], args[3]);
}

/* Tells the lock which threads the call stops, or lets go on. */
static void tell_lock(UInt number, const UWord *args)
{
    UWord command = number == __NR_futex ? args[1] & COMMAND : 0;
    if (number == __NR_sched_yield) {
        bx_turn_lock_look();
        bx_turn_lock_return();
    } else if (number == __NR_futex && wakes(args[1])) {
        bx_turn_lock_wake(args[0], args[2]);
    } else if (number == __NR_futex && (command == WAIT || command == WAIT_BITSET) &&
               args[0] % sizeof(UInt) == 0 && can_read(args[0], sizeof(UInt))) {
        bx_turn_lock_sleep(args[0], args[1] & PRIVATE);
    }
}

void bx_calls_before(ThreadId tid, UInt number, UWord *args, UInt n)
{
    (void)n;
    exited = number == __NR_exit_group || (number == __NR_exit && bx_threads_is_last());
    bx_kernel_accesses_forget(tid);
    note(number, args);
    object o = released(number, args);
    BX_RECORD(tid, BX_TRACE_CALL, number, bx_time(), o.kind, o.id);
    release_more(number, args);
    bx_maps_before_call(number, args);
    bx_threads_enter_call(tid, number);
    tell_lock(number, args);
    bx_kills_before(tid, number, args);
    bx_ring_publish(); /* the call may block: the reader must not wait for its end */
}

/* ---- after a call ---- */

enum { HUNG_UP = 0x10 }; /* POLLHUP */

/* The first object that can be read from. */
static object ready(const struct vki_pollfd *of, UWord n)
{
    for (UWord i = 0; i < n; i++) {
        object o = of[i].revents & (VKI_POLLIN | HUNG_UP) ? bx_object_of_fd(of[i].fd) : nothing;
        if (o.kind != BX_TRACE_NOTHING)
            return o;
    }
    return nothing;
}

static object selected(const UChar *set, UWord n)
{
    for (UWord fd = 0; set && fd < n; fd++) {
        object o = set[fd / 8] >> fd % 8 & 1 ? bx_object_of_fd((Int)fd) : nothing;
        if (o.kind != BX_TRACE_NOTHING)
            return o;
    }
    return nothing;
}

/* result: the call's result, which is not an error. */
static object acquired(UInt number, const UWord *args, UWord result)
{
    switch (number) {
    case __NR_read:
    case __NR_pread64:
    case __NR_readv:
    case __NR_preadv:
    case __NR_preadv2:
    case __NR_recvfrom:
    case __NR_recvmsg:
    case __NR_recvmmsg:
    case __NR_splice:
    case __NR_tee:
        return bx_object_of_fd((Int)args[0]);
    case __NR_sendfile:
        return bx_object_of_fd((Int)args[1]);
    case __NR_accept:
    case __NR_accept4:
        return bx_object_of_listener((Int)args[0]);
    case __NR_poll:
    case __NR_ppoll:
        return ready((const struct vki_pollfd *)args[0], args[1]);
    case __NR_select:
    case __NR_pselect6:
        return selected((const UChar *)args[1], args[0]);
    case __NR_futex:
        return waits(args[1]) ? futex(args[0]) : nothing;
    case __NR_clone:
        return args[0] & VKI_CLONE_THREAD ? nothing : process(result);
    case __NR_clone3: {
        bx_clone3 more;
        return bx_clone3_read(args, &more) && more.flags & VKI_CLONE_THREAD ? nothing
                                                                            : process(result);
    }
    case __NR_fork:
    case __NR_vfork:
    case __NR_wait4:
        return process(result);
    case __NR_waitid:
        return args[2] ? process((ULong)((const vki_siginfo_t *)args[2])->_sifields._sigchld._pid)
                       : nothing;
    default:
        return nothing;
    }
}

static void tell_pair(ThreadId tid, const Int *fd)
{
    BX_RECORD(tid, BX_TRACE_PAIR, 0, bx_object_of_fd(fd[0]).id, bx_object_of_fd(fd[1]).id);
}

/* Valgrind has checked the arguments. */
static void note_handler(const UWord *args)
{
    const vki_sigaction_toK_t *set = (const vki_sigaction_toK_t *)args[1];
    if (set && set->ksa_handler != VKI_SIG_DFL && set->ksa_handler != VKI_SIG_IGN)
        bx_core_handles((Int)args[0]);
}

static Bool makes_thread(UInt number, const UWord *args)
{
    bx_clone3 more;
    return number == __NR_clone ? args[0] & VKI_CLONE_THREAD
                                : number == __NR_clone3 && bx_clone3_read(args, &more) &&
                                      more.flags & VKI_CLONE_THREAD;
}

/* Threads that the call has made or woken have a time now. */
static void share_time(UInt number, const UWord *args, UWord result)
{
    if (number == __NR_futex && wakes(args[1]))
        bx_turn_lock_woke(result);
    else if (result && makes_thread(number, args)) {
        bx_placement_made((Int)result);
        bx_turn_lock_create((Int)result);
    }
}

static UWord bytes_read(UInt number, UWord result)
{
    Bool may_be_less = number == __NR_write || number == __NR_pwrite64 || number == __NR_sendto;
    return may_be_less ? result : ~(UWord)0;
}

void bx_calls_after(ThreadId tid, UInt number, UWord *args, UInt n, SysRes result)
{
    Bool failed = sr_isError(result);
    if (number == __NR_exit || number == __NR_exit_group)
        return; /* Valgrind reports this call before the thread has ended */
    object o = failed ? nothing : acquired(number, args, sr_Res(result));
    (void)n;
    share_time(number, args, failed ? 0 : sr_Res(result));
    bx_surroundings_after_call(tid, number, args, result);
    bx_kernel_accesses_record(tid, failed ? 0 : bytes_read(number, sr_Res(result)));
    if (!failed)
        bx_maps_after_call(tid, number, args, sr_Res(result));
    if (!failed && number == __NR_socketpair)
        tell_pair(tid, (const Int *)args[3]);
    if (!failed && number == __NR_rt_sigaction)
        note_handler(args);
    if (!failed && number == __NR_set_tid_address)
        bx_threads_set_clear(tid, args[0]);
    if (o.kind == BX_TRACE_PROCESS && o.id == 0) /* child of fork(), or no process */
        o = nothing;
    if (!failed)
        bx_kills_after(tid, number, args);
    if (o.kind == BX_TRACE_PROCESS)
        bx_kills_waited(tid, number, args, o.id);
    BX_RECORD(tid, BX_TRACE_RETURN, number, bx_time(), o.kind, o.id);
    bx_threads_leave_call(tid);
}

void bx_calls_fork(ThreadId tid)
{
    exited = False;
    bx_kernel_accesses_forget(tid);
}
