/* Starts a program under our tracer or under lackey. */
#include "machine/program/process/traced_process.h"

#include "base/error.h"
#include "machine/program/process/executable.h"
#include "machine/program/process/file_limit.h"
#include "machine/program/process/trace_tool.h"
#include "machine/program/process/wait.h"
#include "tracer/environment.h"
#include "tracer/trace_format.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, FILES_LEAST = 256, FILES_MOST = 1 << 20 };

/* The command that is executed. */
typedef struct command {
    char tool[PATH_ROOM]; /* our tracer, or "valgrind" */
    int trace;            /* descriptor for the trace */
    char socket_option[32], log_option[32], features_option[32], cpus_option[32], nodes_option[32],
        turn_option[32];
    char cpuid_option[BX_CPUID_TEXT + 16], cpu_nodes_option[BX_CPUS_SHOWN + 16];
    char launcher[PATH_ROOM + 32]; /* environment variable that a tool needs to start */
    const char *const *allocators;
    char **function_options;
    char *padding; /* environment variable that places the program's stack */
    char **argv;
    char **environment;
} command;

int bx_child_check(const char *program, bx_error *e)
{
    char tool[PATH_ROOM];
    int code = bx_program_check_traceable(program, e);
    if (code != BX_OK)
        return code;
    if (!bx_trace_tool_find(program, tool, sizeof tool) && bx_program_find("valgrind") != 0) {
        bx_fail(e, BX_NOT_FOUND, 0, 0, "valgrind, which traces programs, is not installed");
        bx_hint(e, "apt-get install valgrind, or count a built-in workload");
        return BX_NOT_FOUND;
    }
    return BX_OK;
}

int bx_child_has_no_trace(int err, bx_error *e)
{
    struct rlimit files = {0};
    getrlimit(RLIMIT_NOFILE, &files);
    if ((err == EINVAL || err == EMFILE) && files.rlim_cur < FILES_MOST) {
        bx_fail(e, BX_SYSTEM, 0, 0, "no trace can be made: the limit of open files is %llu",
                (unsigned long long)files.rlim_cur);
        bx_hint(e, "ulimit -n %d, and 4 more for each process that runs at once", FILES_LEAST);
    } else {
        bx_fail(e, BX_SYSTEM, 0, 0, "no trace can be made: %s", strerror(err));
    }
    return BX_SYSTEM;
}

static int made_no_ring(const char *program, bx_error *e)
{
    struct rlimit size = {0};
    getrlimit(RLIMIT_FSIZE, &size);
    bx_fail(e, BX_SYSTEM, 0, 0, "'%s' ran without a trace: the tracer could not make a ring",
            program);
    if (size.rlim_max < BX_TRACE_CHUNKS + BX_TRACE_RING_BYTES)
        bx_hint(e, "ulimit -f 2048: the size of files is limited to %llu bytes",
                (unsigned long long)size.rlim_max);
    else
        bx_hint(e, "does a sandbox forbid memfd_create(), or is memory or a limit (ulimit -a) used "
                   "up?");
    return BX_SYSTEM;
}

int bx_child_was_silent(const bx_child *child, const char *program, bool untraced, const char *tool,
                        bx_error *e)
{
    if (untraced)
        return made_no_ring(program, e);
    if (child->signal == SIGSYS) {
        bx_fail(e, BX_SYSTEM, 0, 0,
                "'%s' was not run: a sandbox (seccomp) around boxscore killed the tracer (SIGSYS)",
                program);
        bx_hint(e, "let the sandbox answer unknown calls with ENOSYS, or trace outside of it");
        return BX_SYSTEM;
    }
    bx_fail(e, BX_SYSTEM, 0, 0, "valgrind could not run '%s'", program);
    bx_hint(e, "see what 'valgrind --tool=%s %s' says", tool, program);
    return BX_SYSTEM;
}

/* ---- its command line ---- */

static size_t count_words(char *const words[])
{
    size_t n = 0;
    while (words[n])
        n++;
    return n;
}

static void free_words(char **words)
{
    for (char **word = words; word && *word; word++)
        free(*word);
    free(words);
}

