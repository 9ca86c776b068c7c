/* Splits the command into words, starts the launcher, and reads from /proc whether the program
 * sleeps. */
#include "stage/work/follow.h"

#include "base/error.h"
#include "stage/process/reaper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct bx_follow {
    bx_spawner spawner;
    char *text;   /* all words, each ended by a 0 */
    char **words; /* ended by NULL */
    pid_t pid;    /* of the launcher; 0: none */
    int link;     /* our end of the socket to it; -1: none */
};

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Copies one word without its quotes to *to, and moves *to behind its 0. Returns the text behind
 * the word. NULL: *open is a quote or backslash without its end. */
static const char *read_word(const char *p, char **to, const char **open)
{
    char quote = 0;
    for (; *p && (quote || !is_blank(*p)); p++) {
        if (!quote && (*p == '\'' || *p == '"')) {
            quote = *p;
            *open = p;
        } else if (*p == quote) {
            quote = 0;
        } else if (*p == '\\' && (!quote || (quote == '"' && strchr("\\\"$`", p[1])))) {
            *open = p++;
            if (!*p)
                return NULL;
            *(*to)++ = *p;
        } else {
            *(*to)++ = *p;
        }
    }
    *(*to)++ = '\0';
    return quote ? NULL : p;
}

static int split(bx_follow *f, const char *command, bx_error *e)
{
    size_t n = strlen(command), words = 0;
    char *to = f->text = malloc(n + 2);
    f->words = calloc(n / 2 + 2, sizeof *f->words);
    if (!f->text || !f->words)
        return bx_out_of_memory(e);
    for (const char *p = command, *open = p;;) {
        p += strspn(p, " \t\n");
        if (!*p)
            break;
        f->words[words++] = to;
        p = read_word(p, &to, &open);
        if (!p) {
            size_t at = (size_t)(open - command);
            return bx_fail(e, BX_BAD_INPUT, at, 1, "this %s has no end",
                           *open == '\\' ? "backslash" : "quote");
        }
    }
    return words ? BX_OK : bx_fail(e, BX_BAD_INPUT, 0, 0, "no program is named to be followed");
}

/* ---- the launcher: a process outside the namespace ---- */

typedef struct reply {
    pid_t pid;
    int err;
} reply;

/* A message is one byte and a descriptor. */
typedef union control {
    struct cmsghdr header; /* for its alignment */
    char bytes[CMSG_SPACE(sizeof(int))];
} control;

static struct msghdr message(struct iovec *byte, control *with)
{
    return (struct msghdr){.msg_iov = byte,
                           .msg_iovlen = 1,
                           .msg_control = with->bytes,
                           .msg_controllen = sizeof with->bytes};
}

static int receive_descriptor(int link)
{
    char byte;
    control c = {0};
    struct msghdr m = message(&(struct iovec){&byte, 1}, &c);
    ssize_t n;
    do
        n = recvmsg(link, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    struct cmsghdr *with = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    int fd = -1;
    if (with)
        memcpy(&fd, CMSG_DATA(with), sizeof fd);
    return fd;
}

static bool send_descriptor(int link, int fd)
{
    char byte = 0;
    control c = {0};
    struct msghdr m = message(&(struct iovec){&byte, 1}, &c);
    struct cmsghdr *with = CMSG_FIRSTHDR(&m);
    with->cmsg_level = SOL_SOCKET;
    with->cmsg_type = SCM_RIGHTS;
    with->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(with), &fd, sizeof fd);
    return sendmsg(link, &m, MSG_NOSIGNAL) == 1;
}

/* Keeps only standard error: standard output would be taken for that of the program on stage. */
static void start_stage(char *const words[], pid_t stage, int trace)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    bx_reaper_fork(stage, NULL);
    bx_child_become(words, trace, &(bx_surroundings){0});
    _exit(127);
}

/* The terminal's signals are for the program on stage. The launcher is in a session of its own, so
 * it gets none of them. */
