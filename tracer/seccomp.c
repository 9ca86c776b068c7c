/* Obeys the program's seccomp filters in the kernel's place. */
#include "seccomp.h"

#include "core_calls.h"
#include "filter_program.h"
#include "notes.h"
#include "records.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_libcsignal.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum {
    /* linux/seccomp.h, linux/prctl.h, linux/audit.h */
    SET_STRICT = 0,
    SET_FILTER = 1,
    ACTION_AVAILABLE = 2,
    STRICT = 1,
    FILTER = 2,
    TSYNC = 1,
    FLAGS = 1 | 2 | 4, /* TSYNC, LOG, SPEC_ALLOW */
    GET_SECCOMP = 21,
    SET_SECCOMP = 22,
    GET_NO_NEW_PRIVILEGES = 39,
    ON_TRAP = 1,        /* SYS_SECCOMP */
    NOT_SUPPORTED = 95, /* EOPNOTSUPP, which Valgrind lacks */
};
#define KILL_PROCESS 0x80000000U
#define KILL_THREAD  0x00000000U
#define TRAP         0x00030000U
#define ERRNO        0x00050000U
#define NOTIFY       0x7fc00000U
#define TRACE        0x7ff00000U
#define LOG          0x7ffc0000U
#define ALLOW        0x7fff0000U
#define ACTION       0xffff0000U
#define X86_64       0xc000003eU

/* A filter, and the ones that were installed before it: never freed, as threads share them. */
typedef struct filter {
    const struct filter *before;
    UInt n; /* 0: strict mode */
    bx_filter_step steps[];
} filter;

static const filter **newest; /* [VG_N_THREADS], NULL: none */

static const filter *newest_of(ThreadId tid)
{
    return newest ? newest[tid] : NULL;
}

static void install(ThreadId tid, const filter *f)
{
    if (!newest)
        newest = VG_(calloc)("bx.seccomp", VG_N_THREADS, sizeof(const filter *));
    newest[tid] = f;
}

void bx_seccomp_start(ThreadId by, ThreadId tid)
{
    if (newest && by != VG_INVALID_THREADID) /* the first thread may have some from before exec */
        newest[tid] = newest[by];
}

static filter *make(const filter *before, const bx_filter_step *steps, UInt n)
{
    filter *f = VG_(malloc)("bx.seccomp", sizeof *f + n * sizeof *steps);
    f->before = before;
    f->n = n;
    if (n)
        VG_(memcpy)(f->steps, steps, n * sizeof *steps);
    return f;
}

/* ---- installing ---- */

static Bool may_install(void)
{
    return bx_core_syscall(__NR_prctl, GET_NO_NEW_PRIVILEGES, 0, 0, 0, 0, 0) == 1 ||
           bx_core_syscall(__NR_geteuid, 0, 0, 0, 0, 0, 0) == 0;
}

static Word add_filter(ThreadId tid, UWord flags, UWord address)
{
    struct {
        UShort n;
        const bx_filter_step *steps;
    } program;
    if (flags & ~(UWord)FLAGS)
        return -VKI_EINVAL;
    if (!VG_(am_is_valid_for_client)(address, sizeof program, VKI_PROT_READ))
        return -VKI_EFAULT;
    VG_(memcpy)(&program, (const void *)address, sizeof program);
    if (program.n == 0 || program.n > BX_FILTER_MOST)
        return -VKI_EINVAL;
    if (!VG_(am_is_valid_for_client)((Addr)program.steps, program.n * sizeof *program.steps,
                                     VKI_PROT_READ))
        return -VKI_EFAULT;
    if (!may_install())
        return -VKI_EACCES;
    filter *f = make(newest_of(tid), program.steps, program.n);
    if (!bx_filter_is_good(f->steps, f->n)) {
        VG_(free)(f);
        return -VKI_EINVAL;
    }
    install(tid, f);
    for (ThreadId i = 1; flags & TSYNC && i < VG_N_THREADS; i++)
        if (bx_core_is_thread(i))
            install(i, f);
    return 0;
}

static Word set_strict(ThreadId tid)
{
    if (newest_of(tid))
        return -VKI_EINVAL;
    install(tid, make(NULL, NULL, 0));
    return 0;
}

static Word is_available(UWord address)
{
    UInt action;
    if (!VG_(am_is_valid_for_client)(address, sizeof action, VKI_PROT_READ))
        return -VKI_EFAULT;
    VG_(memcpy)(&action, (const void *)address, sizeof action);
    return action == KILL_PROCESS || action == KILL_THREAD || action == TRAP || action == ERRNO ||
                   action == TRACE || action == LOG || action == ALLOW
               ? 0
               : -NOT_SUPPORTED;
}

static Word seccomp(ThreadId tid, UWord operation, UWord flags, UWord address)
{
    if (operation == SET_STRICT && !flags && !address)
        return set_strict(tid);
    if (operation == SET_FILTER)
        return add_filter(tid, flags, address);
    return operation == ACTION_AVAILABLE && !flags ? is_available(address) : -VKI_EINVAL;
}

/* The calls about filters. False: it is another call. */
static Bool takes(ThreadId tid, const bx_core_call *call, Word *result)
{
    const UWord *a = call->argument;
    if (call->number == __NR_seccomp)
        *result = seccomp(tid, a[0] & 0xffffffff, a[1] & 0xffffffff, a[2]);
    else if (call->number == __NR_prctl && (Int)a[0] == GET_SECCOMP)
        *result = newest_of(tid) ? FILTER : 0;
    else if (call->number == __NR_prctl && (Int)a[0] == SET_SECCOMP)
        *result = a[1] == STRICT   ? set_strict(tid)
                  : a[1] == FILTER ? add_filter(tid, 0, a[2])
                                   : -VKI_EINVAL;
    else
        return False;
    return True;
}

