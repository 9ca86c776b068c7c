/* Shows the machine's CPUs and memory nodes in the kernel's files. */
#include "shown_files.h"

#include "core_calls.h"
#include "core_limits.h"
#include "numa_maps.h"
#include "placement.h"
#include "shown_cpus.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum { CLOSED_ON_EXEC = 02000000, DIRECTORY = 0200000 }; /* O_CLOEXEC, O_DIRECTORY */
enum { NO_DIRECTORY = -100 };                            /* AT_FDCWD */
enum { STATX = 332, FACCESSAT2 = 439 };                  /* which older headers of Valgrind lack */
enum { TEXT = 1024, LINE = 4096, PATH = 80 };

/* A file's text, while it is made. */
static HChar text[TEXT];
static UInt used;

#define ADD(...) (used += VG_(snprintf)(text + used, TEXT - used, __VA_ARGS__))

/* ---- contents ---- */

static void add_list(Int n, ULong mask)
{
    used += bx_shown_list(text + used, TEXT - used, n, mask);
}

static void add_mask(Int n, ULong mask)
{
    used += bx_shown_mask(text + used, TEXT - used, n, mask);
}

/* A node has its part of the 16 GiB of the machine, and the program finds it free: what it uses is
 * known to the model alone. */
static void add_memory(Int node)
{
    ULong kib = (16ULL << 20) / (ULong)bx_placement_nodes;
    ADD("Node %d MemTotal:       %llu kB\nNode %d MemFree:        %llu kB\n"
        "Node %d MemUsed:        0 kB\n",
        node, kib, node, kib, node);
}

/* Linux's distances where a firmware tells none: include/linux/topology.h. */
static void add_distances(Int from)
{
    for (Int i = 0; i < bx_placement_nodes; i++)
        ADD("%d%s", i == from ? 10 : 20, i + 1 < bx_placement_nodes ? " " : "\n");
}

static void add_all_cpus(void)
{
    add_list(bx_placement_all_cpus, ~0ULL);
}

/* ---- files in place of the host's ---- */

static void write_text(Int fd)
{
    VG_(write)(fd, text, (Int)used);
    used = 0;
}

static void write_cpus(Int fd, Int from, ThreadId tid)
{
    (void)from;
    (void)tid;
    add_all_cpus();
    write_text(fd);
}

static void write_cpuinfo(Int fd, Int from, ThreadId tid)
{
    (void)from;
    (void)tid;
    for (Int i = 0; i < bx_placement_all_cpus; i++) {
        ADD("processor\t: %d\nvendor_id\t: GenuineIntel\nmodel name\t: boxscore\n\n", i);
        write_text(fd);
    }
}

/* Writes the line, or what the program finds in its place. */
static void write_line(Int fd, const HChar *line, UInt n, ThreadId tid)
{
    Int cpus = bx_placement_all_cpus, nodes = bx_placement_nodes;
    if (!VG_(strncmp)(line, "Cpus_allowed:", 13)) {
        ADD("Cpus_allowed:\t");
        add_mask(cpus, bx_placement_cpus(tid));
    } else if (!VG_(strncmp)(line, "Cpus_allowed_list:", 18)) {
        ADD("Cpus_allowed_list:\t");
        add_list(cpus, bx_placement_cpus(tid));
    } else if (nodes && !VG_(strncmp)(line, "Mems_allowed:", 13)) {
        ADD("Mems_allowed:\t");
        add_mask(nodes, ~0ULL);
    } else if (nodes && !VG_(strncmp)(line, "Mems_allowed_list:", 18)) {
        ADD("Mems_allowed_list:\t");
        add_list(nodes, ~0ULL);
    } else {
        VG_(write)(fd, line, (Int)n);
        return;
    }
    write_text(fd);
}

/* /proc/self/status: the kernel's, except for the CPUs and nodes. */
static void write_status(Int fd, Int from, ThreadId tid)
{
    static HChar line[LINE];
    UInt n = 0;
    while (n < LINE - 1 && VG_(read)(from, line + n, 1) == 1) {
        if (line[n++] != '\n')
            continue;
        write_line(fd, line, n, tid);
        n = 0;
    }
    VG_(write)(fd, line, (Int)n);
}

