/* Notices that Valgrind gives up and ends the process. */
#include "core_ends.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum { ROOM = 400 };

static void (*ends)(const HChar *why);
static HChar reason[ROOM];

void bx_core_set_ends(void (*to)(const HChar *why))
{
    ends = to;
}

static void because(const HChar *text)
{
    if (!reason[0])
        VG_(strncpy)(reason, text, sizeof reason - 1);
}

/* ---- its ways to give up, replaced with the linker's --wrap ---- */

/* Types of Valgrind 3.13 to 3.24. */
extern void __real_vgPlain_core_panic(const HChar *text) __attribute__((noreturn));
extern void __wrap_vgPlain_core_panic(const HChar *text) __attribute__((noreturn));
extern void __real_vgPlain_core_panic_at(const HChar *text, const void *registers)
    __attribute__((noreturn));
extern void __wrap_vgPlain_core_panic_at(const HChar *text, const void *registers)
    __attribute__((noreturn));
extern void __wrap_vgPlain_assert_fail(Bool core, const HChar *text, const HChar *file, Int line,
                                       const HChar *function, const HChar *format, ...)
    __attribute__((noreturn));
extern void __wrap_vgPlain_unimplemented(const HChar *format, ...) __attribute__((noreturn));
extern void __real_vgPlain_out_of_memory_NORETURN(const HChar *who, SizeT bytes)
    __attribute__((noreturn));
extern void __wrap_vgPlain_assert_fail(Bool core, const HChar *text, const HChar *file, Int line,
                                       const HChar *function, const HChar *format, ...)
{
    (void)core, (void)function, (void)format;
    if (!reason[0])
        VG_(snprintf)
    (reason, sizeof reason, "an assertion of Valgrind fails: %s:%d: %s", file, line, text);
    __real_vgPlain_core_panic(reason);
}

/* What Valgrind has not implemented are flags of clone(), and little that is older than all of our
 * programs. */
void __wrap_vgPlain_unimplemented(const HChar *format, ...)
{
    because(VG_(strstr)(format, "clone")
                ? "it calls clone() with flags that neither make a thread nor a process of its own"
                : format);
    __real_vgPlain_core_panic(reason);
}

void __wrap_vgPlain_out_of_memory_NORETURN(const HChar *who, SizeT bytes) __attribute__((noreturn));
extern void VG_(exit_now)(Int status) __attribute__((noreturn));
extern void __wrap_vgModuleLocal_am_barf_toolow(const HChar *what) __attribute__((noreturn));

void __wrap_vgPlain_core_panic(const HChar *text)
{
    because(VG_(strstr)(text, "number of threads") ? "it has more threads than Valgrind can have"
                                                   : text);
    __real_vgPlain_core_panic(text);
}

void __wrap_vgPlain_core_panic_at(const HChar *text, const void *registers)
{
    because(text);
    __real_vgPlain_core_panic_at(text, registers);
}

void __wrap_vgPlain_out_of_memory_NORETURN(const HChar *who, SizeT bytes)
{
    because("Valgrind got no memory: is there a limit (ulimit -v), or is memory full?");
    __real_vgPlain_out_of_memory_NORETURN(who, bytes);
}

/* The only table that can be full this way is that of mappings: VG_N_SEGMENTS. */
void __wrap_vgModuleLocal_am_barf_toolow(const HChar *what)
{
    because("it has more mappings than Valgrind can have (30,000 in most versions)");
    (void)what; /* Valgrind would write it to the program's standard error */
    VG_(exit_now)(1);
}

/* Every end of the process by Valgrind comes here, also the ordinary one. */
extern SysRes __real_vgPlain_do_syscall(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord,
                                        RegWord, RegWord, RegWord);
extern SysRes __wrap_vgPlain_do_syscall(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord,
                                        RegWord, RegWord, RegWord);

SysRes __wrap_vgPlain_do_syscall(UWord number, RegWord a, RegWord b, RegWord c, RegWord d,
                                 RegWord e, RegWord f, RegWord g, RegWord h)
{
    static Bool ending;
    if (number == __NR_exit_group && ends && !ending) {
        ending = True; /* writing the record may end here, too */
        ends(reason[0] ? reason : "Valgrind gave up");
    }
    return __real_vgPlain_do_syscall(number, a, b, c, d, e, f, g, h);
}
