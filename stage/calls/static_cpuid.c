/* Traces threads with ptrace(2): patches their code after an exec, and emulates CPUID and RDPMC at
 * SIGILL. */
#include "stage/calls/static_cpuid.h"

#include "stage/files/cpuid.h"
#include "stage/preload/find_cpuid.h"
#include "stage/preload/rdpmc_file.h"

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
    size_t (*const next[])(const uint8_t *, size_t, size_t) = {bx_next_cpuid, bx_next_rdpmc};
    uint8_t *code = malloc(n);
    if (code && pread(memory, code, n, (off_t)from) == (ssize_t)n)
        for (size_t i = 0; i < sizeof next / sizeof *next; i++)
            for (size_t at = 0; (at = next[i](code, n, at)) < n; at += BX_CPUID_LENGTH)
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

/* ---- the instructions ---- */

static void execute_cpuid(const bx_static_cpuid *s, unsigned cpu, struct user_regs_struct *r)
{
    bx_cpuid to = bx_cpuid_of(s->topology, cpu, (uint32_t)r->rax, (uint32_t)r->rcx);
    r->rax = to.eax;
    r->rbx = to.ebx;
    r->rcx = to.ecx;
    r->rdx = to.edx;
}

/* false: it faults. The stage serves the file from another process than this one. */
static bool execute_rdpmc(unsigned cpu, struct user_regs_struct *r)
{
    uint64_t value;
    if (!bx_rdpmc_file_read(cpu, (uint32_t)r->rcx, &value))
        return false;
    r->rax = value & UINT32_MAX;
    r->rdx = value >> 32;
    return true;
}

/* Whether the thread blocks SIGSEGV, or its process ignores it. */
static bool is_kept_out(pid_t thread)
{
    const uint64_t bit = UINT64_C(1) << (SIGSEGV - 1);
    char file[48], line[256];
    uint64_t set;
    bool found = false;
    snprintf(file, sizeof file, "/proc/%d/status", thread);
    FILE *f = fopen(file, "re");
    while (f && !found && fgets(line, sizeof line, f))
        found = (sscanf(line, "SigBlk: %" SCNx64, &set) == 1 ||
                 sscanf(line, "SigIgn: %" SCNx64, &set) == 1) &&
                set & bit;
    if (f)
        fclose(f);
    return found;
}

/* The signal of Linux for #GP (arch/x86/kernel/traps.c). Where SIGSEGV is blocked or ignored, Linux
 * ends the process by it: so does a fault of the host at an address that there cannot be. Returns
 * the signal with which the thread goes on. */
static int fault(pid_t thread, struct user_regs_struct *r)
{
    siginfo_t info = {.si_signo = SIGSEGV, .si_code = SI_KERNEL};
    if (!is_kept_out(thread))
        return ptrace(PTRACE_SETSIGINFO, thread, 0, &info) == 0 ? SIGSEGV : SIGILL;
    r->rip = UINT64_C(1) << 63;
    return ptrace(PTRACE_SETREGS, thread, 0, r) == 0 ? 0 : SIGILL;
}

/* Executes a patched instruction at a SIGILL. Returns the signal with which the thread goes on:
 * SIGILL if that has another cause; 0: none. */
static int emulate(const bx_static_cpuid *s, pid_t thread)
{
    siginfo_t info;
    struct user_regs_struct r;
    uint8_t code[BX_CPUID_LENGTH];
    const struct iovec here = {code, sizeof code};
    if (ptrace(PTRACE_GETSIGINFO, thread, 0, &info) != 0 || info.si_code <= 0 ||
        ptrace(PTRACE_GETREGS, thread, 0, &r) != 0)
        return SIGILL;
    const struct iovec there = {(void *)(uintptr_t)r.rip, sizeof code};
    if (process_vm_readv(thread, &here, 1, &there, 1, 0) != sizeof code)
        return SIGILL;
    unsigned cpu = bx_affinity_cpu(s->affinity, thread);
    if (bx_is_patched_cpuid(code, sizeof code))
        execute_cpuid(s, cpu, &r);
    else if (!bx_is_patched_rdpmc(code, sizeof code))
        return SIGILL;
    else if (!execute_rdpmc(cpu, &r))
        return fault(thread, &r);
    r.rip += sizeof code;
    return ptrace(PTRACE_SETREGS, thread, 0, &r) == 0 ? 0 : SIGILL;
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
    else if (event != 0)
        resume(thread, 0);
    else
        resume(thread, number == SIGILL ? emulate(s, thread) : number);
}
