/* System calls that the tracer takes in place of Valgrind. */
#include "taken_calls.h"

#include "core_calls.h"
#include "core_program_limits.h"
#include "core_system_calls.h"
#include "exec.h"
#include "notes.h"
#include "placement.h"
#include "seccomp.h"
#include "shown_files.h"
#include "threads.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

/* ---- clone3() ---- */

Bool bx_clone3_read(const UWord *arguments, bx_clone3 *to)
{
    if (arguments[1] < sizeof *to ||
        !VG_(am_is_valid_for_client)(arguments[0], sizeof *to, VKI_PROT_READ))
        return False;
    VG_(memcpy)(to, (const void *)arguments[0], sizeof *to);
    return True;
}

/* Whether the bytes that newer versions of the struct have are 0: set_tid, cgroup. */
static Bool asks_for_no_more(const UWord *arguments)
{
    const UChar *byte = (const UChar *)arguments[0];
    if (!VG_(am_is_valid_for_client)(arguments[0], arguments[1], VKI_PROT_READ))
        return False;
    for (UWord i = sizeof(bx_clone3); i < arguments[1]; i++)
        if (byte[i])
            return False;
    return True;
}

/* Whether Valgrind can make it: a thread, or a process, also by vfork(). */
static Bool can_clone(const bx_clone3 *c)
{
    ULong shared = c->flags & (VKI_CLONE_VM | VKI_CLONE_FS | VKI_CLONE_FILES | VKI_CLONE_VFORK);
    Bool two_places = c->flags & VKI_CLONE_PIDFD && c->flags & VKI_CLONE_PARENT_SETTID;
    return c->flags >> 32 == 0 && !two_places &&
           (shared == 0 || shared == (VKI_CLONE_VM | VKI_CLONE_FS | VKI_CLONE_FILES) ||
            (shared & ~(ULong)VKI_CLONE_VM) == VKI_CLONE_VFORK);
}

/* clone3() as clone(). For other requests it does not exist, as in Linux before 5.3: C libraries
 * then call clone(). */
static void clone3(const bx_core_call *call, bx_core_answer *to)
{
    bx_clone3 c;
    to->way = BX_CORE_DONE;
    to->result = -VKI_ENOSYS;
    if (!bx_clone3_read(call->argument, &c)) {
        to->result = call->argument[1] < sizeof c ? -VKI_EINVAL : -VKI_EFAULT;
    } else if (can_clone(&c) && asks_for_no_more(call->argument)) {
        to->way = BX_CORE_OTHER;
        to->call = (bx_core_call){__NR_clone,
                                  {c.flags | c.exit_signal, c.stack ? c.stack + c.stack_bytes : 0,
                                   c.flags & VKI_CLONE_PIDFD ? c.pidfd : c.parent_tid, c.child_tid,
                                   c.tls}};
    }
}

/* ---- execveat() ---- */

enum { EMPTY_PATH = 0x1000, PATH_ROOM = 4096 }; /* AT_EMPTY_PATH of Linux */

/* Executes a file that has no name, by its descriptor: Valgrind wants a name. */
static void execute_nameless(const bx_core_call *call, bx_core_answer *to)
{
    static HChar link[40], name[PATH_ROOM]; /* static, because they are large for a stack */
    struct vg_stat file;
    const UWord *a = call->argument;
    if (!(a[4] & EMPTY_PATH) || !VG_(am_is_valid_for_client)(a[1], 1, VKI_PROT_READ) ||
        *(const HChar *)a[1])
        return;
    VG_(sprintf)(link, "/proc/self/fd/%d", (Int)a[0]);
    SSizeT n = VG_(readlink)(link, name, sizeof name - 1);
    name[n > 0 ? n : 0] = '\0';
    if (n <= 0 || !sr_isError(VG_(stat)(name, &file)))
        return;
    to->way = BX_CORE_DONE;
    to->result = -(Word)bx_exec(link);
}

/* ---- the limit of open files ---- */

