/* Emulates CPUID in dynamic programs, and lets rdpmc.c emulate RDPMC. Few CPUs can make CPUID
 * fault, so each of these instructions in the loaded code is replaced by an undefined one. The
 * handler of SIGILL sets the registers to the values that the stage's file dev/cpu/N/cpuid
 * contains. */
#include "stage/preload/find_cpuid.h"
#include "stage/preload/preload.h"
#include "stage/preload/rdpmc.h"

#include <dlfcn.h>
#include <errno.h>
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

enum { PAGE = 4096 };

static struct sigaction program_action; /* the program's own action at SIGILL */

static int real_sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    typedef int function(int, const struct sigaction *, struct sigaction *);
    static function *real;
    if (!real)
        *(void **)(void *)&real = dlsym(RTLD_NEXT, "sigaction");
    return real ? real(number, new, old) : -1;
}

/* ---- the instruction ---- */

static bool read_leaf(uint32_t leaf, uint32_t subleaf, uint32_t to[4])
{
    char file[48];
    snprintf(file, sizeof file, "/dev/cpu/%u/cpuid", bx_preload_cpu());
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    /* ECX is arbitrary for leaves without subleaves, but the offset must not be negative. */
    ssize_t n = pread(fd, to, 16, (off_t)((uint64_t)(subleaf & INT32_MAX) << 32 | leaf));
    close(fd);
    return n == 16;
}

static bool emulate(ucontext_t *context)
{
    greg_t *r = context->uc_mcontext.gregs;
    const uint8_t *code = (const uint8_t *)(uintptr_t)r[REG_RIP];
    uint32_t to[4];
    if (!bx_is_patched_cpuid(code, BX_CPUID_LENGTH) ||
        !read_leaf((uint32_t)r[REG_RAX], (uint32_t)r[REG_RCX], to))
        return false;
    r[REG_RAX] = to[0];
    r[REG_RBX] = to[1];
    r[REG_RCX] = to[2];
    r[REG_RDX] = to[3];
    r[REG_RIP] += BX_CPUID_LENGTH;
    return true;
}

static void on_sigill(int number, siginfo_t *info, void *context)
{
    int before = errno;
    bool emulated = emulate(context) || bx_preload_rdpmc(context, real_sigaction);
    errno = before;
    if (emulated)
        return;
    if (program_action.sa_flags & SA_SIGINFO)
        program_action.sa_sigaction(number, info, context);
    else if (program_action.sa_handler != SIG_DFL && program_action.sa_handler != SIG_IGN)
        program_action.sa_handler(number);
    else
        real_sigaction(number, &program_action, NULL); /* the next SIGILL ends the program */
}

/* ---- the code ---- */

static void patch(uint8_t *instruction)
{
    uint8_t *page = instruction - (uintptr_t)instruction % PAGE;
    if (mprotect(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return;
    *instruction = BX_CPUID_PATCH;
    mprotect(page, PAGE, PROT_READ | PROT_EXEC);
}

static int patch_object(struct dl_phdr_info *object, size_t size, void *own)
{
    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uint8_t *code = (uint8_t *)(uintptr_t)(object->dlpi_addr + part->p_vaddr);
        bool ours = (uintptr_t)own - (uintptr_t)code < part->p_memsz;
        if (part->p_type == PT_LOAD && part->p_flags & PF_X && !ours &&
            !strstr(object->dlpi_name, "vdso")) {
            for (size_t at = 0; (at = bx_next_cpuid(code, part->p_memsz, at)) < part->p_memsz;
                 at += BX_CPUID_LENGTH)
                patch(code + at);
            for (size_t at = 0; (at = bx_next_rdpmc(code, part->p_memsz, at)) < part->p_memsz;
                 at += BX_CPUID_LENGTH)
                patch(code + at);
        }
    }
    return 0;
}

static void patch_all(void)
{
    dl_iterate_phdr(patch_object, (void *)(uintptr_t)patch_all);
}

/* ---- the program's own use of SIGILL ---- */

EXPORT int sigaction(int number, const struct sigaction *restrict new,
                     struct sigaction *restrict old)
{
    if (number != SIGILL)
        return real_sigaction(number, new, old);
    struct sigaction before = program_action;
    if (new)
        program_action = *new;
    if (old)
        *old = before;
    return 0;
}

EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
    struct sigaction new = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    return sigaction(number, &new, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* Never blocks SIGILL: a blocked SIGILL would end the program at the next CPUID. */
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

/* Objects that are loaded later contain further CPUID instructions. */
EXPORT void *dlopen(const char *file, int flags)
{
    typedef void *function(const char *, int);
    function *real;
    *(void **)(void *)&real = dlsym(RTLD_NEXT, "dlopen");
    void *made = real(file, flags);
    if (made)
        patch_all();
    return made;
}

/* ---- start ---- */

__attribute__((constructor)) static void begin(void)
{
    const struct sigaction action = {.sa_sigaction = on_sigill,
                                     .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (access("/dev/cpu/0/cpuid", F_OK) != 0 ||
        real_sigaction(SIGILL, &action, &program_action) != 0)
        return; /* not on stage */
    patch_all();
}
