/* Executes another program in the process's place: under the tracer, or untraced. */
#include "exec.h"

#include "core_calls.h"
#include "core_limits.h"
#include "core_program_limits.h"
#include "environment.h"
#include "objects.h"
#include "records.h"
#include "placement.h"
#include "ring.h"
#include "seccomp.h"
#include "socket.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "pub_tool_xarray.h"

#include <elf.h>

enum {
    PATH_ROOM = 4096,
    HEADER = 256, /* bytes of a file that the kernel searches for "#! interpreter" */
    SCRIPTS = 5,  /* most scripts that are interpreters of scripts */
    PARTS = 65536 / sizeof(Elf64_Phdr), /* most program headers of a file */
};

static HChar **arguments, **environment; /* of the exec call that has begun */
static HChar tool[PATH_ROOM];            /* path of the tracer */

void bx_exec_arguments(UWord argv, UWord env)
{
    arguments = (HChar **)argv;
    environment = (HChar **)env;
}

/* ---- which way ---- */

static Bool is_elf(const Elf64_Ehdr *file)
{
    return VG_(memcmp)(file->e_ident, ELFMAG, SELFMAG) == 0;
}

static Bool read_at(Int fd, ULong at, void *to, SizeT n)
{
    return bx_core_syscall(__NR_pread64, (UWord)fd, (UWord)to, n, at, 0, 0) == (Word)n;
}

/* The program interpreter of an ELF file, such as its dynamic loader: 0, or why it does not do. */
static UInt loader_error(Int fd, const Elf64_Phdr *part)
{
    static HChar path[PATH_ROOM];
    SizeT n = part->p_filesz;
    if (n < 2 || n > sizeof path)
        return VKI_ENOEXEC;
    if (!read_at(fd, part->p_offset, path, n))
        return VKI_EIO;
    return path[n - 1] ? VKI_ENOEXEC : bx_core_check_executable(path);
}

/* What the kernel refuses while the old program can still be told (Linux, fs/binfmt_elf.c,
 * load_elf_binary()): 0, or an errno. The next tracer would find it too late. */
static UInt elf_error(Int fd, const Elf64_Ehdr *file)
{
    Elf64_Phdr part;
    if ((file->e_type != ET_EXEC && file->e_type != ET_DYN) || file->e_phentsize != sizeof part ||
        file->e_phnum == 0 || file->e_phnum > PARTS)
        return VKI_ENOEXEC;
    for (UInt i = 0; i < file->e_phnum; i++) {
        if (!read_at(fd, file->e_phoff + i * sizeof part, &part, sizeof part))
            return VKI_ENOEXEC;
        if (part.p_type == PT_INTERP)
            return loader_error(fd, &part);
    }
    return 0;
}

static Bool has_other_ids(const HChar *path)
{
    struct vg_stat file;
    UChar value[64];
    return (!sr_isError(VG_(stat)(path, &file)) && file.mode & (VKI_S_ISUID | VKI_S_ISGID)) ||
           bx_core_syscall(__NR_getxattr, (UWord)path, (UWord) "security.capability", (UWord)value,
                           sizeof value, 0, 0) > 0;
}

/* Returns the interpreter of "#! interpreter option". */
static HChar *interpreter(HChar *header)
{
    HChar *from = header + 2;
    while (*from == ' ' || *from == '\t')
        from++;
    HChar *end = VG_(strpbrk)(from, " \t\n");
    if (end)
        *end = '\0';
    return from;
}

/* Why this program cannot be traced: enum bx_trace_untraced. 0: it can be traced, or *error says
 * why it cannot even be executed. */
static UInt why_not(const HChar *path, UInt scripts, UInt *error)
{
    HChar header[HEADER + 1] = "";
    *error = bx_core_check_executable(path);
    if (*error)
        return 0;
    if (has_other_ids(path))
        return BX_TRACE_SET_ID;
    SysRes file = VG_(open)(path, VKI_O_RDONLY, 0);
    if (sr_isError(file))
        return sr_Err(file) == VKI_EACCES ? BX_TRACE_UNREADABLE : 0;
    Int fd = (Int)sr_Res(file);
    Elf64_Ehdr elf;
    VG_(read)(fd, header, HEADER);
    VG_(memcpy)(&elf, header, sizeof elf);
    Bool foreign =
        is_elf(&elf) && (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_machine != EM_X86_64);
    if (is_elf(&elf) && !foreign)
        *error = elf_error(fd, &elf);
    VG_(close)(fd);
    if (header[0] == '#' && header[1] == '!' && scripts)
        return why_not(interpreter(header), scripts - 1, error);
    return foreign ? BX_TRACE_FOREIGN : 0;
}

