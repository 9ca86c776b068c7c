/* Functions of Valgrind's core that no installed header declares. They are in libcoregrind.a. The
 * tracer does not link with a version of Valgrind that lacks one, and tests/tracer fails with a
 * version that changed its type. */
#ifndef BX_TRACER_CORE_CALLS_H
#define BX_TRACER_CORE_CALLS_H

#include "pub_tool_basics.h"
#include "pub_tool_vki.h"

/* Makes a system call for the tracer itself. Returns -errno on failure. */
Word bx_core_syscall(UWord number, UWord a, UWord b, UWord c, UWord d, UWord e, UWord f);

/* Maps a shared file at an address that the program does not use. NULL on failure. */
void *bx_core_map_shared(SizeT bytes, Int fd);

/* Forgets all translations. Call it only while no translated code runs. */
void bx_core_discard_translations(void);

/* Whether code that is translated from now on can be left before any access, with all registers as
 * they are then. */
void bx_core_stop_anywhere(Bool can);

/* Moves a descriptor to a number that the program cannot use, closed on exec. Returns the new
 * number, or the old one if there is no room. */
Int bx_core_hide_fd(Int fd);

/* Sets the soft limit of open files that the program has. False: it is above the hard one. */
Bool bx_core_lower_files(UWord limit);

Bool bx_core_is_programs(Int fd); /* whether the program can use this descriptor */

/* A copy of the program's environment for a program that it executes, without Valgrind's variables.
 */
HChar **bx_core_environment(HChar **of);
void bx_core_environment_add(HChar ***to, const HChar *name, const HChar *value);

/* Signal actions, signal mask and limits: the program sees its own, the kernel has Valgrind's. */
typedef struct bx_core_state {
    vki_sigaction_fromK_t action[_VKI_NSIG];
    vki_sigset_t mask;
    struct vki_rlimit files;
} bx_core_state;

/* For an exec: sets the program's signal actions, signal mask and limits in the kernel, and stores
 * Valgrind's in *old. The second function restores them if the exec has failed. */
void bx_core_state_give(ThreadId tid, bx_core_state *old);
void bx_core_state_take_back(const bx_core_state *old);

/* The program's auxiliary vector: pairs of words, the last pair is 0. NULL: there is none. */
UWord *bx_core_auxiliary_vector(void);

/* The environment that the program got at its start, on its stack. */
HChar **bx_core_first_environment(void);

Bool bx_core_is_thread(ThreadId tid); /* whether it has begun and not ended */

/* The thread with that number of the kernel; VG_INVALID_THREADID: it is not of this process. */
ThreadId bx_core_thread_of(Int number);

/* Blocks a signal for Valgrind's own thread. */
void bx_core_block(Int signal);

/* Sets the result of the system call from which the thread returns. */
void bx_core_set_result(ThreadId tid, UWord result);

/* 0 if the effective user may execute this file; else an errno. */
UInt bx_core_check_executable(const HChar *path);

/* Valgrind's own check whether it could execute a file, which it makes right before that. 0, or an
 * errno. */
UInt bx_core_real_check(const HChar *path);

/* Sets a function that replaces that check. It executes the file; if it fails, it returns an errno.
 */
void bx_core_set_exec(UInt (*exec)(const HChar *path));

#endif
