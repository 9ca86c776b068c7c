/* Rights belong to threads: capabilities(7), credentials(7). The C library would set those of all
 * threads, the system call sets its caller's. */
#include "serve/rights.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NOBODY = 65534 }; /* of Debian, and of the kernel for users it cannot show */

void bx_rights_drop(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (geteuid() == 0) {
        syscall(SYS_setgroups, 0, (void *)0);
        syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY);
        syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY);
    }
    syscall(SYS_capset, &head, none);
}
