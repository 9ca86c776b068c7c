/* Shows the program the same CPU, stack address and number of CPUs on each host. */
#include "surroundings.h"

#include "core_calls.h"
#include "core_cpuid.h"
#include "environment.h"
#include "placement.h"
#include "shown_files.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "libvex.h"

/* ---- features of the CPU ---- */

/* CPU features by level. They exclude instructions whose results differ each time (RDRAND, RDSEED)
 * or depend on the host (RDTSCP). */
enum {
    SSE4_2 = VEX_HWCAPS_AMD64_SSE3 | VEX_HWCAPS_AMD64_SSSE3 | VEX_HWCAPS_AMD64_CX16,
    AVX = SSE4_2 | VEX_HWCAPS_AMD64_AVX,
    AVX2 = AVX | VEX_HWCAPS_AMD64_AVX2 | VEX_HWCAPS_AMD64_BMI | VEX_HWCAPS_AMD64_LZCNT |
           VEX_HWCAPS_AMD64_F16C,
};

/* constants of getauxval(3) */
enum { AT_HWCAP = 16, AT_RANDOM = 25, RANDOM_BYTES = 16 };
enum { HWCAP = 0x178bfbff }; /* CPUID 1, EDX: what all 64-bit processors have */

/* Sets the random bytes for stack protectors and similar uses to a constant. Results of getrandom()
 * stay random. */
static void set_auxiliary_vector(void)
{
    for (UWord *entry = bx_core_auxiliary_vector(); entry && entry[0]; entry += 2) {
        if (entry[0] == AT_HWCAP)
            entry[1] = HWCAP;
        if (entry[0] == AT_RANDOM)
            VG_(memset)((void *)entry[1], 0x5a, RANDOM_BYTES);
    }
}

Bool bx_surroundings_limit(const HChar *name)
{
    static const struct {
        const HChar *name;
        UInt hardware;
    } levels[] = {{"sse2", 0}, {"sse4.2", SSE4_2}, {"avx", AVX}, {"avx2", AVX2}};
    for (UInt i = 0; i < sizeof levels / sizeof *levels; i++)
        if (!VG_(strcmp)(name, levels[i].name)) {
            bx_core_limit_hardware(levels[i].hardware);
            set_auxiliary_vector();
            return True;
        }
    return False;
}

/* ---- the stack ---- */

void bx_surroundings_setup(void)
{
    static const HChar name[] = BX_TRACE_PADDING;
    for (HChar **word = bx_core_first_environment(); word && *word; word++)
        if (bx_trace_is_padding(*word))
            (*word)[sizeof name - 1] = '\0';
}

/* ---- the number of CPUs ---- */

/* Size in bytes of the kernel's mask, which has whole words. */
static UWord mask_bytes(void)
{
    return ((UWord)bx_placement_all_cpus + 63) / 64 * sizeof(UWord);
}

static void show_affinity(ThreadId tid, Int whose, UWord room, UChar *mask)
{
    ThreadId asked = bx_placement_thread(tid, whose);
    ULong cpus = asked == VG_INVALID_THREADID ? ~0ULL : bx_placement_cpus(asked);
    UWord bytes = mask_bytes();
    if (room < bytes)
        return; /* the kernel, with as many CPUs, would have refused */
    VG_(memset)(mask, 0, bytes);
    for (Int i = 0; i < bx_placement_all_cpus; i++)
        if (i >= 64 || cpus >> i & 1)
            mask[i / 8] |= (UChar)(1 << i % 8);
    bx_core_set_result(tid, bytes);
}

/* Shows those of the thread's CPUs in turn: on which core of the model it runs is not known yet.
 * The node is that of the CPU. */
static void show_cpu(ThreadId tid, UInt *cpu, UInt *node)
{
    UInt all = (UInt)bx_placement_all_cpus, is = (tid - 1) % all;
    for (UInt i = 0; i < all && is < 64 && !(bx_placement_cpus(tid) >> is & 1); i++)
        is = (is + 1) % all;
    if (cpu)
        *cpu = is;
    if (node)
        *node = (UInt)bx_placement_node_of((Int)is);
}

void bx_surroundings_after_call(ThreadId tid, UInt number, const UWord *args, SysRes result)
{
    if (!bx_placement_all_cpus || sr_isError(result))
        return;
    if (number == __NR_sched_getaffinity)
        show_affinity(tid, (Int)args[0], args[1], (UChar *)args[2]);
    else if (number == __NR_getcpu)
        show_cpu(tid, (UInt *)args[0], (UInt *)args[1]);
    else if (number == __NR_open)
        bx_shown_files_opened(tid, (const HChar *)args[0], args[1], (Int)sr_Res(result));
    else if (number == __NR_openat)
        bx_shown_files_opened(tid, (const HChar *)args[1], args[2], (Int)sr_Res(result));
}
