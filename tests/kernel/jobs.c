/* Implements jobs.h. */
#include "jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 64, LOOK_US = 2000 };

static void failed(FILE *answer)
{
    fprintf(answer, "failed: %s\n", strerror(errno));
}

static const char *name_of(char to[64], const char *name, const char *what)
{
    snprintf(to, 64, "/tmp/%s.%s", name, what);
    return to;
}

static void become(const char *user)
{
    uid_t uid = (uid_t)atoi(user);
    if (uid && (setgroups(0, NULL) || setgid(uid) || setuid(uid)))
        _exit(126);
}

static void carry_out(char *words)
{
    static char path[] = "PATH=/bin", home[] = "HOME=/tmp";
    char *argv[WORDS + 1] = {NULL}, *environment[] = {path, home, NULL}, out[64], pid[16];
    const char *user = strsep(&words, " ");
    for (size_t n = 0; n < WORDS && words;)
        argv[n++] = strsep(&words, " ");
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    int fd = open(name_of(out, pid, "out"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
        _exit(126);
    close(fd);
    become(user);
    if (argv[0])
        execve(argv[0], argv, environment);
    fprintf(stderr, "%s: %s\n", argv[0] ? argv[0] : "no program", strerror(errno));
    _exit(127);
}

void job_begin(FILE *answer, char *words)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        carry_out(words);
    if (child < 0)
        failed(answer);
    else
        fprintf(answer, "%d\n", (int)child);
}

/* Files of /proc have no size. */
static void send(FILE *answer, int status, const char *path)
{
    char part[4096], *text = NULL;
    size_t length = 0;
    FILE *f = fopen(path, "r"), *all = f ? open_memstream(&text, &length) : NULL;
    if (!all) {
        failed(answer);
    } else {
        for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
            fwrite(part, 1, n, all);
        fclose(all);
        fprintf(answer, "%d %zu\n", status, length);
        fwrite(text, 1, length, answer);
        fflush(answer);
    }
    if (f)
        fclose(f);
    free(text);
}

void job_end(FILE *answer, const char *words)
{
    int status;
    char out[64];
    if (waitpid(atoi(words), &status, 0) < 0) {
        failed(answer);
        return;
    }
    send(answer, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
         name_of(out, words, "out"));
}

void job_file(FILE *answer, const char *path)
{
    send(answer, 0, path);
}

static int has_ended(int pid)
{
    siginfo_t how = {0};
    return waitid(P_PID, (id_t)pid, &how, WEXITED | WNOHANG | WNOWAIT) || how.si_pid;
}

void job_reached(FILE *answer, const char *words)
{
    char name[32], path[64];
    int pid;
    if (sscanf(words, "%31s %d", name, &pid) != 2) {
        errno = EINVAL;
        failed(answer);
        return;
    }
    name_of(path, name, "reached");
    while (access(path, F_OK) && !has_ended(pid))
        usleep(LOOK_US);
    fprintf(answer, "%d\n", access(path, F_OK) == 0);
}

static int touch(const char *name, const char *what)
{
    char path[64];
    int fd = open(name_of(path, name, what), O_WRONLY | O_CREAT, 0666);
    return fd < 0 ? -1 : close(fd);
}

void job_let(FILE *answer, const char *words)
{
    if (touch(words, "go"))
        failed(answer);
    else
        fputs("1\n", answer);
}

int job_pause(const char *name)
{
    char path[64];
    name_of(path, name, "go");
    if (touch(name, "reached"))
        return 1;
    while (access(path, F_OK))
        usleep(LOOK_US);
    return 0;
}
