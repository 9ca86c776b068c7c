/* Collects the memory accesses of the kernel in each system call. */
#include "kernel_accesses.h"

#include "records.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"

typedef struct access {
    enum bx_trace_control_kind kind;
    Addr address;
    SizeT bytes;
} access;

typedef struct thread {
    access *access; /* [room] */
    UInt n, room;
} thread;

static thread *threads; /* [VG_N_THREADS] */

static thread *of(ThreadId tid)
{
    if (!threads)
        threads = VG_(calloc)("bx.kernel", VG_N_THREADS, sizeof *threads);
    return &threads[tid];
}

static void keep(ThreadId tid, enum bx_trace_control_kind kind, Addr address, SizeT bytes)
{
    thread *t = of(tid);
    if (bytes == 0)
        return;
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 16;
        t->access = VG_(realloc)("bx.kernel", t->access, t->room * sizeof *t->access);
    }
    t->access[t->n++] = (access){kind, address, bytes};
}

static void before_read(CorePart part, ThreadId tid, const HChar *what, Addr address, SizeT bytes)
{
    (void)what;
    if (part == Vg_CoreSysCall)
        keep(tid, BX_TRACE_KERNEL_READ, address, bytes);
}

static void before_read_text(CorePart part, ThreadId tid, const HChar *what, Addr address)
{
    (void)what;
    if (part == Vg_CoreSysCall && VG_(am_is_valid_for_client)(address, 1, VKI_PROT_READ))
        keep(tid, BX_TRACE_KERNEL_READ, address, VG_(strlen)((const HChar *)address) + 1);
}

static void after_write(CorePart part, ThreadId tid, Addr address, SizeT bytes)
{
    if (part == Vg_CoreSysCall)
        keep(tid, BX_TRACE_KERNEL_WRITE, address, bytes);
}

static void record(ThreadId tid, enum bx_trace_control_kind kind)
{
    const thread *t = of(tid);
    for (UInt i = 0; i < t->n; i++)
        if (t->access[i].kind == kind)
            BX_RECORD(tid, kind, 0, t->access[i].address, t->access[i].bytes);
}

void bx_kernel_accesses_record(ThreadId tid, UWord most)
{
    thread *t = of(tid);
    if (t->n && t->access[0].kind == BX_TRACE_KERNEL_READ && t->access[0].bytes > most)
        t->access[0].bytes = most;
    if (most)
        record(tid, BX_TRACE_KERNEL_READ);
    record(tid, BX_TRACE_KERNEL_WRITE);
    t->n = 0;
}

void bx_kernel_accesses_forget(ThreadId tid)
{
    of(tid)->n = 0;
}

void bx_kernel_accesses_setup(void)
{
    VG_(track_pre_mem_read)(before_read);
    VG_(track_pre_mem_read_asciiz)(before_read_text);
    VG_(track_post_mem_write)(after_write);
}
