/* Instructions that fault. The linker's --wrap puts functions here before Valgrind's. */
#include "core_faults.h"

#include "core_calls.h"
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
