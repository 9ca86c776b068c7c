/* Reads the counter from the stage's file dev/cpu/N/rdpmc, which decides whether it faults. */
#include "stage/preload/find_cpuid.h"

#include "stage/preload/preload.h"
#include "stage/preload/rdpmc.h"
#include "stage/preload/rdpmc_file.h"

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static void end_by_signal(bx_preload_sigaction *action)
{
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGSEGV);
    action(SIGSEGV, &plain, NULL);
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &one, NULL, _NSIG / 8);
    raise(SIGSEGV);
}

/* Linux: SIGSEGV with SI_KERNEL and address 0 for #GP (arch/x86/kernel/traps.c). It ends a program
 * that blocks or ignores it. */
static void fault(ucontext_t *context, bx_preload_sigaction *action)
{
    siginfo_t info = {.si_signo = SIGSEGV, .si_code = SI_KERNEL};
    struct sigaction program;
    action(SIGSEGV, NULL, &program);
    bool handles = program.sa_handler != SIG_DFL && program.sa_handler != SIG_IGN;
    if (!handles || sigismember(&context->uc_sigmask, SIGSEGV))
        end_by_signal(action);
    else if (program.sa_flags & SA_SIGINFO)
        program.sa_sigaction(SIGSEGV, &info, context);
    else
        program.sa_handler(SIGSEGV);
}

bool bx_preload_rdpmc(void *context, bx_preload_sigaction *action)
{
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint8_t *code = (const uint8_t *)(uintptr_t)r[REG_RIP];
    uint64_t value;
    if (!bx_is_patched_rdpmc(code, BX_CPUID_LENGTH))
        return false;
    if (!bx_rdpmc_file_read(bx_preload_cpu(), (uint32_t)r[REG_RCX], &value)) {
        fault(context, action);
        return true;
    }
    r[REG_RAX] = (greg_t)(value & UINT32_MAX);
    r[REG_RDX] = (greg_t)(value >> 32);
    r[REG_RIP] += BX_CPUID_LENGTH;
    return true;
}
