/* Traces threads with ptrace(2): patches their code after an exec, and emulates CPUID at SIGILL. */
#include "stage/calls/static_cpuid.h"

#include "stage/files/cpuid.h"
#include "stage/preload/find_cpuid.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    AT_EXEC = PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL,
    TRACE_ALL = AT_EXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK,
    LONG_MODE = 0x33, /* the code segment of 64-bit programs */
};

void bx_static_cpuid_before_exec(pid_t thread)
{
    ptrace(PTRACE_SEIZE, thread, 0, AT_EXEC);
}

/* If the execve() failed, no exec stop follows. This interrupt causes another stop, at which the
 * thread is detached. */
void bx_static_cpuid_after_exec(pid_t thread)
{
    ptrace(PTRACE_INTERRUPT, thread, 0, 0);
}

/* Whether the thread runs a 64-bit program without a loader. */
static bool is_static(pid_t thread)
{
    char file[48];
    struct user_regs_struct r;
    Elf64_auxv_t entry;
    bool found = false;
    if (ptrace(PTRACE_GETREGS, thread, 0, &r) != 0 || r.cs != LONG_MODE)
        return false;
    snprintf(file, sizeof file, "/proc/%d/auxv", thread);
    FILE *f = fopen(file, "re");
    while (f && !found && fread(&entry, sizeof entry, 1, f) == 1)
        found = entry.a_type == AT_BASE;
    if (f)
        fclose(f);
    return found && entry.a_un.a_val == 0;
}

/* ---- the program's code ---- */

static void patch_range(int memory, uint64_t from, size_t n)
{
    static const uint8_t patch_byte = BX_CPUID_PATCH;
    uint8_t *code = malloc(n);
    if (code && pread(memory, code, n, (off_t)from) == (ssize_t)n)
        for (size_t at = 0; (at = bx_next_cpuid(code, n, at)) < n; at += BX_CPUID_LENGTH)
            (void)!pwrite(memory, &patch_byte, 1, (off_t)(from + at));
    free(code);
}

static void patch(pid_t thread)
{
    char file[48], line[512], allowed[5];
    uint64_t from, to;
    snprintf(file, sizeof file, "/proc/%d/mem", thread);
    int memory = open(file, O_RDWR | O_CLOEXEC);
    snprintf(file, sizeof file, "/proc/%d/maps", thread);
    FILE *maps = fopen(file, "re");
    while (maps && memory >= 0 && fgets(line, sizeof line, maps))
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &from, &to, allowed) == 3 &&
            allowed[2] == 'x' && !strchr(line, '['))
            patch_range(memory, from, (size_t)(to - from));
    if (maps)
        fclose(maps);
    if (memory >= 0)
        close(memory);
}

/* ---- the instruction ---- */

/* Executes a patched CPUID. false: the signal has another cause. */
static bool emulate(const bx_static_cpuid *s, pid_t thread)
{
    siginfo_t info;
    struct user_regs_struct r;
    uint8_t code[BX_CPUID_LENGTH];
    const struct iovec here = {code, sizeof code};
    if (ptrace(PTRACE_GETSIGINFO, thread, 0, &info) != 0 || info.si_code <= 0 ||
        ptrace(PTRACE_GETREGS, thread, 0, &r) != 0)
        return false;
    const struct iovec there = {(void *)(uintptr_t)r.rip, sizeof code};
    if (process_vm_readv(thread, &here, 1, &there, 1, 0) != sizeof code ||
        !bx_is_patched_cpuid(code, sizeof code))
        return false;
    bx_cpuid to = bx_cpuid_of(s->topology, bx_affinity_cpu(s->affinity, thread), (uint32_t)r.rax,
                              (uint32_t)r.rcx);
    r.rax = to.eax;
    r.rbx = to.ebx;
    r.rcx = to.ecx;
    r.rdx = to.edx;
    r.rip += sizeof code;
    return ptrace(PTRACE_SETREGS, thread, 0, &r) == 0;
}

/* ---- stops ---- */

static void resume(pid_t thread, int number)
{
    ptrace(PTRACE_CONT, thread, 0, number);
}

/* The thread has executed another program. */
static void handle_exec(pid_t thread)
{
    if (!is_static(thread)) {
        ptrace(PTRACE_DETACH, thread, 0, 0);
        return;
    }
    ptrace(PTRACE_SETOPTIONS, thread, 0, TRACE_ALL);
    patch(thread);
    resume(thread, 0);
}

/* Three causes: the thread is new; bx_static_cpuid_after_exec() interrupted it; or a signal stops
 * its process. In the last case it stays stopped until SIGCONT, which causes another such stop. */
static void handle_stop(pid_t thread, int number)
{
    if (number != SIGTRAP)
        ptrace(PTRACE_LISTEN, thread, 0, 0);
    else if (is_static(thread))
        resume(thread, 0);
    else
        ptrace(PTRACE_DETACH, thread, 0, 0);
}

void bx_static_cpuid_stopped(const bx_static_cpuid *s, pid_t thread, int status)
{
    int event = status >> 16, number = WSTOPSIG(status);
    if (event == PTRACE_EVENT_EXEC)
        handle_exec(thread);
    else if (event == PTRACE_EVENT_STOP)
        handle_stop(thread, number);
    else if (event != 0 || (number == SIGILL && emulate(s, thread)))
        resume(thread, 0);
    else
        resume(thread, number);
}