static Int new_file(UWord flags)
{
    return (Int)bx_core_syscall(__NR_memfd_create, (UWord) "shown", (flags & CLOSED_ON_EXEC) != 0,
                                0, 0, 0, 0);
}

/* Replaces the file that the program has opened by another one. */
static void replace(ThreadId tid, Int fd, UWord flags, void (*write)(Int fd, Int from, ThreadId))
{
    Int made = new_file(0);
    if (made < 0)
        return;
    if (bx_core_lift_files(1 << 20)) { /* more than enough for any of the files */
        write(made, fd, tid);
        VG_(lseek)(made, 0, VKI_SEEK_SET);
        bx_core_syscall(__NR_dup3, (UWord)made, (UWord)fd, flags & CLOSED_ON_EXEC, 0, 0, 0);
    }
    bx_core_limit_files();
    VG_(close)(made);
}

/* Whether it is the file of that name of this process in /proc. */
static Bool is_own(const HChar *path, const HChar *name)
{
    static const HChar *const folders[] = {"self", "thread-self"};
    HChar own[PATH];
    VG_(sprintf)(own, "/proc/%d/%s", VG_(getpid)(), name);
    if (!VG_(strcmp)(path, own))
        return True;
    for (UInt i = 0; i < 2; i++) {
        VG_(sprintf)(own, "/proc/%s/%s", folders[i], name);
        if (!VG_(strcmp)(path, own))
            return True;
    }
    return False;
}

void bx_shown_files_opened(ThreadId tid, const HChar *path, UWord flags, Int fd)
{
    static const struct {
        const HChar *path;
        void (*write)(Int fd, Int from, ThreadId tid);
    } files[] = {
        {"/sys/devices/system/cpu/online", write_cpus},
        {"/sys/devices/system/cpu/possible", write_cpus},
        {"/sys/devices/system/cpu/present", write_cpus},
        {"/proc/cpuinfo", write_cpuinfo},
    };
    for (UInt i = 0; i < sizeof files / sizeof *files; i++)
        if (!VG_(strcmp)(path, files[i].path))
            replace(tid, fd, flags, files[i].write);
    if (is_own(path, "status"))
        replace(tid, fd, flags, write_status);
}

/* ---- /sys/devices/system/node ---- */

static const HChar nodes_folder[] = "/sys/devices/system/node";
static const HChar *const lists[] = {"online", "possible", "has_cpu", "has_memory",
                                     "has_normal_memory"};
static const HChar *const of_node[] = {"cpumap", "cpulist", "meminfo", "distance"};
enum { LISTS = sizeof lists / sizeof *lists, FILES = sizeof of_node / sizeof *of_node };
enum { ALL_NODES = -1 };

/* What a path names. */
typedef struct place {
    Bool folder;
    Int node;    /* or ALL_NODES */
    Int which;   /* of lists or of_node; -1: there is no such file */
    Bool of_cpu; /* it is this file, and `which` is from there */
    bx_shown_cpu cpu;
} place;

static Int index_named(const HChar *name, const HChar *const *all, Int n)
{
    Int i = 0;
    while (i < n && VG_(strcmp)(name, all[i]))
        i++;
    return i < n ? i : -1;
}

/* rest: after the slash of the folder of all nodes. */
static place place_in(const HChar *rest)
{
    HChar *end;
    if (!*rest)
        return (place){.folder = True, .node = ALL_NODES};
    if (VG_(strncmp)(rest, "node", 4))
        return (place){.node = ALL_NODES, .which = index_named(rest, lists, LISTS)};
    Long node = VG_(strtoll10)(rest + 4, &end);
    if (end == rest + 4 || node < 0 || node >= bx_placement_nodes || (*end && *end != '/'))
        return (place){.node = ALL_NODES, .which = -1};
    if (!*end || !end[1])
        return (place){.folder = True, .node = (Int)node};
    return (place){.node = (Int)node, .which = index_named(end + 1, of_node, FILES)};
}

