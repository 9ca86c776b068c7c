/* A tool for Valgrind that writes a program's instructions and memory references to a ring in
 * shared memory. README.md of this folder has the whole. */
#include "instrument.h"
#include "ring.h"

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"

static Long ring_fd = -1;
static Bool drop;
static ThreadId running;

static Bool take_option(const HChar *arg)
{
    return VG_INT_CLO(arg, "--ring-fd", ring_fd) || VG_BOOL_CLO(arg, "--drop", drop);
}

static void print_usage(void)
{
    VG_(printf)
    ("    --ring-fd=N               file with the ring that boxscore reads\n"
     "    --drop=yes                nobody reads: for measuring the tracer alone\n");
}

static void print_debug_usage(void)
{
    VG_(printf)("    (none)\n");
}

static void start_child(ThreadId tid)
{
    (void)tid;
    bx_ring_detach();
}

static void start(void)
{
    if ((ring_fd < 0 && !drop) || !bx_ring_open((Int)ring_fd)) {
        VG_(umsg)("boxscore starts this tool: it needs a ring (--ring-fd=N) or --drop=yes\n");
        VG_(exit)(1);
    }
    VG_(atfork)(NULL, NULL, start_child);
}

static void start_thread(ThreadId tid, ULong blocks)
{
    (void)blocks;
    if (tid == running)
        return;
    running = tid;
    const ULong record = bx_trace_control_word(BX_TRACE_THREAD, tid);
    bx_ring_write(&record, 1);
}

/* A call may block: what the program did before it must not wait for its end. */
static void before_call(ThreadId tid, UInt number, UWord *args, UInt n)
{
    (void)tid;
    (void)number;
    (void)args;
    (void)n;
    bx_ring_publish();
}

static void after_call(ThreadId tid, UInt number, UWord *args, UInt n, SysRes result)
{
    (void)tid;
    (void)number;
    (void)args;
    (void)n;
    (void)result;
}

static void finish(Int status)
{
    const ULong record = bx_trace_control_word(BX_TRACE_END, 0);
    (void)status;
    bx_ring_write(&record, 1);
    bx_ring_publish();
}

static void register_tool(void)
{
    VG_(details_name)("boxscore-tracer");
    VG_(details_version)(NULL);
    VG_(details_description)("memory references for boxscore");
    VG_(details_copyright_author)("Linked with Valgrind, under the GNU GPL version 2 or later.");
    VG_(details_bug_reports_to)("boxscore");
    VG_(details_avg_translation_sizeB)(500);
    VG_(basic_tool_funcs)(start, bx_instrument, finish);
    VG_(needs_command_line_options)(take_option, print_usage, print_debug_usage);
    VG_(needs_superblock_discards)(bx_instrument_discard);
    VG_(needs_syscall_wrapper)(before_call, after_call);
    VG_(track_start_client_code)(start_thread);
}

VG_DETERMINE_INTERFACE_VERSION(register_tool)
