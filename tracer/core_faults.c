/* Instructions that fault, and CPUID. The linker's --wrap puts functions here before Valgrind's. */
#include "core_faults.h"

#include "core_calls.h"
#include "core_limits.h"
#include "core_rdpmc.h"
#include "notes.h"
#include "unknown_instruction.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_vki.h"

#include "libvex.h"
#include "libvex_guest_amd64.h"

enum { BYTES = 15 };

/* ---- the signal ---- */

extern void __real_vgPlain_synth_sigill(ThreadId tid, Addr at);
extern void __wrap_vgPlain_synth_sigill(ThreadId tid, Addr at);

/* The number of bytes from there on that the program can execute. */
static UInt executable(Addr at)
{
    UInt n = 0;
    while (n < BYTES && VG_(am_is_valid_for_client)(at, n + 1, VKI_PROT_EXEC))
        n++;
    return n;
}

static void tell(ThreadId tid, Addr at, UInt n)
{
    static Addr last;
    HChar text[3 * BYTES + 1] = "", place[BX_PLACE_ROOM];
    bx_unknown_instruction kind;
    const UChar *bytes = (const UChar *)at;
    if (at == last || !bx_unknown_instruction_kind(bytes, n, &kind))
        return;
    last = at;
    for (UInt i = 0; i < n && i < 11; i++)
        VG_(sprintf)(text + 3 * i, "%02x%s", bytes[i], i < 10 && i + 1 < n ? " " : "");
    bx_note_place(at, place);
    bx_note(
        tid, BX_TRACE_NOTE_INSTRUCTION,
        "got SIGILL: the tracer (Valgrind) does not know the instruction%s%s at %s: %s; try: %s",
        kind.name[0] ? ", " : "", kind.name, place, text, kind.try);
}

void __wrap_vgPlain_synth_sigill(ThreadId tid, Addr at)
{
    UInt n = executable(at);
    if (bx_core_rdpmc(tid, at, n))
        return;
    tell(tid, at, n);
    __real_vgPlain_synth_sigill(tid, at);
}

/* ---- CPUID ---- */

/* Valgrind's CPUID announces RDTSCP, but its translator executes it only with this feature. */
#define EXTENDED 0x80000001U
#define RDTSCP   (1ULL << 27)

static UInt features = ~0U; /* of the host, those that the translator uses */

extern void __real_vgPlain_machine_get_VexArchInfo(VexArch *arch, VexArchInfo *info);
extern void __wrap_vgPlain_machine_get_VexArchInfo(VexArch *arch, VexArchInfo *info);

static UInt hardware = ~0U;

void bx_core_limit_hardware(UInt extensions)
{
    hardware = extensions;
}

void __wrap_vgPlain_machine_get_VexArchInfo(VexArch *arch, VexArchInfo *info)
{
    __real_vgPlain_machine_get_VexArchInfo(arch, info);
    bx_core_reserve_stack();
    if (info)
        features = info->hwcaps &= hardware;
}

static void correct(VexGuestAMD64State *s, UInt leaf)
{
    if (leaf == EXTENDED && !(features & VEX_HWCAPS_AMD64_RDTSCP))
        s->guest_RDX &= ~RDTSCP;
}

/* The helpers have up to three more arguments, which are registers. */
#define REPLACE(helper)                                                                            \
    extern void __real_##helper(VexGuestAMD64State *, ULong, ULong, ULong);                        \
    extern void __wrap_##helper(VexGuestAMD64State *, ULong, ULong, ULong);                        \
    void __wrap_##helper(VexGuestAMD64State *s, ULong a, ULong b, ULong c)                         \
    {                                                                                              \
        UInt leaf = (UInt)s->guest_RAX;                                                            \
        __real_##helper(s, a, b, c);                                                               \
        correct(s, leaf);                                                                          \
    }

REPLACE(amd64g_dirtyhelper_CPUID_baseline)
REPLACE(amd64g_dirtyhelper_CPUID_sse42_and_cx16)
REPLACE(amd64g_dirtyhelper_CPUID_avx_and_cx16)
REPLACE(amd64g_dirtyhelper_CPUID_avx2)

/* ---- registers at a fault ---- */

extern VexControl vex_control;
extern VexRegisterUpdates VG_(clo_px_file_backed);

/* Valgrind keeps values in the processor's registers until a block ends, except those that show the
 * stack. A handler that returns would then put old values back. Integer divisions fault, too, and
 * access no memory. */
void bx_core_handles(Int signal)
{
    VexRegisterUpdates needs = signal == VKI_SIGSEGV || signal == VKI_SIGBUS
                                   ? VexRegUpdAllregsAtMemAccess
                               : signal == VKI_SIGFPE ? VexRegUpdAllregsAtEachInsn
                                                      : VexRegUpd_INVALID;
    if (needs <= vex_control.iropt_register_updates_default) /* INVALID is the least */
        return;
    vex_control.iropt_register_updates_default = needs;
    VG_(clo_px_file_backed) = needs;
    bx_core_discard_translations();
}
