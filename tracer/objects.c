/* Identifies pipes, sockets and eventfds, so that both ends have the same id. */
#include "objects.h"

#include "core_calls.h"
#include "records.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum { ADDRESS_BYTES = 128, PATH_BEGINS = 2, PORT_BEGINS = 2, AF_INET4 = 2, AF_INET6 = 10 };

typedef struct address {
    UChar byte[ADDRESS_BYTES]; /* struct sockaddr: the address family in the first two bytes */
    Int bytes;
} address;

static const object nothing = {BX_TRACE_NOTHING, 0};

static object socket(ULong id)
{
    return (object){BX_TRACE_SOCKET, id};
}

/* The hash function FNV-1a. */
static ULong hash(ULong of, const UChar *bytes, UInt n)
{
    for (UInt i = 0; i < n; i++)
        of = (of ^ bytes[i]) * 0x100000001b3ULL;
    return of;
}

enum { OWN = __NR_getsockname, PEER = __NR_getpeername };

static address name_of(Int fd, UWord which)
{
    address a = {.bytes = ADDRESS_BYTES};
    if (bx_core_syscall(which, (UWord)fd, (UWord)a.byte, (UWord)&a.bytes, 0, 0, 0) < 0)
        a.bytes = 0;
    return a;
}

static Bool is_inet(const address *a)
{
    return a->bytes > 4 && (a->byte[0] == AF_INET4 || a->byte[0] == AF_INET6);
}

static Bool has_path(const address *a)
{
    return a->bytes > PATH_BEGINS && a->byte[0] == VKI_AF_UNIX;
}

static ULong hash_path(const address *a)
{
    UInt n = (UInt)a->bytes - PATH_BEGINS;
    const HChar *path = (const HChar *)a->byte + PATH_BEGINS;
    return hash(1, (const UChar *)path, path[0] ? (UInt)VG_(strnlen)(path, n) : n);
}

static ULong hash_port(const address *a)
{
    return hash(2, a->byte + PORT_BEGINS, 2);
}

static object listener(const address *a)
{
    return is_inet(a) ? socket(hash_port(a)) : has_path(a) ? socket(hash_path(a)) : nothing;
}

object bx_object_of_address(const void *at, UInt bytes)
{
    address a = {.bytes = (Int)(bytes < ADDRESS_BYTES ? bytes : ADDRESS_BYTES)};
    VG_(memcpy)(a.byte, at, (SizeT)a.bytes);
    return listener(&a);
}

object bx_object_of_listener(Int fd)
{
    address a = name_of(fd, OWN);
    return listener(&a);
}

/* The id of a connection is the sum of the hashes of its two addresses, so both ends have the same
 * id. */
static object socket_of(Int fd, const struct vg_stat *about)
{
    address own = name_of(fd, OWN), peer = name_of(fd, PEER);
    if (is_inet(&own))
        return socket(
            hash(3, own.byte + PORT_BEGINS, (UInt)own.bytes - PORT_BEGINS) +
            hash(3, peer.byte + PORT_BEGINS, is_inet(&peer) ? (UInt)peer.bytes - PORT_BEGINS : 0));
    if (has_path(&own))
        return socket(hash_path(&own));
    return socket(has_path(&peer) ? hash_path(&peer) : (ULong)about->dev << 32 ^ about->ino);
}

/* All eventfds share one inode; the kernel gives the number of each in /proc/self/fdinfo. */
static object eventfd_of(Int fd, const struct vg_stat *about)
{
    HChar path[40], text[512];
    VG_(sprintf)(path, "/proc/self/fdinfo/%d", fd);
    Int info = VG_(fd_open)(path, VKI_O_RDONLY, 0);
    Int n = info < 0 ? 0 : VG_(read)(info, text, sizeof text - 1);
    if (info >= 0)
        VG_(close)(info);
    text[n > 0 ? n : 0] = '\0';
    const HChar *id = VG_(strstr)(text, "eventfd-id:");
    if (id)
        return (object){BX_TRACE_PIPE, 1ULL << 63 | VG_(strtoull10)(id + 11, NULL)};
    if (VG_(strstr)(text, "eventfd-count:")) /* Linux before 5.2 */
        return (object){BX_TRACE_PIPE, (ULong)about->dev << 32 ^ about->ino};
    return nothing;
}

object bx_object_of_fd(Int fd)
{
    struct vg_stat about;
    if (VG_(fstat)(fd, &about) != 0)
        return nothing;
    if (VKI_S_ISFIFO(about.mode))
        return (object){BX_TRACE_PIPE, (ULong)about.dev << 32 ^ about.ino};
    if (VKI_S_ISSOCK(about.mode))
        return socket_of(fd, &about);
    return (about.mode & VKI_S_IFMT) == 0 ? eventfd_of(fd, &about) : nothing;
}

/* ---- all of a process ---- */

static Bool is_closed_on_exec(Int fd)
{
    return bx_core_syscall(__NR_fcntl, (UWord)fd, VKI_F_GETFD, 0, 0, 0, 0) == VKI_FD_CLOEXEC;
}

/* The number that a file of /proc/self/fd has as its name; ~0: none. */
static UInt number_of(const HChar *name)
{
    return VG_(isdigit)(name[0]) ? (UInt)VG_(strtoull10)(name, NULL) : ~0U;
}

void bx_objects_of_process(UInt first, UInt last, Bool closed_on_exec, void (*of)(object))
{
    static UChar entries[4096]; /* static, because it is large for a stack */
    Int folder = VG_(fd_open)("/proc/self/fd", VKI_O_RDONLY, 0), n;
    if (folder < 0)
        return;
    while ((n = VG_(getdents64)(folder, (struct vki_dirent64 *)entries, sizeof entries)) > 0)
        for (Int i = 0; i < n; i += ((const struct vki_dirent64 *)(entries + i))->d_reclen) {
            UInt fd = number_of(((const struct vki_dirent64 *)(entries + i))->d_name);
            if (fd < first || fd > last || !bx_core_is_programs((Int)fd) ||
                (closed_on_exec && !is_closed_on_exec((Int)fd)))
                continue;
            object o = bx_object_of_fd((Int)fd);
            if (o.kind != BX_TRACE_NOTHING)
                of(o);
        }
    VG_(close)(folder);
}

void bx_object_release(object o)
{
    BX_RECORD(VG_(get_running_tid)(), BX_TRACE_RELEASE, 0, bx_time(), o.kind, o.id);
}
