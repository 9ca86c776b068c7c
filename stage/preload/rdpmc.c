/* Reads the counter from the stage's file dev/cpu/N/rdpmc, which decides whether it faults. */
#include "stage/preload/find_cpuid.h"

#include "stage/preload/preload.h"
#include "stage/preload/rdpmc.h"
#include "stage/preload/rdpmc_file.h"

#include <ucontext.h>

/* Linux: SIGSEGV with SI_KERNEL and address 0 for #GP (arch/x86/kernel/traps.c). */
static void fault(void *context, bx_preload_sigaction *action)
{
    siginfo_t info = {.si_signo = SIGSEGV, .si_code = SI_KERNEL};
    struct sigaction program, plain = {.sa_handler = SIG_DFL};
    action(SIGSEGV, NULL, &program);
    if (program.sa_flags & SA_SIGINFO) {
        program.sa_sigaction(SIGSEGV, &info, context);
    } else if (program.sa_handler != SIG_DFL && program.sa_handler != SIG_IGN) {
        program.sa_handler(SIGSEGV);
    } else {
        action(SIGSEGV, &plain, NULL);
        raise(SIGSEGV);
    }
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