/* False: the path is not short. It may be at the end of what can be read. */
static Bool copy_path(UWord path, HChar copy[PATH])
{
    UInt i = 0;
    if (!path)
        return False;
    do {
        if ((i == 0 || (path + i) % VKI_PAGE_SIZE == 0) &&
            !VG_(am_is_valid_for_client)(path + i, 1, VKI_PROT_READ))
            return False;
        copy[i] = *(const HChar *)(path + i);
    } while (copy[i] && ++i < PATH);
    return i < PATH;
}

/* False: the path is of no node, and of no CPU's topology. */
static Bool is_place(UWord path, place *p)
{
    HChar copy[PATH];
    bx_shown_cpu cpu;
    const UInt n = sizeof nodes_folder - 1;
    if (!copy_path(path, copy))
        return False;
    if (bx_shown_cpu_at(copy, &cpu)) {
        *p = (place){.which = cpu.which, .of_cpu = True, .cpu = cpu};
        return True;
    }
    if (VG_(strncmp)(copy, nodes_folder, n) || (copy[n] && copy[n] != '/'))
        return False;
    *p = place_in(copy[n] ? copy + n + 1 : copy + n);
    return True;
}

static void add_file(const place *p)
{
    if (p->of_cpu) {
        used += bx_shown_cpu_text(&p->cpu, text + used, TEXT - used);
        return;
    }
    if (p->node == ALL_NODES) {
        add_list(bx_placement_nodes, ~0ULL);
        return;
    }
    switch (p->which) {
    case 0:
        add_mask(bx_placement_all_cpus, bx_shown_cpus_of(p->node));
        break;
    case 1:
        add_list(bx_placement_all_cpus, bx_shown_cpus_of(p->node));
        break;
    case 2:
        add_memory(p->node);
        break;
    default:
        add_distances(p->node);
        break;
    }
}

static Word open_file(const place *p, UWord flags)
{
    Int fd = new_file(flags);
    if (fd < 0)
        return fd;
    if (bx_core_lift_files(TEXT)) {
        add_file(p);
        write_text(fd);
        VG_(lseek)(fd, 0, VKI_SEEK_SET);
    }
    bx_core_limit_files();
    return fd;
}

/* ---- /proc/self/numa_maps ---- */

static Bool is_numa_maps(UWord path)
{
    HChar copy[PATH];
    return copy_path(path, copy) && is_own(copy, "numa_maps");
}

static Word open_numa_maps(ThreadId tid, UWord flags)
{
    SizeT n;
    if (flags & VKI_O_ACCMODE)
        return -VKI_EACCES;
    HChar *all = bx_numa_maps_text(tid, &n);
    Int fd = new_file(flags);
    if (fd >= 0 && bx_core_lift_files(n)) {
        VG_(write)(fd, all, (Int)n);
        VG_(lseek)(fd, 0, VKI_SEEK_SET);
    }
    bx_core_limit_files();
    VG_(free)(all);
    return fd;
}

/* ---- folders ---- */

/* Folders that the program has open: descriptors of the root folder, whose entries are others. */
static struct open_folder {
    Int fd; /* 0: free */
    Int node;
    Bool read;
} folders[8];
enum { FOLDERS = sizeof folders / sizeof *folders };

static struct open_folder *folder_at(UWord fd)
{
    for (UInt i = 0; fd && i < FOLDERS; i++)
        if (folders[i].fd == (Int)fd)
            return &folders[i];
    return NULL;
}

static Word open_folder(const place *p, UWord flags)
{
    UInt i = 0;
    while (i < FOLDERS && folders[i].fd)
        i++;
    if (i == FOLDERS)
        return -VKI_EMFILE;
    Word fd = bx_core_syscall(__NR_openat, (UWord)NO_DIRECTORY, (UWord) "/",
                              DIRECTORY | (flags & CLOSED_ON_EXEC), 0, 0, 0);
    if (fd > 0)
        folders[i] = (struct open_folder){(Int)fd, p->node, False};
    return fd;
}

static Word open_place(const place *p, UWord flags)
{
    if (flags & VKI_O_ACCMODE)
        return -VKI_EACCES;
    if (p->folder)
        return open_folder(p, flags);
    if (p->which < 0)
        return -VKI_ENOENT;
    return flags & DIRECTORY ? -VKI_ENOTDIR : open_file(p, flags);
}

