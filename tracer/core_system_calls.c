/* Takes system calls in place of Valgrind's handlers. */
#include "core_system_calls.h"

#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"

/* As in priv_types_n_macros.h of Valgrind 3.13 to 3.24, for Linux. */
typedef struct status {
    enum { COMPLETE = 1, TO_KERNEL, IDLE } what;
    SysRes result;
} status;

enum { POLL_AFTER = 1 << 3 };

typedef struct entry {
    void (*before)(ThreadId tid, void *layout, bx_core_call *call, status *to, UWord *flags);
    void (*after)(ThreadId tid, bx_core_call *call, status *to);
} entry;

extern SysRes VG_(mk_SysRes_Error)(UWord error);
extern SysRes VG_(mk_SysRes_Success)(UWord result);
extern void VG_(kill_self)(Int signal);
extern entry *__real_vgModuleLocal_get_linux_syscall_entry(UInt number);
extern entry *__wrap_vgModuleLocal_get_linux_syscall_entry(UInt number);

static void (*taker)(ThreadId tid, const bx_core_call *call, bx_core_answer *to);
static Bool done; /* the present call: Valgrind does not know it */

void bx_core_take_calls(void (*by)(ThreadId tid, const bx_core_call *call, bx_core_answer *to))
{
    taker = by;
}

static entry *handler_of(const bx_core_call *call)
{
    return __real_vgModuleLocal_get_linux_syscall_entry((UInt)call->number);
}

static status complete(Word result)
{
    Bool error = result < 0 && result > -4096;
    return (status){COMPLETE, error ? VG_(mk_SysRes_Error)((UWord)-result)
                                    : VG_(mk_SysRes_Success)((UWord)result)};
}

static void handle(ThreadId tid, void *layout, bx_core_call *call, status *to, UWord *flags)
{
    entry *handler = handler_of(call);
    if (handler)
        handler->before(tid, layout, call, to, flags);
    else
        *to = complete(-VKI_ENOSYS);
}

static void before(ThreadId tid, void *layout, bx_core_call *call, status *to, UWord *flags)
{
    bx_core_answer answer = {BX_CORE_ORDINARY, 0, *call};
    taker(tid, call, &answer);
    done = answer.way == BX_CORE_DONE;
    if (answer.way == BX_CORE_ORDINARY)
        handle(tid, layout, call, to, flags);
    else if (answer.way == BX_CORE_OTHER)
        handle(tid, layout, &answer.call, to, flags);
    if (!done)
        return;
    *to = complete(answer.result);
    *flags |= POLL_AFTER;
}

static void after(ThreadId tid, bx_core_call *call, status *to)
{
    entry *handler = handler_of(call);
    if (!done && handler && handler->after)
        handler->after(tid, call, to);
    done = False;
}

/* After a call, Valgrind asks again. */
entry *__wrap_vgModuleLocal_get_linux_syscall_entry(UInt number)
{
    static entry ours = {before, after};
    return taker ? &ours : __real_vgModuleLocal_get_linux_syscall_entry(number);
}

void bx_core_kill_self(Int signal)
{
    VG_(kill_self)(signal);
    __builtin_unreachable();
}