/* ---- the new argument vector ---- */

static UInt count_words(HChar **words)
{
    UInt n = 0;
    while (words && words[n])
        n++;
    return n;
}

static HChar **append(HChar **to, const HChar *word)
{
    *to = (HChar *)(HWord)word; /* the words are not changed */
    return to + 1;
}

static Bool begins_with(const HChar *word, const HChar *with)
{
    return VG_(strncmp)(word, with, VG_(strlen)(with)) == 0;
}

/* This tracer's options, with the descriptors for the next one. */
static HChar **append_options(HChar **to, Int filters)
{
    static const HChar socket[] = "--socket-fd=", seccomp[] = "--seccomp-fd=",
                       limits[] = "--limits=", stack[] = "--main-stacksize=",
                       place[] = "--placement=";
    static HChar option[2][sizeof seccomp + 12], limits_option[sizeof limits + BX_LIMITS_OPTION],
        stack_option[sizeof stack + 24], place_option[sizeof place + BX_PLACEMENT_OPTION];
    for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_valgrind)); i++) {
        const HChar *word = *(HChar **)VG_(indexXA)(VG_(args_for_valgrind), i);
        if (!begins_with(word, socket) && !begins_with(word, seccomp) &&
            !begins_with(word, limits) && !begins_with(word, stack) && !begins_with(word, place))
            to = append(to, word);
    }
    VG_(strcpy)(limits_option, limits);
    bx_program_limits_write(limits_option + sizeof limits - 1);
    VG_(sprintf)
    (stack_option, "%s%ld", stack, bx_core_stack_bytes(bx_program_limits_stack().rlim_cur));
    VG_(strcpy)(place_option, place);
    bx_placement_write(VG_(get_running_tid)(), place_option + sizeof place - 1);
    to = append(append(append(to, limits_option), stack_option), place_option);
    VG_(sprintf)(option[0], "%s%d", socket, bx_socket_pass_on(True));
    VG_(sprintf)(option[1], "%s%d", seccomp, filters);
    to = append(to, option[0]);
    return filters < 0 ? to : append(to, option[1]);
}

/* A descriptor as a path, which the next tracer must be able to open even if the program's
 * descriptor is closed on exec: a copy above the program's descriptors, which stays open. */
static const HChar *lasting(const HChar *path)
{
    static const HChar folder[] = "/proc/self/fd/";
    static HChar copy[sizeof folder + 12];
    if (!begins_with(path, folder))
        return path;
    Word fd = bx_core_syscall(__NR_fcntl, VG_(strtoull10)(path + sizeof folder - 1, NULL),
                              VKI_F_DUPFD, 0, 0, 0, 0);
    if (fd < 0)
        return path;
    fd = bx_core_hide_fd((Int)fd);
    bx_core_syscall(__NR_fcntl, (UWord)fd, VKI_F_SETFD, 0, 0, 0, 0);
    VG_(sprintf)(copy, "%s%ld", folder, fd);
    return copy;
}

/* A name without a slash is in the present folder, but the tracer would search for it in PATH. */
static const HChar *with_slash(const HChar *path)
{
    static HChar local[PATH_ROOM];
    if (VG_(strchr)(path, '/') || VG_(strlen)(path) > sizeof local - 3)
        return path;
    VG_(sprintf)(local, "./%s", path);
    return local;
}

static HChar **traced_arguments(const HChar *path, Int filters)
{
    UInt n = count_words(arguments);
    HChar **all =
        VG_(malloc)("bx.exec", ((UInt)VG_(sizeXA)(VG_(args_for_valgrind)) + n + 10) * sizeof *all);
    HChar **to = append_options(append(all, tool), filters);
    to = append(append(to, "--"), with_slash(lasting(path)));
    for (UInt i = 1; i < n; i++)
        to = append(to, arguments[i]);
    *to = NULL;
    return all;
}

