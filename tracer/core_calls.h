/* Functions of Valgrind's core that no installed header declares. They are in libcoregrind.a: a
 * version that lacks one does not link, and one that changed its type fails tests/tracer. */
#ifndef BX_TRACER_CORE_CALLS_H
#define BX_TRACER_CORE_CALLS_H

#include "pub_tool_basics.h"
#include "pub_tool_vki.h"

/* A system call for the tracer itself. The result is -errno if it failed. */
Word bx_core_syscall(UWord number, UWord a, UWord b, UWord c, UWord d, UWord e, UWord f);

/* Maps a shared file where the program has nothing; NULL if that fails. */
void *bx_core_map_shared(SizeT bytes, Int fd);

/* Forgets all translations. Only while no translated code runs. */
void bx_core_discard_translations(void);

/* Moves a descriptor out of the program's reach, closed on exec; or returns it as it was, if there
 * is no room. */
Int bx_core_hide_fd(Int fd);

Bool bx_core_is_programs(Int fd); /* within its reach */

/* A copy of the program's environment for what it executes: without what Valgrind put there. */
HChar **bx_core_environment(HChar **of);
void bx_core_environment_add(HChar ***to, const HChar *name, const HChar *value);

/* What the program believes to have: Valgrind keeps other things in the kernel. */
typedef struct bx_core_state {
    vki_sigaction_fromK_t action[_VKI_NSIG];
    vki_sigset_t mask;
    struct vki_rlimit files, stack, data;
} bx_core_state;

/* Gives the kernel the program's signal actions, signal mask and limits, for an exec, and keeps
 * Valgrind's in *old; takes them back if the exec has failed. */
void bx_core_state_give(ThreadId tid, bx_core_state *old);
void bx_core_state_take_back(const bx_core_state *old);

/* The program's auxiliary vector: pairs of words, the last of which is 0. NULL: there is none. */
UWord *bx_core_auxiliary_vector(void);

/* The program's first environment, on its stack. */
HChar **bx_core_first_environment(void);

/* From now on the program's processor has these extensions only (VEX_HWCAPS_AMD64_*), if the host's
 * has them. */
void bx_core_limit_hardware(UInt extensions);

/* What the system call that the thread returns from returns. */
void bx_core_set_result(ThreadId tid, UWord result);

/* 0: the effective user may execute this file; else an errno. */
UInt bx_core_check_executable(const HChar *path);

/* Valgrind checks whether it could execute a file, right before it does so. 0, or an errno. */
UInt bx_core_real_check(const HChar *path);

/* Calls this instead of that check: it executes the file, and returns an errno if it cannot. */
void bx_core_set_exec(UInt (*exec)(const HChar *path));

#endif
