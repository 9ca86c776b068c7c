/* Checks the rights of this process, even if the machine is in a folder. */
#include "host/system/file.h"
#include "cli/doctor/findings.h"

#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The effective capabilities. */
static uint64_t capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
    if (syscall(SYS_capget, &header, data) != 0)
        return 0;
    return data[0].effective | (uint64_t)data[1].effective << 32;
}

/* Capabilities of a user namespace do not apply to devices and counters, which are outside it. The
 * first namespace maps all users to themselves. */
static bool in_namespace(void)
{
    char bytes[128];
    bx_str map = bx_str_trim(bx_file_read("", "/proc/self/uid_map", bytes, sizeof bytes));
    bx_str inside = bx_str_trim(bx_str_cut(&map, ' '));
    bx_str rest = bx_str_trim(map);
    bx_str outside = bx_str_trim(bx_str_cut(&rest, ' '));
    return inside.n && !(bx_str_eq(inside, BX_STR("0")) && bx_str_eq(outside, BX_STR("0")) &&
                         bx_str_eq(bx_str_trim(rest), BX_STR("4294967295")));
}

bool bx_doctor_may_perf(void)
{
    const uint64_t enough = UINT64_C(1) << CAP_PERFMON | UINT64_C(1) << CAP_SYS_ADMIN;
    return capabilities() & enough && !in_namespace();
}

void bx_doctor_rights(bx_findings *f)
{
    static const struct {
        unsigned bit;
        const char *name;
    } wanted[] = {{CAP_SYS_RAWIO, "CAP_SYS_RAWIO"},
                  {CAP_SYS_ADMIN, "CAP_SYS_ADMIN"},
                  {CAP_PERFMON, "CAP_PERFMON"},
                  {CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE"}};
    char has[128] = "";
    uint64_t mask = capabilities();
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (mask >> wanted[i].bit & 1)
            snprintf(has + strlen(has), sizeof has - strlen(has), "%s%s", *has ? " " : "",
                     wanted[i].name);
    bx_find(f, "rights", "user %u, %s", (unsigned)geteuid(),
            *has ? has : "no capability that would help");
    if (*has && in_namespace()) {
        bx_find_more(f, "these are of a user namespace: devices and counters are outside");
        bx_find_todo(f, "run outside of it, as root");
    }
}