/* ---- judging ---- */

static UInt run_filter(const filter *f, const bx_filter_input *call)
{
    if (f->n)
        return bx_filter_run(f->steps, call);
    return call->number == __NR_read || call->number == __NR_write || call->number == __NR_exit ||
                   call->number == __NR_rt_sigreturn
               ? ALLOW
               : KILL_PROCESS;
}

/* The action that comes first in the kernel's order, of all filters. */
static UInt action_of(const filter *f, const bx_filter_input *call)
{
    UInt first = ALLOW;
    for (; f; f = f->before) {
        UInt result = run_filter(f, call);
        if ((Int)(result & ACTION) < (Int)(first & ACTION))
            first = result;
    }
    return first;
}

static void kill_by(ThreadId tid, Int signal, Word number)
{
    bx_note(tid, BX_TRACE_NOTE_CALL,
            "is ended by its own seccomp filter, which forbids system call %ld", number);
    bx_record_end(BX_TRACE_END_SIGNAL);
    bx_core_kill_self(signal);
}

/* Sends SIGSYS as the kernel does; Valgrind delivers it after the call. */
static void trap(const bx_filter_input *call, UInt data)
{
    struct {
        Int signal, error, code, zero;
        ULong at;
        Int number;
        UInt architecture;
        UChar rest[96];
    } info = {VKI_SIGSYS, (Int)data, ON_TRAP, 0, call->at, call->number, X86_64, {0}};
    bx_core_block(VKI_SIGSYS); /* Valgrind finds it only while it is blocked */
    bx_core_syscall(__NR_rt_tgsigqueueinfo, (UWord)VG_(getpid)(), (UWord)VG_(gettid)(), VKI_SIGSYS,
                    (UWord)&info, 0, 0);
}

static Bool is_strict(const filter *f)
{
    return f->n == 0;
}

Bool bx_seccomp_judge(ThreadId tid, Bool is_last, const bx_core_call *call, bx_core_answer *to)
{
    const filter *f = newest_of(tid);
    bx_filter_input input = {(Int)call->number, X86_64, VG_(get_IP)(tid), {0}};
    VG_(memcpy)(input.argument, call->argument, sizeof input.argument);
    UInt result = f ? action_of(f, &input) : ALLOW, action = result & ACTION;
    to->way = BX_CORE_DONE;
    if (action == ALLOW || action == LOG) {
        to->way = takes(tid, call, &to->result) ? BX_CORE_DONE : BX_CORE_ORDINARY;
    } else if (action == ERRNO) {
        to->result = -(Word)((result & ~ACTION) < 4095 ? result & ~ACTION : 4095);
    } else if (action == TRACE || action == NOTIFY) { /* nobody traces it with ptrace() */
        to->result = -VKI_ENOSYS;
    } else if (action == TRAP) {
        to->result = call->number;
        trap(&input, result & ~ACTION);
    } else if (action == KILL_THREAD && !is_last) {
        to->way = BX_CORE_OTHER;
        to->call = (bx_core_call){__NR_exit, {0}};
    } else {
        kill_by(tid, is_strict(f) ? VKI_SIGKILL : VKI_SIGSYS, call->number);
    }
    return to->way != BX_CORE_ORDINARY;
}

/* ---- exec ---- */

/* Writes the oldest one first: its number of steps, then the steps. */
static void write_filters(Int fd, const filter *f)
{
    if (f->before)
        write_filters(fd, f->before);
    VG_(write)(fd, &f->n, sizeof f->n);
    VG_(write)(fd, f->steps, (Int)(f->n * sizeof *f->steps));
}

Int bx_seccomp_pass_on(ThreadId tid)
{
    if (!newest_of(tid))
        return -1;
    Int fd = (Int)bx_core_syscall(__NR_memfd_create, (UWord) "seccomp", 0, 0, 0, 0, 0);
    if (fd < 0)
        return -1;
    fd = bx_core_hide_fd(fd);
    bx_core_syscall(__NR_fcntl, (UWord)fd, VKI_F_SETFD, 0, 0, 0, 0);
    write_filters(fd, newest_of(tid));
    VG_(lseek)(fd, 0, VKI_SEEK_SET);
    return fd;
}

void bx_seccomp_take(Int fd)
{
    static bx_filter_step steps[BX_FILTER_MOST]; /* static, because it is large for a stack */
    const filter *f = NULL;
    UInt n;
    while (VG_(read)(fd, &n, sizeof n) == sizeof n && n <= BX_FILTER_MOST &&
           VG_(read)(fd, steps, (Int)(n * sizeof *steps)) == (Int)(n * sizeof *steps))
        f = make(f, steps, n);
    VG_(close)(fd);
    install(1, f);
}

static void give(const filter *f)
{
    if (f->before)
        give(f->before);
    struct {
        UShort n;
        const bx_filter_step *steps;
    } program = {(UShort)f->n, f->steps};
    bx_core_syscall(__NR_prctl, SET_SECCOMP, f->n ? FILTER : STRICT, (UWord)&program, 0, 0, 0);
}

void bx_seccomp_install(ThreadId tid)
{
    if (newest_of(tid))
        give(newest_of(tid));
}