/* ---- exec ---- */

static UInt execute(ThreadId tid, const HChar *path, HChar **argv, HChar **env, Bool traced)
{
    static bx_core_state old; /* static, because it is large for a stack */
    bx_core_state_give(tid, &old);
    bx_program_limits_give(traced);
    if (!traced)
        bx_seccomp_install(tid);
    Word r = bx_core_syscall(__NR_execve, (UWord)path, (UWord)argv, (UWord)env, 0, 0, 0);
    bx_core_state_take_back(&old);
    bx_program_limits_take_back();
    return (UInt)-r;
}

static UWord auxiliary_bytes(void)
{
    static HChar bytes[PATH_ROOM];
    SysRes file = VG_(open)("/proc/self/auxv", VKI_O_RDONLY, 0);
    if (sr_isError(file))
        return 0;
    Int n = VG_(read)((Int)sr_Res(file), bytes, sizeof bytes);
    VG_(close)((Int)sr_Res(file));
    return n < 0 ? 0 : (UWord)n;
}

/* Adds the variable of environment.h, in the size that this program's arguments need. words: the
 * argument vector from the program's name on. */
static void pad(HChar ***env, HChar **words)
{
    bx_trace_stack stack = {0, 0, 0};
    for (HChar **from = *env; from && *from; from++)
        if (!bx_trace_is_padding(*from)) /* environment.h counts this variable itself */
            bx_trace_stack_add(&stack, *from);
    for (HChar **word = words; *word; word++)
        bx_trace_stack_add(&stack, *word);
    UWord dots = bx_trace_stack_dots(&stack, words[0], auxiliary_bytes());
    HChar *value = VG_(malloc)("bx.exec", dots + 1);
    VG_(memset)(value, '.', dots);
    value[dots] = '\0';
    bx_core_environment_add(env, BX_TRACE_PADDING_NAME, value);
    VG_(free)(value);
}

static HChar **behind_dashes(HChar **argv)
{
    while (VG_(strcmp)(*argv, "--") != 0)
        argv++;
    return argv + 1;
}

static UInt execute_traced(ThreadId tid, const HChar *path)
{
    Int filters = bx_seccomp_pass_on(tid);
    HChar **argv = traced_arguments(path, filters), **env = bx_core_environment(environment);
    pad(&env, behind_dashes(argv));
    bx_core_environment_add(&env, "VALGRIND_LAUNCHER", tool);
    UInt error = execute(tid, tool, argv, env, True);
    VG_(free)(argv);
    if (filters >= 0)
        VG_(close)(filters);
    return error;
}

static UInt execute_untraced(ThreadId tid, const HChar *path)
{
    bx_socket_pass_on(False);
    return execute(tid, path, arguments, bx_core_environment(environment), False);
}

/* Valgrind reads its mappings when it begins, and ends if there is no /proc, or that of another PID
 * namespace. */
static Bool can_start_tracer(void)
{
    SysRes maps = VG_(open)("/proc/self/maps", VKI_O_RDONLY, 0);
    if (!sr_isError(maps))
        VG_(close)((Int)sr_Res(maps));
    return !sr_isError(maps) && bx_core_check_executable(tool) == 0;
}

UInt bx_exec(const HChar *path)
{
    ThreadId tid = VG_(get_running_tid)();
    UInt error, why = why_not(path, SCRIPTS, &error);
    if (!why && !error)
        error = bx_core_real_check(path);
    if (error)
        return error;
    if (bx_ring_is_let_go())
        return execute_untraced(tid, path);
    if (!why && !can_start_tracer())
        why = BX_TRACE_OUT_OF_REACH;
    bx_objects_of_process(0, ~0U, True, bx_object_release);
    if (why)
        bx_record_path(tid, BX_TRACE_UNTRACED, why, path);
    bx_record_end(BX_TRACE_END_EXEC);
    error = why ? execute_untraced(tid, path) : execute_traced(tid, path);
    bx_socket_keep();
    return error;
}

void bx_exec_setup(void)
{
    SSizeT n = VG_(readlink)("/proc/self/exe", tool, sizeof tool - 1);
    tool[n > 0 ? n : 0] = '\0';
    bx_core_set_exec(bx_exec);
}
