/* Implements core_cpuid.h. The linker's --wrap puts functions here before Valgrind's. */
#include "core_cpuid.h"

#include "core_limits.h"

#include "pub_tool_libcbase.h"

#include "libvex.h"
#include "libvex_guest_amd64.h"

/* ---- features ---- */

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

/* ---- leaves ---- */

enum { MOST = 24 };

static struct {
    UInt leaf, subleaf, reg[4]; /* EAX, EBX, ECX, EDX */
} set[MOST];

static Bool take_hex(const HChar **text, HChar before, UInt *to)
{
    HChar *end;
    if (before && *(*text)++ != before)
        return False;
    *to = (UInt)VG_(strtoull16)(*text, &end);
    Bool some = end != *text;
    *text = end;
    return some;
}

Bool bx_core_set_cpuid(const HChar *text)
{
    for (UInt n = 0; *text && n < MOST; n++) {
        if (!take_hex(&text, n ? ',' : 0, &set[n].leaf) || !take_hex(&text, '.', &set[n].subleaf))
            return False;
        for (UInt i = 0; i < 4; i++)
            if (!take_hex(&text, i ? ':' : '=', &set[n].reg[i]))
                return False;
    }
    return *text == '\0';
}

/* The registers of a leaf that are replaced: bit i is register i of `set`. AMD's processors have
 * neither leaf 2 nor leaf 4, Intel's of the others L2 alone. */
static UInt replaced(UInt leaf, Bool of_intel)
{
    switch (leaf) {
    case 2:
    case 4:
    case 0xb:
        return of_intel ? 0xf : 0;
    case 0x80000005:
        return of_intel ? 0 : 0xc;
    case 0x80000006:
        return of_intel ? 4 : 0xc;
    default:
        return 0;
    }
}

static void replace(VexGuestAMD64State *s, UInt leaf, UInt subleaf, UInt registers)
{
    ULong *const to[] = {&s->guest_RAX, &s->guest_RBX, &s->guest_RCX, &s->guest_RDX};
    Bool by_subleaf = leaf == 4 || leaf == 0xb;
    for (UInt n = 0; n < MOST; n++)
        if (set[n].leaf == leaf && (!by_subleaf || set[n].subleaf == subleaf))
            for (UInt i = 0; i < 4; i++)
                if (registers >> i & 1)
                    *to[i] = set[n].reg[i];
}

static void correct(VexGuestAMD64State *s, UInt leaf, UInt subleaf, Bool of_intel)
{
    if (leaf == EXTENDED && !(features & VEX_HWCAPS_AMD64_RDTSCP))
        s->guest_RDX &= ~RDTSCP;
    UInt registers = replaced(leaf, of_intel);
    if (registers)
        replace(s, leaf, subleaf, registers);
}

/* The helpers have up to three more arguments, which are registers. */
#define REPLACE(helper, of_intel)                                                                  \
    extern void __real_##helper(VexGuestAMD64State *, ULong, ULong, ULong);                        \
    extern void __wrap_##helper(VexGuestAMD64State *, ULong, ULong, ULong);                        \
    void __wrap_##helper(VexGuestAMD64State *s, ULong a, ULong b, ULong c)                         \
    {                                                                                              \
        UInt leaf = (UInt)s->guest_RAX, subleaf = (UInt)s->guest_RCX;                              \
        __real_##helper(s, a, b, c);                                                               \
        correct(s, leaf, subleaf, of_intel);                                                       \
    }

REPLACE(amd64g_dirtyhelper_CPUID_baseline, False)
REPLACE(amd64g_dirtyhelper_CPUID_sse42_and_cx16, True)
REPLACE(amd64g_dirtyhelper_CPUID_avx_and_cx16, True)
REPLACE(amd64g_dirtyhelper_CPUID_avx2, True)
