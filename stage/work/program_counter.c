/* The process that counts a program, outside the stage's mount namespace. */
#include "stage/work/counted_program.h"

#include "machine/machine.h"
#include "machine/program/process/traced_process.h"
#include "stage/process/reaper.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Its descriptors, which leave low numbers free for the program. */
typedef struct counter {
    int link, request;
    int messages; /* standard error of the stage */
    const char *events, *folder;
    bx_program_words words;
    char **argv;
} counter;

/* ---- what is to be run ---- */

/* Returns the next text, and moves *at past its end. NULL: there is none. */
static char *next_text(char **at, const char *end)
{
    char *text = *at, *zero = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;
    *at = zero ? zero + 1 : *at;
    return zero ? text : NULL;
}

static char **next_texts(char **at, const char *end, size_t n)
{
    char **all = n < (size_t)(end - *at) + 1 ? calloc(n + 1, sizeof *all) : NULL;
    for (size_t i = 0; all && i < n; i++)
        if (!(all[i] = next_text(at, end))) {
            free(all);
            return NULL;
        }
    return all;
}

/* Whether the stage or perf has set or changed the variable, for itself and its subcommands: the
 * program gets what this process has instead, as with `boxscore stat`. */
static bool is_of_tools(const char *variable)
{
    static const char *const names[] = {"BOXSCORE_STAGE=", "LD_PRELOAD=",       "PCM_NO_PERF=",
                                        "PERF_CPUID=",     "PERF_BUILDID_DIR=", "PREFIX="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The same variable of this process; NULL: it has none. */
static char *own_variable(const char *variable)
{
    size_t n = strcspn(variable, "=") + 1;
    for (char **own = environ; own && *own; own++)
        if (strncmp(*own, variable, n) == 0)
            return *own;
    return NULL;
}

/* perf puts the folder of its subcommands in front of PATH. Changes the text in place. */
static char *without_subcommands(char *variable)
{
    static const char name[] = "PATH=", folder[] = "/perf-core:";
    char *first = variable + strlen(name), *end = strchr(first, ':');
    if (strncmp(variable, name, strlen(name)) != 0 || !end ||
        end + 1 - first < (ptrdiff_t)strlen(folder) ||
        strncmp(end + 1 - strlen(folder), folder, strlen(folder)) != 0)
        return variable;
    return memcpy(end + 1 - strlen(name), name, strlen(name));
}

static void restore_variables(char **variables)
{
    char **to = variables;
    for (char **from = variables; *from; from++) {
        char *kept = is_of_tools(*from) ? own_variable(*from) : without_subcommands(*from);
        if (kept)
            *to++ = kept;
    }
    *to = NULL;
}

/* Reads the request, and sets the environment. The texts stay mapped. 0 or an errno. */
static int read_request(counter *c)
{
    struct stat about;
    if (fstat(c->request, &about) != 0)
        return errno;
    size_t n = (size_t)about.st_size;
    char *at = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE, c->request, 0);
    if (at == MAP_FAILED || n < sizeof c->words)
        return EINVAL;
    const char *end = at + n;
    memcpy(&c->words, at, sizeof c->words);
    at += sizeof c->words;
    c->events = next_text(&at, end);
    c->folder = next_text(&at, end);
    c->argv = next_texts(&at, end, c->words.words);
    char **variables = c->argv ? next_texts(&at, end, c->words.variables) : NULL;
    if (!variables || !c->words.words || c->words.events > BX_PROGRAM_EVENTS)
        return EINVAL;
    restore_variables(variables);
    environ = variables;
    return chdir(c->folder) == 0 ? 0 : errno;
}

/* ---- signals ---- */

/* For the handler. This process counts one program. */
static const bx_machine *volatile counted;

static void pass_on(int number, siginfo_t *info, void *context)
{
    int before = errno;
    pid_t program = counted ? bx_machine_pid(counted) : 0;
    (void)context;
    if (program > 0 && info->si_code <= 0) /* of a process */
        kill(program, number);
    errno = before;
}

static void catch_signals(void)
{
    static const int others[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGCHLD};
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO}, old;
    for (int number = 1; number <= SIGRTMAX; number++) {
        bool other = false;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            other |= others[i] == number;
        if (!other && sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(number, &action, NULL);
    }
}

/* ---- counting ---- */

static void tell_end(const counter *c, bx_program_end end, const bx_program_count *counts)
{
    struct iovec parts[] = {{&end, sizeof end},
                            {(void *)(uintptr_t)counts, end.n * sizeof *counts}};
    const struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};
    (void)!sendmsg(c->link, &m, MSG_NOSIGNAL);
}

static void tell_result(const counter *c, const bx_machine *m, const bx_result *r)
{
    bx_program_count counts[BX_PROGRAM_EVENTS];
    for (size_t i = 0; i < c->words.events; i++) {
        size_t sum = bx_result_sum(r, i);
        counts[i].counted = bx_result_state(r, sum) <= BX_SCALED;
        counts[i].value = bx_result_value(r, sum);
    }
    for (size_t i = 0; bx_result_remark(r, i); i++)
        dprintf(c->messages, "boxscore: %s\n", bx_result_remark(r, i));
    tell_end(c,
             (bx_program_end){.status = bx_result_exit_status(r),
                              .signal = bx_machine_killed_by(m),
                              .ns = (uint64_t)llround(bx_result_seconds(r) * 1e9),
                              .n = c->words.events},
             counts);
}

static int count(const counter *c, const bx_program_machine *on, bx_error *e)
{
    bx_machine *m = NULL;
    bx_result *r = NULL;
    int code = bx_machine_open(on->catalog, on->spec, &m, e);
    counted = m;
    if (code == BX_OK)
        code = bx_measure_program(m, c->events, NULL, c->argv, &r, e);
    if (code == BX_OK)
        tell_result(c, m, r);
    counted = NULL;
    bx_result_free(r);
    bx_machine_close(m);
    return code;
}

static int high(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, BX_TRACE_FD);
}

void bx_program_counter(void *context, pid_t stage, const int *fds, size_t n)
{
    if (n != 5)
        return;
    bx_reaper_fork(stage, NULL);
    counter c = {.messages = high(STDERR_FILENO), .link = high(fds[3]), .request = high(fds[4])};
    pid_t self = getpid();
    catch_signals();
    (void)!write(c.link, &self, sizeof self);
    for (int i = 0; i < 3; i++)
        dup2(fds[i], i);
    for (size_t i = 0; i < n; i++)
        close(fds[i]);
    bx_error e = {0};
    int err = read_request(&c), code = err ? BX_SYSTEM : count(&c, context, &e);
    if (code != BX_OK && !err) {
        dprintf(c.messages, "boxscore: %s%s%s\n", e.message, *e.hint ? "; " : "", e.hint);
        err = code == BX_NOT_FOUND   ? ENOENT
              : code == BX_NO_ACCESS ? EACCES
              : code == BX_NO_MEMORY ? ENOMEM
                                     : ENOEXEC;
    }
    if (err)
        tell_end(&c, (bx_program_end){.err = err}, NULL);
    _exit(0);
}
