/* Keeps limits that a program sets for itself. */
#include "core_program_limits.h"

#include "core_calls.h"
#include "core_limits.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vkiscnums.h"

/* Of Valgrind 3.13 to 3.24, which no installed header declares. */
extern struct vki_rlimit VG_(client_rlimit_data), VG_(client_rlimit_stack);
extern Addr VG_(brk_limit);
extern Int VG_(fd_soft_limit);

typedef struct vki_rlimit limit;

enum { FILE_SIZE = 1, ADDRESS_SPACE = 9 }; /* RLIMIT_…, which Valgrind's headers lack */
enum { KEPT = 4, FILES_LEAST = 64 };       /* descriptors with which a tracer can begin */

static const Int kept[KEPT] = {ADDRESS_SPACE, VKI_RLIMIT_DATA, VKI_RLIMIT_STACK, FILE_SIZE};
static limit seen[KEPT];    /* as the program sees them */
static limit kernels[KEPT]; /* the kernel's, before an exec */
static limit first_data;    /* the kernel's: Valgrind sets the soft one to 0 */

static limit *seen_of(UWord resource)
{
    for (UInt i = 0; i < KEPT; i++)
        if ((UWord)kept[i] == resource)
            return &seen[i];
    return NULL;
}

static void set_soft(Int resource, UWord soft)
{
    limit now;
    if (VG_(getrlimit)(resource, &now) != 0)
        return;
    now.rlim_cur = soft < now.rlim_max ? soft : now.rlim_max;
    VG_(setrlimit)(resource, &now);
}

/* Lets Valgrind, and the kernel, obey what the program has set. */
static void apply(void)
{
    VG_(client_rlimit_data) = *seen_of(VKI_RLIMIT_DATA);
    VG_(client_rlimit_stack) = *seen_of(VKI_RLIMIT_STACK);
    set_soft(FILE_SIZE, seen_of(FILE_SIZE)->rlim_cur);
    set_soft(ADDRESS_SPACE, ~0UL); /* allow() */
}

/* ---- memory ---- */

/* Bytes of the program's mappings. */
static UWord client_bytes(void)
{
    enum { MOST = 65536 };
    static Addr begin[MOST];
    UWord bytes = 0;
    Int n = VG_(am_get_segment_starts)(SkFileC | SkAnonC | SkShmC, begin, MOST);
    for (Int i = 0; i < n; i++) {
        const NSegment *s = VG_(am_find_nsegment)(begin[i]);
        bytes += s->end - s->start + 1;
    }
    return bytes;
}

static Bool allow(UWord bytes)
{
    UWord most = seen[0].rlim_cur; /* the first one: see `kept` */
    if (most == ~0UL)
        return True;
    UWord have = client_bytes();
    return have <= most && bytes <= most - have;
}

static void grow_stack(const bx_core_call *call, bx_core_answer *to)
{
    const UWord *a = call->argument;
    Bool brk = call->number == __NR_brk;
    UWord from = brk ? VG_(brk_limit) : a[1], wanted = brk ? a[0] : a[2];
    if (wanted <= from || allow(wanted - from))
        return;
    to->way = BX_CORE_DONE;
    to->result = brk ? (Word)from : -VKI_ENOMEM;
}

/* ---- from tracer to tracer ---- */

void bx_program_limits_write(HChar *option)
{
    for (UInt i = 0; i < KEPT; i++)
        option +=
            VG_(sprintf)(option, "%llx,%llx,", (ULong)seen[i].rlim_cur, (ULong)seen[i].rlim_max);
    VG_(sprintf)(option, "%x", (UInt)VG_(fd_soft_limit));
}

static Bool read_number(const HChar **from, HChar end, UWord *to)
{
    HChar *rest;
    *to = VG_(strtoull16)(*from, &rest);
    Bool well = rest != *from && *rest == end;
    *from = rest + well;
    return well;
}

static Bool read_option(const HChar *from)
{
    UWord files;
    for (UInt i = 0; i < KEPT; i++)
        if (!read_number(&from, ',', &seen[i].rlim_cur) ||
            !read_number(&from, ',', &seen[i].rlim_max))
            return False;
    return read_number(&from, '\0', &files) && (bx_core_lower_files(files), True);
}

