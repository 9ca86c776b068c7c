/* Calls functions of Valgrind's core that no installed header declares. */
#include "core_calls.h"

#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_libcsignal.h"
#include "pub_tool_machine.h"

#include "libvex_guest_amd64.h"

#include <stddef.h>

/* Types of Valgrind 3.13 to 3.24. */
extern SysRes VG_(do_syscall)(UWord number, UWord, UWord, UWord, UWord, UWord, UWord, UWord, UWord);
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd,
                                                      Off64T offset);
extern void VG_(discard_translations)(Addr start, ULong range, const HChar *who);
extern Int VG_(fcntl)(Int fd, Int command, Addr argument);
extern Int VG_(fd_soft_limit);
extern Int VG_(fd_hard_limit);
extern struct vki_rlimit VG_(client_rlimit_data);
extern struct vki_rlimit VG_(client_rlimit_stack);
extern HChar **VG_(env_clone)(HChar **of);
extern HChar **VG_(env_setenv)(HChar ***envp, const HChar *name, const HChar *value);
extern void VG_(env_remove_valgrind_env_stuff)(HChar **envp, Bool ro_strings,
                                               void (*free_fn)(void *));
extern Bool VG_(is_valid_tid)(ThreadId tid);
extern Int VG_(sigemptyset)(vki_sigset_t *set);
extern Int VG_(sigaddset)(vki_sigset_t *set, Int signal);
extern Int VG_(max_signal);
extern SysRes VG_(do_sys_sigaction)(Int signal, const vki_sigaction_toK_t *,
                                    vki_sigaction_fromK_t *);
extern SysRes VG_(do_sys_sigprocmask)(ThreadId tid, Int how, vki_sigset_t *, vki_sigset_t *old);
extern Int VG_(sigaction)(Int signal, const vki_sigaction_toK_t *, vki_sigaction_fromK_t *);
extern void VG_(convert_sigaction_fromK_to_toK)(const vki_sigaction_fromK_t *,
                                                vki_sigaction_toK_t *);
extern SysRes VG_(mk_SysRes_Error)(UWord error);
extern Int VG_(check_executable)(Bool *is_setuid, const HChar *path, Bool allow_setuid);

Word bx_core_syscall(UWord number, UWord a, UWord b, UWord c, UWord d, UWord e, UWord f)
{
    SysRes r = VG_(do_syscall)(number, a, b, c, d, e, f, 0, 0);
    return sr_isError(r) ? -(Word)sr_Err(r) : (Word)sr_Res(r);
}

void *bx_core_map_shared(SizeT bytes, Int fd)
{
    SysRes r =
        VG_(am_shared_mmap_file_float_valgrind)(bytes, VKI_PROT_READ | VKI_PROT_WRITE, fd, 0);
    return sr_isError(r) ? NULL : (void *)sr_Res(r);
}

void bx_core_discard_translations(void)
{
    VG_(discard_translations)(0, ~0ULL, "boxscore-tracer");
}

extern VexControl vex_control; /* of LibVEX, as LibVEX_Init() got it */

void bx_core_stop_anywhere(Bool can)
{
    static VexRegisterUpdates before;
    VexRegisterUpdates *updates = &vex_control.iropt_register_updates_default;
    if (can)
        before = *updates;
    if (can && *updates < VexRegUpdAllregsAtMemAccess)
        *updates = VexRegUpdAllregsAtMemAccess;
    else if (before)
        *updates = before;
}

Int bx_core_hide_fd(Int fd)
{
    Int hidden = fd < VG_(fd_hard_limit) ? VG_(fcntl)(fd, VKI_F_DUPFD, VG_(fd_hard_limit)) : fd;
    if (hidden < 0)
        hidden = fd;
    if (hidden != fd)
        VG_(close)(fd);
    VG_(fcntl)(hidden, VKI_F_SETFD, VKI_FD_CLOEXEC);
    return hidden;
}

Bool bx_core_lower_files(UWord limit)
{
    if (limit > (UWord)VG_(fd_hard_limit))
        return False;
    VG_(fd_soft_limit) = (Int)limit;
    return True;
}

Bool bx_core_is_programs(Int fd)
{
    return fd < VG_(fd_hard_limit);
}

