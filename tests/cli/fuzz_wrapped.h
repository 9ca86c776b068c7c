/* The functions that fuzz_command_line.c replaces: by the linker's --wrap, a call of NAME calls
 * __wrap_NAME, and __real_NAME is NAME itself. */
#ifndef BX_TESTS_CLI_FUZZ_WRAPPED_H
#define BX_TESTS_CLI_FUZZ_WRAPPED_H

#include "machine/dialogue/dialogue.h"
#include "stage/stage.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

int __wrap_open64(const char *path, int flags, ...);
int __real_open64(const char *path, int flags, ...);
FILE *__wrap_fopen64(const char *path, const char *mode);
FILE *__real_fopen64(const char *path, const char *mode);
int __wrap_stat64(const char *path, struct stat *about);
int __real_stat64(const char *path, struct stat *about);
char *__wrap_realpath(const char *path, char *to);
char *__real_realpath(const char *path, char *to);
DIR *__wrap_opendir(const char *path);
DIR *__real_opendir(const char *path);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
ssize_t __real_write(int fd, const void *bytes, size_t n);

/* Functions that are refused, and what they return. */
#define FUZZ_EACH_REFUSED                                                                          \
    REFUSED(openat64, refuse(ENOENT))                                                              \
    REFUSED(lstat64, refuse(ENOENT))                                                               \
    REFUSED(statvfs64, refuse(ENOENT))                                                             \
    REFUSED(access, refuse(ENOENT))                                                                \
    REFUSED(readlink, refuse(ENOENT))                                                              \
    REFUSED(getxattr, refuse(ENOENT))                                                              \
    REFUSED(scandir64, refuse(ENOENT))                                                             \
    REFUSED(mkdir, changes())                                                                      \
    REFUSED(mkdtemp, changes() + 1)                                                                \
    REFUSED(mkostemp64, changes())                                                                 \
    REFUSED(rename, changes())                                                                     \
    REFUSED(renameat2, changes())                                                                  \
    REFUSED(linkat, changes())                                                                     \
    REFUSED(unlink, changes())                                                                     \
    REFUSED(unlinkat, changes())                                                                   \
    REFUSED(posix_spawnp, EAGAIN)                                                                  \
    REFUSED(fork, refuse(EAGAIN))                                                                  \
    REFUSED(execvp, refuse(ENOENT))                                                                \
    REFUSED(socket, refuse(EACCES))                                                                \
    REFUSED(kill, refuse(ESRCH))                                                                   \
    REFUSED(syscall, refuse(ENOSYS))                                                               \
    REFUSED(setrlimit64, refuse(EPERM))                                                            \
    REFUSED(sched_setaffinity, refuse(EPERM))                                                      \
    REFUSED(nanosleep, 0)

#define REFUSED(name, answer)                                                                      \
    long __wrap_##name(long a, long b, long c, long d, long e, long f);                            \
    long __real_##name(long a, long b, long c, long d, long e, long f);
FUZZ_EACH_REFUSED
#undef REFUSED

int __wrap_bx_stage_open(bx_machine *m, const bx_stage_options *o, bx_stage **s, bx_error *e);
void __wrap_bx_signals_catch(void (*handler)(int number, siginfo_t *info, void *context));
int __wrap_bx_machine_run(bx_machine *m, uint64_t until, bool *done, bx_error *e);
int __real_bx_machine_run(bx_machine *m, uint64_t until, bool *done, bx_error *e);
bx_dialogue *__wrap_bx_dialogue_new(bx_machine *m, bx_error *e);
bx_dialogue *__real_bx_dialogue_new(bx_machine *m, bx_error *e);

#endif