static void serve(char *const words[], pid_t stage, int link)
{
    setsid();
    prctl(PR_SET_NAME, "stage-launcher");
    dup2(link, STDERR_FILENO + 1);
    close_range(STDERR_FILENO + 2, ~0u, 0);
    fcntl(STDERR_FILENO + 1, F_SETFD, FD_CLOEXEC);
    for (int trace; (trace = receive_descriptor(STDERR_FILENO + 1)) >= 0; close(trace)) {
        /* The new process is a child of the stage, so that the stage can wait for it. */
        long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
        if (pid == 0)
            start_stage(words, stage, trace);
        const reply r = {(pid_t)pid, pid < 0 ? errno : 0};
        (void)!write(STDERR_FILENO + 1, &r, sizeof r);
    }
    _exit(0);
}

static int spawn(void *context, int trace, pid_t *pid)
{
    const bx_follow *f = context;
    reply r = {0, ECHILD}; /* the answer if the launcher was killed */
    ssize_t n = -1;
    if (send_descriptor(f->link, trace))
        do
            n = read(f->link, &r, sizeof r);
        while (n < 0 && errno == EINTR);
    if (n == sizeof r && r.err == 0)
        *pid = r.pid;
    return n == sizeof r ? r.err : ECHILD;
}

static int launch(bx_follow *f, bx_error *e)
{
    int ends[2];
    pid_t self = getpid();
    int err = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
    pid_t pid = err ? -1 : fork();
    if (pid == 0) {
        close(ends[0]);
        serve(f->words, self, ends[1]);
    }
    if (!err) {
        err = pid < 0 ? errno : 0;
        close(ends[1]);
        f->link = ends[0];
    }
    if (err)
        return bx_fail(e, BX_SYSTEM, 0, 0, "no process can be made: %s", strerror(err));
    f->pid = pid;
    return BX_OK;
}

int bx_follow_new(const char *command, bx_follow **f, bx_error *e)
{
    bx_follow *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->link = -1;
    made->spawner = (bx_spawner){spawn, made, BX_REAPER_END};
    int code = split(made, command, e);
    if (code == BX_OK)
        code = bx_child_check(made->words[0], e);
    if (code == BX_OK)
        code = launch(made, e);
    if (code == BX_OK)
        *f = made;
    else
        bx_follow_free(made);
    return code;
}

void bx_follow_free(bx_follow *f)
{
    if (!f)
        return;
    if (f->link >= 0)
        close(f->link);
    while (f->pid > 0 && waitpid(f->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    free(f->words);
    free(f->text);
    free(f);
}

/* ---- whether it sleeps ---- */

/* The first child of a process; 0: none. */
static pid_t child_of(pid_t pid)
{
    char file[64];
    int child = 0;
    snprintf(file, sizeof file, "/proc/%d/task/%d/children", pid, pid);
    FILE *children = fopen(file, "re");
    if (children && fscanf(children, "%d", &child) != 1)
        child = 0;
    if (children)
        fclose(children);
    return child;
}

/* The state letter, which follows the name in parentheses; the name may contain any characters:
 * proc_pid_stat(5). */
static char state_of(pid_t pid, const char *thread)
{
    char file[320], line[512];
    snprintf(file, sizeof file, "/proc/%d/task/%s/stat", pid, thread);
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
    if (fd >= 0)
        close(fd);
    line[n > 0 ? n : 0] = '\0';
    const char *end = strrchr(line, ')');
    return end && end[1] ? end[2] : '\0';
}

bool bx_follow_sleeps(pid_t pid)
{
    char folder[64];
    pid_t program = child_of(child_of(pid)); /* below two reapers */
    snprintf(folder, sizeof folder, "/proc/%d/task", program);
    DIR *threads = program ? opendir(folder) : NULL;
    bool sleeps = threads;
    for (struct dirent *d; sleeps && (d = readdir(threads));)
        if (d->d_name[0] != '.')
            sleeps = state_of(program, d->d_name) == 'S';
    if (threads)
        closedir(threads);
    return sleeps;
}

char *const *bx_follow_words(const bx_follow *f)
{
    return f->words;
}

const bx_spawner *bx_follow_spawner(const bx_follow *f)
{
    return &f->spawner;
}