/* ---- exec ---- */

HChar **bx_core_environment(HChar **of)
{
    HChar **made = of ? VG_(env_clone)(of) : NULL;
    if (made)
        VG_(env_remove_valgrind_env_stuff)(made, True, NULL);
    return made;
}

void bx_core_environment_add(HChar ***to, const HChar *name, const HChar *value)
{
    VG_(env_setenv)(to, name, value);
}

/* Signals stay blocked until all actions are set, so that no handler of Valgrind runs too late. */
void bx_core_state_give(ThreadId tid, bx_core_state *old)
{
    vki_sigset_t mask;
    vki_sigaction_fromK_t is;
    vki_sigaction_toK_t to;
    for (Int i = 1; i < VG_(max_signal); i++) {
        VG_(do_sys_sigaction)(i, NULL, &is);
        VG_(convert_sigaction_fromK_to_toK)(&is, &to);
        if (to.ksa_handler != VKI_SIG_IGN)
            to.ksa_handler = VKI_SIG_DFL;
        VG_(sigaction)(i, &to, &old->action[i]);
    }
    VG_(getrlimit)(VKI_RLIMIT_NOFILE, &old->files);
    VG_(do_sys_sigprocmask)(tid, VKI_SIG_SETMASK, NULL, &mask);
    VG_(sigprocmask)(VKI_SIG_SETMASK, &mask, &old->mask);
}

void bx_core_state_take_back(const bx_core_state *old)
{
    vki_sigaction_toK_t to;
    VG_(sigprocmask)(VKI_SIG_SETMASK, &old->mask, NULL);
    VG_(setrlimit)(VKI_RLIMIT_NOFILE, &old->files);
    for (Int i = 1; i < VG_(max_signal); i++) {
        VG_(convert_sigaction_fromK_to_toK)(&old->action[i], &to);
        VG_(sigaction)(i, &to, NULL);
    }
}

UInt bx_core_check_executable(const HChar *path)
{
    return (UInt)VG_(check_executable)(NULL, path, True);
}

/* The linker option --wrap replaces calls of the first function by calls of the second, except in
 * the file that defines the first. */
extern SysRes __real_vgPlain_pre_exec_check(const HChar *path, Int *fd, Bool allow_setuid);
extern SysRes __wrap_vgPlain_pre_exec_check(const HChar *path, Int *fd, Bool allow_setuid);

static UInt (*execute)(const HChar *path);

void bx_core_set_exec(UInt (*exec)(const HChar *path))
{
    execute = exec;
}

UInt bx_core_real_check(const HChar *path)
{
    SysRes r = __real_vgPlain_pre_exec_check(path, NULL, True);
    return sr_isError(r) ? (UInt)sr_Err(r) : 0;
}

SysRes __wrap_vgPlain_pre_exec_check(const HChar *path, Int *fd, Bool allow_setuid)
{
    return execute && !fd ? VG_(mk_SysRes_Error)(execute(path))
                          : __real_vgPlain_pre_exec_check(path, fd, allow_setuid);
}

/* ---- what the program sees ---- */

extern UWord *VG_(client_auxv);
extern HChar **VG_(client_envp);

UWord *bx_core_auxiliary_vector(void)
{
    return VG_(client_auxv);
}

HChar **bx_core_first_environment(void)
{
    return VG_(client_envp);
}

Bool bx_core_is_thread(ThreadId tid)
{
    return VG_(is_valid_tid)(tid);
}

extern ThreadId VG_(lwpid_to_vgtid)(Int number);

ThreadId bx_core_thread_of(Int number)
{
    return VG_(lwpid_to_vgtid)(number);
}

void bx_core_block(Int signal)
{
    vki_sigset_t set;
    VG_(sigemptyset)(&set);
    VG_(sigaddset)(&set, signal);
    VG_(sigprocmask)(VKI_SIG_BLOCK, &set, NULL);
}

void bx_core_set_result(ThreadId tid, UWord result)
{
    VG_(set_shadow_regs_area)
    (tid, 0, offsetof(VexGuestAMD64State, guest_RAX), sizeof result, (const UChar *)&result);
}
