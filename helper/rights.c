/* Drops capabilities, user, group and the ways to get them back. */
#include "helper/rights.h"

#include "base/error.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int failed(const char *what, bx_error *e)
{
    return bx_fail(e, BX_SYSTEM, 0, 0, "cannot %s: %s", what, strerror(errno));
}

/* Limits the permitted and effective capabilities to those of a mask. */
static int limit_capabilities(uint64_t mask)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};
    if (syscall(SYS_capget, &head, sets))
        return -1;
    for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        sets[i].permitted &= (uint32_t)(mask >> 32 * i);
        sets[i].effective = sets[i].permitted;
        sets[i].inheritable = 0;
    }
    return (int)syscall(SYS_capset, &head, sets);
}

static uint64_t bit(unsigned capability)
{
    return UINT64_C(1) << capability;
}

int bx_rights_begin(bx_error *e)
{
    if (syscall(SYS_close_range, 3U, ~0U, 0U) && errno != ENOSYS)
        return failed("close files that were left open", e);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
        return failed("give up new privileges", e);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); /* nothing is executed */
    if (limit_capabilities(bit(CAP_SYS_RAWIO) | bit(CAP_SYS_ADMIN) | bit(CAP_DAC_OVERRIDE) |
                           bit(CAP_CHOWN) | bit(CAP_SETUID) | bit(CAP_SETGID) | bit(CAP_SETPCAP)))
        return failed("limit the capabilities", e);
    return BX_OK;
}

/* Empties the bounding set. A process without CAP_SETPCAP cannot do that; no_new_privs protects it
 * instead. */
static int drop_bounding_set(void)
{
    for (unsigned long c = 0; prctl(PR_CAPBSET_READ, c, 0, 0, 0) >= 0; c++)
        if (prctl(PR_CAPBSET_DROP, c, 0, 0, 0) && errno != EPERM)
            return -1;
    return 0;
}

int bx_rights_drop(uid_t user, gid_t group, bx_error *e)
{
    if (drop_bounding_set())
        return failed("empty the bounding set of capabilities", e);
    if (geteuid() == 0 &&
        (setgroups(0, NULL) || setresgid(group, group, group) || setresuid(user, user, user)))
        return failed("become another user", e);
    if (limit_capabilities(0))
        return failed("drop all capabilities", e);
    /* After the change of user, this process was dumpable by that user again. */
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
        return failed("keep others from this process", e);
    return bx_rights_close_files(e);
}