static const char *const lackey[] = {
    "--tool=lackey",
    "--trace-mem=yes",
    "--basic-counts=no",
    "--stats=yes", /* at its end: so a trace without an end is noticed */
    NULL,
};
static const char *const tracer[] = {
    "--tool=boxscore-tracer",
    "--fair-sched=yes",   /* threads run in turns */
    "--max-threads=5000", /* each costs 7 KB in each process */
    NULL,
};
static const char *const common[] = {
    "--command-line-only=yes", /* ignores VALGRIND_OPTS and .valgrindrc */
    "-q",
    "--vgdb=no",
    "--child-silent-after-fork=yes",
    NULL,
};

static const char **append(const char **to, const char *const words[])
{
    for (; *words; words++)
        *to++ = *words;
    return to;
}

/* The tracer's options for regions that are functions; NULL: no memory. */
static char **make_function_options(const bx_surroundings *shown)
{
    static const char option[] = "--function=";
    char **all = calloc(shown->functions_n + 1, sizeof *all);
    size_t n = 0;
    for (size_t i = 0; all && i < shown->functions_n; i++) {
        const char *name = bx_region_function(shown->functions[i]);
        if (!name)
            continue;
        all[n] = malloc(sizeof option + strlen(name));
        if (!all[n]) {
            free_words(all);
            return NULL;
        }
        strcpy(all[n], option);
        strcpy(all[n++] + strlen(option), name);
    }
    return all;
}

static char **make_words(const command *c, bool ours, char *const argv[])
{
    static const char *const none[] = {NULL};
    const char *const *allocators = ours && c->allocators ? c->allocators : none;
    const char *const *functions = ours ? (const char *const *)c->function_options : none;
    size_t options = count_words((char *const *)(uintptr_t)allocators) +
                     count_words((char *const *)(uintptr_t)functions);
    const char **all = calloc(24 + options + count_words(argv), sizeof *all), **to = all;
    if (!all)
        return NULL;
    *to++ = c->tool;
    to = append(to, ours ? tracer : lackey);
    to = append(to, common);
    *to++ = c->log_option;
    if (ours)
        *to++ = c->socket_option;
    if (ours && *c->features_option)
        *to++ = c->features_option;
    if (ours && *c->cpuid_option)
        *to++ = c->cpuid_option;
    if (ours)
        *to++ = c->cpus_option;
    if (ours)
        *to++ = c->nodes_option;
    if (ours && *c->cpu_nodes_option)
        *to++ = c->cpu_nodes_option;
    if (ours && *c->turn_option)
        *to++ = c->turn_option;
    to = append(append(to, allocators), functions);
    *to++ = "--";
    append(to, (const char *const *)argv);
    return (char **)(uintptr_t)all; /* posix_spawnp() and execvpe() do not change the words */
}

/* A tool needs the launcher's variable, and removes it from the program's environment. */
static char **make_environment(command *c, char *const argv[])
{
    size_t n = 0;
    char **all = calloc(count_words(environ) + 3, sizeof *all);
    snprintf(c->launcher, sizeof c->launcher, "VALGRIND_LAUNCHER=%s", c->tool);
    for (char **from = environ; all && *from; from++)
        if (!bx_trace_is_padding(*from))
            all[n++] = *from;
    c->padding = all ? bx_stack_padding(argv, all) : NULL;
    if (!c->padding) {
        free(all);
        return NULL;
    }
    all[n++] = c->padding;
    all[n] = c->launcher;
    return all;
}

/* Whether the trace goes to our tracer's socket, not to lackey's pipe. */
static bool is_socket(int trace)
{
    struct stat about;
    return fstat(trace, &about) == 0 && S_ISSOCK(about.st_mode);
}

/* Messages of Valgrind itself go into lackey's text, or are dropped with our tracer: standard error
 * belongs to the program. */
