/* The functions that execute a program. A program that the stage counts is executed elsewhere: this
 * process waits for its end, passes signals on, and ends in the same way. */
#include "stage/preload/program_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { POLL_NS = 2000000, PATH_ROOM = 4096, PIECE = 1 << 16 };

static size_t count(char *const texts[], size_t *bytes)
{
    size_t n = 0;
    for (; texts && texts[n]; n++)
        *bytes += strlen(texts[n]) + 1;
    return n;
}

static char *put(char *to, char *const texts[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        to = stpcpy(to, texts[i]) + 1;
    return to;
}

static bool write_pieces(int fd, const char *from, size_t n)
{
    while (n) {
        ssize_t done = write(fd, from, n < PIECE ? n : PIECE);
        if (done <= 0)
            return false;
        from += done;
        n -= (size_t)done;
    }
    return true;
}

/* Writes the program to the file. This may be a child of a process with threads: no malloc(). */
static bool write_program(int fd, char *const argv[], char *const variables[])
{
    char folder[PATH_ROOM];
    if (!getcwd(folder, sizeof folder))
        return false;
    size_t room = sizeof(bx_program_head) + strlen(folder) + 1;
    bx_program_head head = {.words = (uint32_t)count(argv, &room)};
    head.variables = (uint32_t)count(variables, &room);
    char *all = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return false;
    memcpy(all, &head, sizeof head);
    char *to = stpcpy(all + sizeof head, folder) + 1;
    put(put(to, argv, head.words), variables, head.variables);
    bool written = write_pieces(fd, all, room);
    munmap(all, room);
    return written;
}

/* Ends this process as the program has ended. */
static void end_like(const bx_program_state *program)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    const struct rlimit none = {0};
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, program->signal);
    if (program->signal) {
        setrlimit(RLIMIT_CORE, &none);
        sigaction(program->signal, &usual, NULL);
        sigprocmask(SIG_UNBLOCK, &one, NULL);
        raise(program->signal);
    }
    _exit(program->status);
}

/* Waits for the end. Returns only if the program could not be executed, with errno. */
static void await(int fd)
{
    bx_program_state state;
    sigset_t all, before;
    siginfo_t info;
    sigfillset(&all);
    sigdelset(&all, SIGCHLD);
    sigprocmask(SIG_SETMASK, &all, &before);
    while (pread(fd, &state, sizeof state, 0) == sizeof state) {
        if (state.ended)
            end_like(&state);
        int number = sigtimedwait(&all, &info, &(struct timespec){.tv_nsec = POLL_NS});
        if (number > 0)
            (void)!pwrite(fd, &number, sizeof number, 0);
    }
    int err = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = err;
}

/* Returns false if the program has to be executed here. */
static bool is_counted(const char *file, char *const argv[], char *const variables[])
{
    int before = errno;
    int fd = argv && argv[0] && strcmp(file, argv[0]) == 0
                 ? open("/dev/boxscore/" BX_PROGRAM_FILE, O_RDWR | O_CLOEXEC)
                 : -1;
    errno = before;
    if (fd < 0)
        return false;
    if (write_program(fd, argv, variables))
        await(fd);
    int err = errno;
    close(fd);
    errno = err;
    return true;
}

EXPORT int execve(const char *file, char *const argv[], char *const variables[])
{
    typedef int function(const char *, char *const[], char *const[]);
    function *real;
    if (is_counted(file, argv, variables))
        return -1;
    *(void **)(void *)&real = dlsym(RTLD_NEXT, "execve");
    return real(file, argv, variables);
}

EXPORT int execv(const char *file, char *const argv[])
{
    return execve(file, argv, environ);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const variables[])
{
    typedef int function(const char *, char *const[], char *const[]);
    function *real;
    if (is_counted(file, argv, variables))
        return -1;
    *(void **)(void *)&real = dlsym(RTLD_NEXT, "execvpe");
    return real(file, argv, variables);
}

EXPORT int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}
