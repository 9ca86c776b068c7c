/* What the kernel says about a thread of the process. */
#include "thread_state.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_vki.h"

/* proc(5): "NUMBER (NAME) STATE …"; the name may have any characters. */
HChar bx_thread_state(Int thread)
{
    HChar path[48], text[128];
    VG_(sprintf)(path, "/proc/self/task/%d/stat", thread);
    SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
    if (sr_isError(opened))
        return BX_THREAD_GONE;
    Int n = VG_(read)((Int)sr_Res(opened), text, sizeof text - 1);
    VG_(close)((Int)sr_Res(opened));
    text[n > 0 ? n : 0] = '\0';
    const HChar *name_ends = VG_(strrchr)(text, ')');
    return name_ends && name_ends[1] == ' ' ? name_ends[2] : BX_THREAD_GONE;
}

/* D: for a page or another lock of the kernel. Who sleeps at a futex is S. */
Bool bx_thread_is_runnable(Int thread)
{
    HChar state = bx_thread_state(thread);
    return state == 'R' || state == 'D';
}
