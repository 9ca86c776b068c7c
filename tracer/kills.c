/* Tells of processes that SIGKILL ends. */
#include "kills.h"

#include "core_calls.h"
#include "records.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum { PIDFD_SEND_SIGNAL = 424 }; /* as Linux has it; Valgrind 3.13 lacks the name */
enum { SIGNAL = 0x7f, CHILD_KILLED = 2, CHILD_DUMPED = 3 }; /* of a status; CLD_KILLED, … */

static void tell(ThreadId tid, enum bx_trace_killed how, ULong process)
{
    BX_RECORD(tid, BX_TRACE_KILLED, how, process);
}

/* Reads a file of /proc. Returns the number of bytes; 0: there are none. */
static Int read_file(const HChar *path, HChar *text, Int room)
{
    SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
    Int n = sr_isError(opened) ? 0 : VG_(read)((Int)sr_Res(opened), text, room - 1);
    if (!sr_isError(opened))
        VG_(close)((Int)sr_Res(opened));
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? n : 0;
}

/* ---- one process ---- */

void bx_kills_waited(ThreadId tid, UInt number, const UWord *args, ULong child)
{
    Int signal = 0;
    if (number == __NR_wait4 && args[1] &&
        VG_(am_is_valid_for_client)(args[1], sizeof(Int), VKI_PROT_READ)) {
        signal = *(const Int *)args[1] & SIGNAL;
    } else if (number == __NR_waitid && args[2]) {
        const vki_siginfo_t *info = (const vki_siginfo_t *)args[2];
        if (info->si_code == CHILD_KILLED || info->si_code == CHILD_DUMPED)
            signal = info->_sifields._sigchld._status;
    }
    if (signal == VKI_SIGKILL)
        tell(tid, BX_TRACE_KILLED_CHILD, child);
}

/* The process of a pidfd; 0: unknown. */
static ULong process_of_fd(Int fd)
{
    static const HChar key[] = "\nPid:";
    HChar path[48], text[512];
    VG_(sprintf)(path, "/proc/self/fdinfo/%d", fd);
    read_file(path, text, sizeof text);
    const HChar *at = VG_(strstr)(text, key);
    Long number = at ? VG_(strtoll10)(at + sizeof key - 1, NULL) : 0;
    return number > 0 ? (ULong)number : 0;
}

/* The process that the call has sent SIGKILL to; 0: none, or several. A thread's number from
 * tkill() is that of its process only if it is the first one. */
static ULong killed_by(UInt number, const UWord *args)
{
    switch (number) {
    case __NR_kill:
    case __NR_tkill:
    case __NR_rt_sigqueueinfo:
        return (Int)args[0] > 0 && (Int)args[1] == VKI_SIGKILL ? args[0] : 0;
    case __NR_tgkill:
    case __NR_rt_tgsigqueueinfo:
        return (Int)args[2] == VKI_SIGKILL ? args[0] : 0;
    case PIDFD_SEND_SIGNAL:
        return (Int)args[1] == VKI_SIGKILL ? process_of_fd((Int)args[0]) : 0;
    default:
        return 0;
    }
}

void bx_kills_after(ThreadId tid, UInt number, const UWord *args)
{
    ULong process = killed_by(number, args);
    if (process)
        tell(tid, BX_TRACE_KILLED_SENT, process);
}

/* ---- many processes ---- */

/* The process group of a process, from proc(5): "NUMBER (NAME) STATE PARENT GROUP …", where the
 * name may have any characters. 0: unknown. */
static Int group_of(const HChar *process)
{
    HChar path[64], text[512];
    VG_(snprintf)(path, sizeof path, "/proc/%s/stat", process);
    read_file(path, text, sizeof text);
    const HChar *at = VG_(strrchr)(text, ')');
    for (UInt spaces = 0; at && *at; at++)
        if (*at == ' ' && ++spaces == 3)
            return (Int)VG_(strtoll10)(at + 1, NULL);
    return 0;
}

/* group -1: all processes. */
static void tell_group(ThreadId tid, Int group)
{
    static UChar entries[4096]; /* static, because it is large for a stack */
    Int folder = VG_(fd_open)("/proc", VKI_O_RDONLY, 0), n;
    if (folder < 0)
        return;
    while ((n = VG_(getdents64)(folder, (struct vki_dirent64 *)entries, sizeof entries)) > 0)
        for (Int i = 0; i < n; i += ((const struct vki_dirent64 *)(entries + i))->d_reclen) {
            const HChar *name = ((const struct vki_dirent64 *)(entries + i))->d_name;
            if (VG_(isdigit)(name[0]) && (group == -1 || group_of(name) == group))
                tell(tid, BX_TRACE_KILLED_SENT, VG_(strtoull10)(name, NULL));
        }
    VG_(close)(folder);
}

void bx_kills_before(ThreadId tid, UInt number, const UWord *args)
{
    Int to = (Int)args[0];
    if (number != __NR_kill || (Int)args[1] != VKI_SIGKILL || to > 0)
        return;
    tell_group(tid, to == 0 ? group_of("self") : to == -1 ? -1 : -to);
}