/* struct linux_dirent64 of getdents64(2) */
typedef struct entry {
    ULong inode, next;
    UShort bytes;
    UChar type; /* DT_DIR, DT_REG */
    HChar name[29];
} entry;
_Static_assert(sizeof(entry) == 48, "as the kernel lays it out, with names of 28 bytes");
enum { OF_FOLDER = 4, OF_FILE = 8 };

static void add_dirent(entry *to, UInt *n, UChar type, const HChar *name)
{
    to[*n] = (entry){.inode = *n + 1, .next = *n + 1, .bytes = sizeof *to, .type = type};
    VG_(strncpy)(to[*n].name, name, sizeof to->name - 1);
    ++*n;
}

static Word read_folder(struct open_folder *f, UWord at, UWord bytes)
{
    static entry all[2 + LISTS + 64];
    HChar name[PATH];
    UInt n = 0;
    if (f->read)
        return 0;
    add_dirent(all, &n, OF_FOLDER, ".");
    add_dirent(all, &n, OF_FOLDER, "..");
    for (UInt i = 0; i < (f->node == ALL_NODES ? LISTS : FILES); i++)
        add_dirent(all, &n, OF_FILE, f->node == ALL_NODES ? lists[i] : of_node[i]);
    for (Int i = 0; f->node == ALL_NODES && i < bx_placement_nodes; i++) {
        VG_(sprintf)(name, "node%d", i);
        add_dirent(all, &n, OF_FOLDER, name);
    }
    if (bytes < n * sizeof *all)
        return -VKI_EINVAL;
    if (!VG_(am_is_valid_for_client)(at, n * sizeof *all, VKI_PROT_WRITE))
        return -VKI_EFAULT;
    VG_(memcpy)((void *)at, all, n * sizeof *all);
    f->read = True;
    return (Word)(n * sizeof *all);
}

static void done(bx_core_answer *to, Word result)
{
    to->way = BX_CORE_DONE;
    to->result = result;
}

/* Which argument of a call that looks at a file is its path; -1: it is another call. */
static Int path_of(UWord number)
{
    switch (number) {
    case __NR_stat:
    case __NR_lstat:
    case __NR_access:
        return 0;
    case __NR_newfstatat:
    case __NR_faccessat:
    case STATX:
    case FACCESSAT2:
        return 1;
    default:
        return -1;
    }
}

/* Calls that look at a file look at one of the same kind. */
static void look(const bx_core_call *call, const place *p, UInt path, bx_core_answer *to)
{
    if (!p->folder && p->which < 0) {
        done(to, -VKI_ENOENT);
        return;
    }
    UWord a[6];
    VG_(memcpy)(a, call->argument, sizeof a);
    a[path] = (UWord)(p->folder ? "/" : "/proc/self/status");
    done(to, bx_core_syscall((UWord)call->number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

void bx_shown_files_take(ThreadId tid, const bx_core_call *call, bx_core_answer *to)
{
    const UWord *a = call->argument;
    struct open_folder *f;
    Int path = path_of((UWord)call->number);
    place p;
    if (!bx_placement_nodes)
        return;
    if (path >= 0 && is_place(a[path], &p))
        look(call, &p, (UInt)path, to);
    else if (call->number == __NR_open && is_numa_maps(a[0]))
        done(to, open_numa_maps(tid, a[1]));
    else if (call->number == __NR_openat && is_numa_maps(a[1]))
        done(to, open_numa_maps(tid, a[2]));
    else if (call->number == __NR_open && is_place(a[0], &p))
        done(to, open_place(&p, a[1]));
    else if (call->number == __NR_openat && is_place(a[1], &p))
        done(to, open_place(&p, a[2]));
    else if (call->number == __NR_getdents64 && (f = folder_at(a[0])))
        done(to, read_folder(f, a[1], a[2]));
    else if (call->number == __NR_lseek && (f = folder_at(a[0])))
        f->read = a[1] != 0;
    else if (call->number == __NR_close && (f = folder_at(a[0])))
        f->fd = 0;
    else if ((call->number == __NR_dup2 || call->number == __NR_dup3) && (f = folder_at(a[1])))
        f->fd = 0;
}
