/* A tool for Valgrind that writes a program's instructions and memory references to rings in shared
 * memory. README.md of this folder explains all of it. */
#include "allocations.h"
#include "calls.h"
#include "core_calls.h"
#include "core_cpuid.h"
#include "core_ends.h"
#include "core_program_limits.h"
#include "exec.h"
#include "functions.h"
#include "instrument.h"
#include "kernel_accesses.h"
#include "maps.h"
#include "notes.h"
#include "placement.h"
#include "records.h"
#include "regions.h"
#include "ring.h"
#include "seccomp.h"
#include "socket.h"
#include "surroundings.h"
#include "taken_calls.h"
#include "threads.h"

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"

static Long socket_fd = -1;
static Long seccomp_fd = -1;
static Bool drop;
static const HChar *features;  /* NULL: the host's */
static const HChar *cpuid;     /* NULL: Valgrind's */
static const HChar *limits;    /* NULL: the kernel's */
static const HChar *placement; /* NULL: all CPUs */
static ULong forked;           /* time of the present fork() */
static UInt parent;

static Bool take_option(const HChar *arg)
{
    const HChar *allocator, *function;
    return VG_INT_CLO(arg, "--socket-fd", socket_fd) ||
           VG_INT_CLO(arg, "--seccomp-fd", seccomp_fd) || VG_BOOL_CLO(arg, "--drop", drop) ||
           VG_BINT_CLO(arg, "--turn", bx_threads_turn, 1, 100000) ||
           VG_STR_CLO(arg, "--features", features) || VG_STR_CLO(arg, "--cpuid", cpuid) ||
           VG_STR_CLO(arg, "--limits", limits) || VG_STR_CLO(arg, "--placement", placement) ||
           VG_BINT_CLO(arg, "--nodes", bx_placement_nodes, 0, 64) ||
           VG_STR_CLO(arg, "--cpu-nodes", bx_placement_cpu_nodes) ||
           VG_BINT_CLO(arg, "--cpus", bx_placement_all_cpus, 0, 1024) ||
           (VG_STR_CLO(arg, "--allocator", allocator) && bx_allocations_follow(allocator)) ||
           (VG_STR_CLO(arg, "--function", function) && bx_functions_follow(function));
}

static void print_usage(void)
{
    VG_(printf)
    ("    --socket-fd=N             socket to boxscore, which reads\n"
     "    --drop=yes                nobody reads: for measuring the tracer alone\n"
     "    --seccomp-fd=N            file with the program's seccomp filters, after an exec\n"
     "    --limits=…                the program's limits, after an exec\n"
     "    --placement=…             the program's CPUs and memory policy, after an exec\n"
     "    --turn=N                  blocks after which the next thread runs [1000]\n"
     "    --features=NAME           sse2, sse4.2, avx, avx2: the program's CPU has no more\n"
     "    --cpuid=…                 leaves of CPUID: the caches of the program's CPU\n"
     "    --allocator=              record allocations\n"
     "    --allocator=SYMBOL=FORM   also of this function: malloc, calloc, realloc, free, "
     "memalign\n"
     "    --function=NAME           this function is a region\n"
     "    --cpus=N                  CPUs that the program sees\n"
     "    --nodes=N                 memory nodes that the program sees\n"
     "    --cpu-nodes=…             the node of each CPU: a digit each [all 0]\n");
}

static void print_debug_usage(void)
{
    VG_(printf)("    (none)\n");
}

static void before_fork(ThreadId tid)
{
    forked = bx_time();
    parent = (UInt)VG_(getpid)();
    BX_RECORD(tid, BX_TRACE_FORK, 0, forked);
    bx_ring_publish();
}

/* A child has a ring of its own, in which it must describe its blocks again. */
static void start_child(ThreadId tid)
{
    bx_ring_open(parent, forked);
    bx_notes_fork();
    bx_records_restart();
    bx_core_discard_translations();
    bx_threads_fork(tid);
    bx_calls_fork(tid);
}

static void finish_tool(Int status)
{
    (void)status;
    bx_record_end(bx_calls_has_exited() ? BX_TRACE_END_EXIT : BX_TRACE_END_SIGNAL);
}

/* Valgrind ends the process: all that it has done so far is counted, but not what it would do. */
static void cut(const HChar *why)
{
    if (bx_record_has_ended())
        return;
    bx_note(VG_INVALID_THREADID, BX_TRACE_NOTE_CUT,
            "is not counted to its end, which is that of the tracer: %s", why);
    finish_tool(0);
}

static void start_tool(void)
{
    if (socket_fd < 0 && !drop) {
        VG_(umsg)("boxscore starts this tool: it needs a socket (--socket-fd=N) or --drop=yes\n");
        VG_(exit)(1);
    }
    bx_socket_open((Int)socket_fd);
    bx_ring_open(0, bx_time());
    bx_core_set_ends(cut);
    bx_exec_setup();
    bx_taken_calls_setup();
    if (seccomp_fd >= 0)
        bx_seccomp_take((Int)seccomp_fd);
    bx_surroundings_setup();
    if (!bx_program_limits_setup(limits)) {
        VG_(umsg)("--limits=%s: the tracer before an exec writes them\n", limits);
        VG_(exit)(1);
    }
    if (placement && !bx_placement_read(placement)) {
        VG_(umsg)("--placement=%s: the tracer before an exec writes them\n", placement);
        VG_(exit)(1);
    }
    if (features && !bx_surroundings_limit(features)) {
        VG_(umsg)("--features=%s: there are sse2, sse4.2, avx and avx2\n", features);
        VG_(exit)(1);
    }
    if (cpuid && !bx_core_set_cpuid(cpuid)) {
        VG_(umsg)("--cpuid=%s: LEAF.SUBLEAF=EAX:EBX:ECX:EDX,... in hexadecimal\n", cpuid);
        VG_(exit)(1);
    }
    VG_(atfork)(before_fork, NULL, start_child);
}

static void register_tool(void)
{
    VG_(details_name)("boxscore-tracer");
    VG_(details_version)(NULL);
    VG_(details_description)("memory references for boxscore");
    VG_(details_copyright_author)("Linked with Valgrind, under the GNU GPL version 2 or later.");
    VG_(details_bug_reports_to)("boxscore");
    VG_(details_avg_translation_sizeB)(500);
    VG_(basic_tool_funcs)(start_tool, bx_instrument, finish_tool);
    VG_(needs_command_line_options)(take_option, print_usage, print_debug_usage);
    VG_(needs_superblock_discards)(bx_instrument_discard);
    VG_(needs_syscall_wrapper)(bx_calls_before, bx_calls_after);
    bx_threads_setup();
    bx_maps_setup();
    bx_kernel_accesses_setup();
    bx_regions_setup();
}

VG_DETERMINE_INTERFACE_VERSION(register_tool)