Bool bx_program_limits_setup(const HChar *option)
{
    first_data = VG_(client_rlimit_data);
    for (UInt i = 0; i < KEPT; i++)
        VG_(getrlimit)(kept[i], &seen[i]);
    *seen_of(VKI_RLIMIT_DATA) = first_data;
    if (option && !read_option(option))
        return False;
    apply();
    bx_core_limit_memory(allow);
    return True;
}

struct vki_rlimit bx_program_limits_stack(void)
{
    return *seen_of(VKI_RLIMIT_STACK);
}

void bx_program_limits_give(Bool traced)
{
    UWord files = (UWord)VG_(fd_soft_limit);
    for (UInt i = 0; i < KEPT; i++) {
        VG_(getrlimit)(kept[i], &kernels[i]);
        if (!traced)
            VG_(setrlimit)(kept[i], &seen[i]);
    }
    if (traced) {
        set_soft(FILE_SIZE, ~0UL);
        set_soft(VKI_RLIMIT_DATA, first_data.rlim_cur);
    }
    set_soft(VKI_RLIMIT_NOFILE, traced && files < FILES_LEAST ? FILES_LEAST : files);
}

void bx_program_limits_take_back(void)
{
    for (UInt i = 0; i < KEPT; i++)
        if (VG_(setrlimit)(kept[i], &kernels[i]) != 0) /* the hard one cannot be raised again */
            set_soft(kept[i], kernels[i].rlim_cur);
}

/* ---- system calls ---- */

static Bool may_raise(void)
{
    enum { VERSION_3 = 0x20080522, RESOURCE = 24 }; /* CAP_SYS_RESOURCE */
    struct {
        UInt version;
        Int process;
    } header = {VERSION_3, 0};
    UInt sets[2][3] = {{0}}; /* effective, permitted, inheritable; twice 32 capabilities */
    return bx_core_syscall(__NR_capget, (UWord)&header, (UWord)sets, 0, 0, 0, 0) == 0 &&
           sets[0][0] >> RESOURCE & 1;
}

/* A new limit: 0, or an errno. */
static Word set(Int resource, limit *to, limit new)
{
    limit real;
    if (new.rlim_cur > new.rlim_max)
        return VKI_EINVAL;
    if (new.rlim_max > to->rlim_max && !may_raise())
        return VKI_EPERM;
    *to = new;
    if (VG_(getrlimit)(resource, &real) == 0 && real.rlim_max < new.rlim_max) {
        real.rlim_max = new.rlim_max;
        VG_(setrlimit)(resource, &real);
    }
    apply();
    return 0;
}

static Bool is_valid(UWord at, UInt rights)
{
    return VG_(am_is_valid_for_client)(at, sizeof(limit), rights);
}

static Word change(UWord resource, UWord new, UWord old)
{
    limit *of = seen_of(resource), before = *of;
    if ((new && !is_valid(new, VKI_PROT_READ)) || (old && !is_valid(old, VKI_PROT_WRITE)))
        return -VKI_EFAULT;
    Word error = new ? set((Int)resource, of, *(const limit *)new) : 0;
    if (!error && old)
        *(limit *)old = before;
    return -error;
}

void bx_program_limits_call(const bx_core_call *call, bx_core_answer *to)
{
    const UWord *a = call->argument;
    Bool both = call->number == __NR_prlimit64, set = call->number == __NR_setrlimit;
    if (call->number == __NR_brk || call->number == __NR_mremap) {
        grow_stack(call, to);
        return;
    }
    if ((!both && !set && call->number != __NR_getrlimit) || !seen_of(both ? a[1] : a[0]) ||
        (both && (Int)a[0] != 0 && (Int)a[0] != VG_(getpid)()))
        return;
    to->way = BX_CORE_DONE;
    to->result = both ? change(a[1], a[2], a[3]) : change(a[0], set ? a[1] : 0, set ? 0 : a[1]);
}
