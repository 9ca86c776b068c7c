/* Reads and sets capabilities with capget(2) and capset(2). */
#include "stage/calls/caller_rights.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* thread 0: the calling thread. */
static bool get(pid_t thread, bx_own_rights *rights)
{
    struct __user_cap_header_struct of = {_LINUX_CAPABILITY_VERSION_3, thread};
    return syscall(SYS_capget, &of, rights->sets) == 0;
}

static bool set(const bx_own_rights *rights)
{
    struct __user_cap_header_struct of = {_LINUX_CAPABILITY_VERSION_3, 0};
    return syscall(SYS_capset, &of, rights->sets) == 0;
}

/* Capabilities hold in a thread's own user namespace: user_namespaces(7). */
static bool in_our_namespace(pid_t thread)
{
    char file[48];
    struct stat here, there;
    snprintf(file, sizeof file, "/proc/%d/ns/user", thread);
    return stat(file, &there) == 0 && stat("/proc/self/ns/user", &here) == 0 &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

bool bx_caller_rights_assume(const bx_call *call, bx_own_rights *ours)
{
    bx_own_rights theirs = {0}, both;
    if (!get(0, ours) || (in_our_namespace(call->pid) && !get(call->pid, &theirs)))
        return false;
    if (!bx_call_waits(call)) /* another thread may have its number by now */
        return false;
    both = *ours;
    for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
        both.sets[i].effective &= theirs.sets[i].effective;
    return set(&both);
}

void bx_caller_rights_end(const bx_own_rights *ours)
{
    (void)set(ours); /* cannot fail: our permitted capabilities were not reduced */
}
