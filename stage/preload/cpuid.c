/* CPUs that let a program's CPUID fault are rare. So each CPUID instruction of what is loaded is
 * made an undefined one, of which a signal comes; the handler does what the instruction would, with
 * the registers that the stage's file dev/cpu/N/cpuid gives. */
#include "stage/preload/length.h"
#include "stage/preload/preload.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { MOST_CPUS = 1024, PAGE = 4096 };

static struct sigaction theirs; /* what the program wants to be done at SIGILL */
static unsigned cpus = 1;

unsigned bx_preload_cpus(void)
{
    return cpus;
}

static int real_sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    typedef int function(int, const struct sigaction *, struct sigaction *);
    static function *real;
    if (!real)
        *(void **)(void *)&real = dlsym(RTLD_NEXT, "sigaction");
    return real ? real(number, new, old) : -1;
}

/* ---- the instruction ---- */

static bool ask(uint32_t leaf, uint32_t subleaf, uint32_t to[4])
{
    char file[48];
    snprintf(file, sizeof file, "/dev/cpu/%u/cpuid", bx_preload_cpu());
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    /* Most leaves have no subleaf, and ECX holds anything; an offset must not be negative. */
    ssize_t n = pread(fd, to, 16, (off_t)((uint64_t)(subleaf & INT32_MAX) << 32 | leaf));
    close(fd);
    return n == 16;
}

static bool execute(ucontext_t *context)
{
    greg_t *r = context->uc_mcontext.gregs;
    const uint8_t *code = (const uint8_t *)(uintptr_t)r[REG_RIP];
    uint32_t to[4];
    if (code[0] != 0x0f || code[1] != 0x0b || !ask((uint32_t)r[REG_RAX], (uint32_t)r[REG_RCX], to))
        return false;
    r[REG_RAX] = to[0];
    r[REG_RBX] = to[1];
    r[REG_RCX] = to[2];
    r[REG_RDX] = to[3];
    r[REG_RIP] += 2;
    return true;
}

static void at_fault(int number, siginfo_t *info, void *context)
{
    if (execute(context))
        return;
    if (theirs.sa_flags & SA_SIGINFO)
        theirs.sa_sigaction(number, info, context);
    else if (theirs.sa_handler != SIG_DFL && theirs.sa_handler != SIG_IGN)
        theirs.sa_handler(number);
    else
        real_sigaction(number, &theirs, NULL); /* it happens again, and ends the program */
}

/* ---- the code ---- */

static void make_undefined(uint8_t *instruction)
{
    uintptr_t page = (uintptr_t)instruction / PAGE * PAGE;
    size_t n = (uintptr_t)instruction + 2 - page;
    if (mprotect((void *)page, n, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return;
    instruction[1] = 0x0b;
    mprotect((void *)page, n, PROT_READ | PROT_EXEC);
}

void bx_preload_disarm(uint8_t *code, size_t n)
{
    for (size_t at = 0; at < n;) {
        size_t length = bx_instruction_length(code + at, n - at);
        if (length == 2 && code[at] == 0x0f && code[at + 1] == 0xa2)
            make_undefined(code + at);
        at += length ? length : 1;
    }
}

static int visit(struct dl_phdr_info *object, size_t size, void *own)
{
    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uint8_t *code = (uint8_t *)(uintptr_t)(object->dlpi_addr + part->p_vaddr);
        bool ours = (uintptr_t)own - (uintptr_t)code < part->p_memsz;
        if (part->p_type == PT_LOAD && part->p_flags & PF_X && !ours &&
            !strstr(object->dlpi_name, "vdso"))
            bx_preload_disarm(code, part->p_memsz);
    }
    return 0;
}

static void disarm_all(void)
{
    dl_iterate_phdr(visit, (void *)(uintptr_t)disarm_all);
}

/* ---- the program's own dealings with the signal ---- */

EXPORT int sigaction(int number, const struct sigaction *restrict new,
                     struct sigaction *restrict old)
{
    if (number != SIGILL)
        return real_sigaction(number, new, old);
    struct sigaction before = theirs;
    if (new)
        theirs = *new;
    if (old)
        *old = before;
    return 0;
}

EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
    struct sigaction new = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    return sigaction(number, &new, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* While it is blocked the signal would end the program. */
static int mask_with(const char *name, int how, const sigset_t *set, sigset_t *old)
{
    typedef int function(int, const sigset_t *, sigset_t *);
    function *real;
    sigset_t ours;
    *(void **)(void *)&real = dlsym(RTLD_NEXT, name);
    if (set) {
        ours = *set;
        if (how != SIG_UNBLOCK)
            sigdelset(&ours, SIGILL);
    }
    return real(how, set ? &ours : NULL, old);
}

EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    return mask_with("sigprocmask", how, set, old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    return mask_with("pthread_sigmask", how, set, old);
}

/* What is loaded later has instructions of its own. */
EXPORT void *dlopen(const char *file, int flags)
{
    typedef void *function(const char *, int);
    function *real;
    *(void **)(void *)&real = dlsym(RTLD_NEXT, "dlopen");
    void *made = real(file, flags);
    if (made)
        disarm_all();
    return made;
}

/* ---- the beginning ---- */

static void count_cpus(void)
{
    char file[48];
    for (cpus = 0; cpus < MOST_CPUS; cpus++) {
        snprintf(file, sizeof file, "/dev/cpu/%u/cpuid", cpus);
        if (access(file, F_OK) != 0)
            break;
    }
}

__attribute__((constructor)) static void begin(void)
{
    const struct sigaction action = {.sa_sigaction = at_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    count_cpus();
    if (cpus == 0 || real_sigaction(SIGILL, &action, &theirs) != 0)
        return; /* not on stage */
    disarm_all();
}
