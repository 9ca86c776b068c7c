/* Raises limits of Valgrind that programs meet. */
#include "core_limits.h"

#include "core_calls.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

/* Types of Valgrind 3.13 to 3.24. Functions named __wrap_… replace those of Valgrind. */

/* ---- the main thread's stack ---- */

extern Word VG_(clo_main_stacksize);

Word bx_core_stack_bytes(UWord wanted)
{
    const UWord most = 8UL << 30;
    return (Word)(wanted < most ? wanted : most);
}

/* Valgrind reserves at most 16 MiB for the stack, whatever the limit is. */
void bx_core_reserve_stack(void)
{
    struct vki_rlimit stack;
    if (VG_(clo_main_stacksize) == 0 && VG_(getrlimit)(VKI_RLIMIT_STACK, &stack) == 0)
        VG_(clo_main_stacksize) = bx_core_stack_bytes(stack.rlim_cur);
}

/* ---- the size of files ---- */

enum { FILE_SIZE = 1 }; /* RLIMIT_FSIZE, which Valgrind's headers lack */

static struct vki_rlimit file_size; /* the program's limit */

/* The kernel sends SIGXFSZ if a file becomes too large, also one without a name. */
Bool bx_core_lift_files(UWord bytes)
{
    VG_(getrlimit)(FILE_SIZE, &file_size);
    if (file_size.rlim_cur >= bytes)
        return True;
    struct vki_rlimit more = {bytes, file_size.rlim_max < bytes ? bytes : file_size.rlim_max};
    return VG_(setrlimit)(FILE_SIZE, &more) == 0;
}

void bx_core_limit_files(void)
{
    VG_(setrlimit)(FILE_SIZE, &file_size);
}

/* ---- the address space ---- */

typedef struct map_request { /* MapRequest of pub_core_aspacemgr.h */
    enum { FIXED, HINT, ANY, ALIGN } kind;
    Addr start, bytes;
} map_request;

extern Addr __real_vgPlain_am_get_advisory(const map_request *, Bool client, Bool *good);
extern Addr __wrap_vgPlain_am_get_advisory(const map_request *, Bool client, Bool *good);

static Bool (*allow)(UWord bytes);

void bx_core_limit_memory(Bool (*by)(UWord bytes))
{
    allow = by;
}

/* Valgrind places mappings below 128 GiB. The addresses above are free: it lets a program map there
 * what names an address. Reservations that do not fit below are placed there, one after another,
 * and from the beginning again. */
Addr __wrap_vgPlain_am_get_advisory(const map_request *wanted, Bool client, Bool *good)
{
    const Addr low = 0x100000000000, high = 0x7e0000000000, step = 1UL << 30;
    static Addr next;
    if (client && wanted->kind != FIXED && allow && !allow(wanted->bytes)) {
        *good = False;
        return 0;
    }
    Addr at = __real_vgPlain_am_get_advisory(wanted, client, good);
    if (*good || !client || wanted->kind == FIXED || wanted->bytes > high - low)
        return at;
    for (UInt i = 0; i < 4096 && !*good; i++) {
        Addr here = next >= low && next <= high - wanted->bytes ? next : low;
        const map_request there = {HINT, here, wanted->bytes};
        next = here + step;
        at = __real_vgPlain_am_get_advisory(&there, client, good);
        *good = *good && at == here;
    }
    if (*good)
        next = (at + wanted->bytes + step - 1) & ~(step - 1);
    return at;
}

/* ---- its temporary files ---- */

/* Valgrind makes two files, for /proc/self/cmdline and /proc/self/auxv, and removes their names at
 * once. They need no folder that can be written. */
static const HChar nameless[] = "/memfd:valgrind_";

extern Int __wrap_vgPlain_mkstemp(const HChar *part, HChar *name);
extern Int __wrap_vgPlain_unlink(const HChar *name);
extern Int __real_vgPlain_unlink(const HChar *name);

Int __wrap_vgPlain_mkstemp(const HChar *part, HChar *name)
{
    enum { SHORTEST_FOLDER = 1, RANDOM = 9 }; /* the name's room: FOLDER/valgrind_PART_01234567 */
    _Static_assert(sizeof nameless - 1 <= SHORTEST_FOLDER + sizeof "/valgrind_" - 1 + RANDOM,
                   "the name is not longer than Valgrind's");
    Int fd = (Int)bx_core_syscall(__NR_memfd_create, (UWord)part, 0, 0, 0, 0, 0);
    VG_(strcpy)(name, nameless);
    VG_(strcat)(name, part);
    return fd < 0 ? -1 : bx_core_hide_fd(fd);
}

Int __wrap_vgPlain_unlink(const HChar *name)
{
    return VG_(strncmp)(name, nameless, sizeof nameless - 1) == 0 ? 0 : __real_vgPlain_unlink(name);
}
