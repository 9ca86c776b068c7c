/* Landlock: no file can be opened any more, even if the seccomp filter has a gap. */
#include "helper/rights.h"

#include "base/error.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>

/* The rights on files that a kernel of this version of Landlock knows: landlock(7), VERSIONS. The
 * header may be older than the kernel. */
static uint64_t all_rights(long version)
{
    static const uint8_t bits[] = {0, 13, 14, 15, 15, 16};
    const long newest = sizeof bits - 1;
    return (UINT64_C(1) << bits[version < newest ? version : newest]) - 1;
}

/* Restricts all rights. No rule grants any of them again. */
static int restrict_self(long version)
{
    const uint64_t handled = all_rights(version);
    int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
    if (rules < 0)
        return -1;
    int code = (int)syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
    return code;
}

int bx_rights_close_files(bx_error *e)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version > 0 && restrict_self(version))
        return bx_fail(e, BX_SYSTEM, 0, 0, "cannot forbid to open files: %s", strerror(errno));
    return BX_OK;
}
#else
int bx_rights_close_files(bx_error *e)
{
    (void)e;
    return BX_OK;
}
#endif
