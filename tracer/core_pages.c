/* Gives Valgrind's own large blocks large pages: the records of 5,000 threads, 35 MB that each
 * start of a process fills, cost 8,200 faults otherwise, a quarter of what tracing `true` costs. A
 * kernel without them gives small ones. */
#include "core_calls.h"

#include "pub_tool_basics.h"
#include "pub_tool_vkiscnums.h"

/* Types of Valgrind 3.13 to 3.24. A function named __wrap_… replaces that of Valgrind. */
extern SysRes __real_vgPlain_am_mmap_anon_float_valgrind(SizeT bytes);
extern SysRes __wrap_vgPlain_am_mmap_anon_float_valgrind(SizeT bytes);

enum {
    HUGE_PAGE = 2 << 20,
    WORTH = 8 * HUGE_PAGE,
    ADVISE_HUGE_PAGES = 14 /* madvise(2): MADV_HUGEPAGE */
};

SysRes __wrap_vgPlain_am_mmap_anon_float_valgrind(SizeT bytes)
{
    SysRes made = __real_vgPlain_am_mmap_anon_float_valgrind(bytes);
    if (!sr_isError(made) && bytes >= WORTH)
        bx_core_syscall(__NR_madvise, sr_Res(made), bytes, ADVISE_HUGE_PAGES, 0, 0, 0);
    return made;
}