static const struct vki_rlimit *new_limit(const bx_core_call *call)
{
    const UWord *a = call->argument;
    Bool set = call->number == __NR_setrlimit, both = call->number == __NR_prlimit64;
    Bool own = set || (both && ((Int)a[0] == 0 || (Int)a[0] == VG_(getpid)()));
    UWord resource = set ? a[0] : a[1], at = set ? a[1] : a[2];
    return own && (Int)resource == VKI_RLIMIT_NOFILE && at &&
                   VG_(am_is_valid_for_client)(at, sizeof(struct vki_rlimit), VKI_PROT_READ)
               ? (const struct vki_rlimit *)at
               : NULL;
}

/* Valgrind refuses to lower the hard limit, which 'ulimit -n' does. The soft one is lowered for it:
 * that is the limit that programs meet. */
static void lower_files(const bx_core_call *call, bx_core_answer *to)
{
    const struct vki_rlimit *limit = new_limit(call);
    if (!limit || limit->rlim_cur > limit->rlim_max || !bx_core_lower_files(limit->rlim_cur))
        return;
    if (call->number == __NR_setrlimit || !call->argument[3]) {
        to->way = BX_CORE_DONE;
        to->result = 0;
    }
}

/* ---- descriptors of the tracer ---- */

/* The arguments that are descriptors, as bits; of calls in which Valgrind does not check them. */
static UInt descriptors(const bx_core_call *call)
{
    switch (call->number) {
    case __NR_sendto:
    case __NR_sendmsg:
    case __NR_sendmmsg:
    case __NR_recvfrom:
    case __NR_recvmsg:
    case __NR_recvmmsg:
    case __NR_shutdown:
    case __NR_bind:
    case __NR_listen:
    case __NR_connect:
    case __NR_accept:
    case __NR_accept4:
    case __NR_getsockname:
    case __NR_getpeername:
    case __NR_setsockopt:
    case __NR_getsockopt:
    case __NR_fcntl:
    case __NR_ioctl:
    case __NR_fstat:
    case __NR_ftruncate:
    case __NR_vmsplice:
        return 1;
    case __NR_sendfile:
    case __NR_tee:
        return 1 | 2;
    case __NR_splice:
        return 1 | 4;
    case __NR_epoll_ctl:
        return 4;
    default:
        return 0;
    }
}

/* Those of the tracer do not exist for the program: it neither speaks for its tracer nor ends the
 * connection. */
static Bool is_of_tracer(const bx_core_call *call)
{
    UInt which = descriptors(call);
    for (UInt i = 0; which >> i; i++)
        if (which >> i & 1 && (Int)call->argument[i] >= 0 &&
            !bx_core_is_programs((Int)call->argument[i]))
            return True;
    return False;
}

/* ---- all calls ---- */

static void take_call(ThreadId tid, const bx_core_call *call, bx_core_answer *to)
{
    if (bx_seccomp_judge(tid, bx_threads_is_last(), call, to))
        return;
    if (is_of_tracer(call)) {
        to->way = BX_CORE_DONE;
        to->result = -VKI_EBADF;
        return;
    }
    if (call->number == __NR_clone3)
        clone3(call, to);
    else if (call->number == __NR_setrlimit || call->number == __NR_prlimit64)
        lower_files(call, to);
    else if (call->number == __NR_execveat)
        execute_nameless(call, to);
    else if (call->number == __NR_io_uring_setup)
        bx_note(tid, BX_TRACE_NOTE_CALL,
                "uses io_uring: the kernel's accesses to its buffers are not counted");
    if (to->way == BX_CORE_ORDINARY)
        bx_placement_take(tid, call, to);
    if (to->way == BX_CORE_ORDINARY)
        bx_shown_files_take(tid, call, to);
    if (to->way == BX_CORE_ORDINARY)
        bx_program_limits_call(call, to);
}

void bx_taken_calls_setup(void)
{
    bx_core_take_calls(take_call);
}