static bool make_command(command *c, char *const argv[], int trace, const bx_surroundings *shown)
{
    bool ours = is_socket(trace);
    *c = (command){.trace = trace, .allocators = shown->allocators};
    if (!ours || !bx_trace_tool_find(argv[0], c->tool, sizeof c->tool))
        strcpy(c->tool, "valgrind");
    snprintf(c->socket_option, sizeof c->socket_option, "--socket-fd=%d", trace);
    snprintf(c->log_option, sizeof c->log_option, "--log-fd=%d", ours ? -1 : trace);
    if (shown->features)
        snprintf(c->features_option, sizeof c->features_option, "--features=%s", shown->features);
    if (*shown->cpuid)
        snprintf(c->cpuid_option, sizeof c->cpuid_option, "--cpuid=%s", shown->cpuid);
    if (shown->turn)
        snprintf(c->turn_option, sizeof c->turn_option, "--turn=%u", shown->turn);
    snprintf(c->cpus_option, sizeof c->cpus_option, "--cpus=%u", shown->cpus);
    snprintf(c->nodes_option, sizeof c->nodes_option, "--nodes=%u", shown->nodes);
    if (*shown->cpu_nodes)
        snprintf(c->cpu_nodes_option, sizeof c->cpu_nodes_option, "--cpu-nodes=%s",
                 shown->cpu_nodes);
    c->function_options = make_function_options(shown);
    c->argv = c->function_options ? make_words(c, ours, argv) : NULL;
    c->environment = ours ? make_environment(c, argv) : environ;
    return c->argv && c->environment;
}

static void free_command(command *c)
{
    if (c->environment != environ)
        free(c->environment);
    free(c->padding);
    free(c->argv);
    free_words(c->function_options);
}

/* ---- its process ---- */

void bx_child_become(char *const argv[], int trace, const bx_surroundings *shown)
{
    command c;
    int high = fcntl(trace, F_DUPFD_CLOEXEC, BX_TRACE_FD);
    if (high >= 0 && make_command(&c, argv, high, shown)) {
        fcntl(c.trace, F_SETFD, 0);
        bx_file_limit_set(shown->files);
        execvpe(c.tool, c.argv, c.environment);
    }
}

static int spawn(const command *c, const sigset_t *blocked, const bx_surroundings *shown, pid_t *to)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return ENOMEM;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, blocked);
    /* Duplicates the descriptor onto itself: the child keeps it, but programs that other threads
     * start do not get it. */
    int err = posix_spawn_file_actions_adddup2(&actions, c->trace, c->trace);
    unsigned long ours = bx_file_limit_set(shown->files); /* it inherits that */
    if (err == 0)
        err = posix_spawnp(&pid, c->tool, &actions, &attributes, c->argv, c->environment);
    bx_file_limit_set(ours);
    if (err == 0)
        *to = pid;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return err;
}

static int start_traced(char *const argv[], int trace, const sigset_t *blocked,
                        const bx_surroundings *shown, pid_t *to)
{
    command c;
    int err = make_command(&c, argv, trace, shown) ? spawn(&c, blocked, shown, to) : ENOMEM;
    free_command(&c);
    return err;
}

int bx_child_start(bx_child *child, char *const argv[], int trace, const sigset_t *blocked,
                   const bx_surroundings *shown, const bx_spawner *by, bx_error *e)
{
    *child = (bx_child){.end_signal = by ? by->end_signal : SIGKILL};
    int err = by ? by->spawn(by->context, trace, &child->pid)
                 : start_traced(argv, trace, blocked, shown, &child->pid);
    if (err != 0)
        return bx_fail(e, bx_code_of(err), 0, 0, "valgrind cannot be started: %s", strerror(err));
    return BX_OK;
}

/* Returns whether it is known; if its process still runs, info->si_pid is 0. */
static bool look_at_end(const bx_child *child, siginfo_t *info)
{
    *info = (siginfo_t){0};
    return waitid(P_PID, (id_t)child->pid, info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool bx_child_has_ended(const bx_child *child)
{
    siginfo_t info;
    return !look_at_end(child, &info) || info.si_pid != 0;
}

bool bx_child_was_killed(const bx_child *child)
{
    siginfo_t info;
    return look_at_end(child, &info) && info.si_pid != 0 && info.si_code != CLD_EXITED;
}

void bx_child_wait(bx_child *child)
{
    if (child->pid == 0)
        return;
    child->status = bx_wait_for(child->pid, &child->signal);
    child->pid = 0;
}

void bx_child_end(bx_child *child)
{
    if (child->pid != 0)
        kill(child->pid, child->end_signal);
    bx_child_wait(child);
}
