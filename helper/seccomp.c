/* The seccomp filter: the system calls that serving clients needs. */
#include "helper/rights.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__ILP32__)
#error "the x32 interface has other system calls"
#elif defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_I386
#endif

#define LOAD(member)                                                                               \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, member))
#define ALLOW        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
/* Allows the call. */
#define CALL(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), ALLOW
/* Allows the call if the test of the low half of argument `n` has the result `pass`. */
#define CALL_WITH(number, n, test, wanted, pass)                                                   \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 4), LOAD(args[n]),                            \
        BPF_JUMP(BPF_JMP | (test) | BPF_K, (wanted), (pass), !(pass)), REFUSE, ALLOW

static int install(const struct sock_filter *filter, size_t n)
{
    struct sock_fprog program = {.len = (unsigned short)n};
    memcpy(&program.filter, &filter, sizeof filter); /* the kernel does not write there */
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

int bx_rights_seal(int journal, bx_error *e)
{
    const struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        REFUSE,
        LOAD(nr),
        /* registers, the journal, and locks */
        CALL(SYS_pread64),
        CALL(SYS_pwrite64),
        CALL(SYS_flock),
        CALL(SYS_fstat), /* whether a file still has its name */
        /* clients */
        CALL(SYS_poll),
        CALL(SYS_ppoll),
        CALL(SYS_accept4),
        CALL(SYS_recvmsg),
        CALL(SYS_recvfrom),
        CALL(SYS_sendto),
        CALL(SYS_sendmsg),
        CALL(SYS_getsockopt),
        CALL(SYS_close),
#ifdef SYS_socketcall
        CALL(SYS_socketcall), /* its arguments are in memory: the filter cannot check them */
#endif
#ifdef SYS_ppoll_time64
        CALL(SYS_ppoll_time64),
        CALL(SYS_clock_gettime64),
#endif
        /* signals, messages, memory, the end */
        CALL(SYS_read),
        CALL(SYS_rt_sigreturn),
        CALL(SYS_rt_sigprocmask),
        CALL(SYS_restart_syscall),
        CALL(SYS_futex),
        CALL(SYS_brk),
        CALL(SYS_munmap),
        CALL(SYS_madvise),
        CALL(SYS_mremap),
        CALL(SYS_getpid),
        CALL(SYS_getcpu), /* this and the time are system calls where the vDSO has no answer */
        CALL(SYS_clock_gettime),
        CALL(SYS_wait4),
#ifdef __SANITIZE_ADDRESS__
        CALL(SYS_sigaltstack), /* AddressSanitizer removes its own at the end */
#endif
        CALL(SYS_exit),
        CALL(SYS_exit_group),
        CALL_WITH(SYS_write, 0, BPF_JEQ, STDERR_FILENO, 1),
        CALL_WITH(SYS_fsync, 0, BPF_JEQ, (uint32_t)journal, 1),
        CALL_WITH(SYS_ftruncate, 0, BPF_JEQ, (uint32_t)journal, 1),
#ifdef SYS_newfstatat
        CALL_WITH(SYS_newfstatat, 3, BPF_JEQ, AT_EMPTY_PATH, 1), /* fstat() */
#endif
#ifdef SYS_fstatat64
        CALL_WITH(SYS_fstatat64, 3, BPF_JEQ, AT_EMPTY_PATH, 1),
#endif
#ifdef SYS_ftruncate64
        CALL_WITH(SYS_ftruncate64, 0, BPF_JEQ, (uint32_t)journal, 1),
#endif
        CALL_WITH(SYS_mmap, 2, BPF_JSET, PROT_EXEC, 0),
#ifdef SYS_mmap2
        CALL_WITH(SYS_mmap2, 2, BPF_JSET, PROT_EXEC, 0),
#endif
        REFUSE,
    };
    if (install(filter, sizeof filter / sizeof *filter))
        return bx_fail(e, BX_SYSTEM, 0, 0, "cannot limit the system calls: %s", strerror(errno));
    return BX_OK;
}
