/* Implements run.h: starts the command and compares its output. */
#include "../cmocked.h"

#include "cli/run.h"

#include "guard/lock.h"
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* An unnamed file with this contents. */
static int scratch(const char *text)
{
    char name[] = "/tmp/boxscore-test-XXXXXX";
    int fd = mkostemp(name, O_CLOEXEC);
    assert_true(fd >= 0);
    unlink(name);
    if (text) {
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    }
    return fd;
}

static char *contents(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    assert_true(size >= 0);
    char *text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(pread(fd, text, (size_t)size, 0), size);
    close(fd);
    return text;
}

/* out -1: standard output is closed */
static ran spawn(const char *program, const char *const argv[], const char *input, int out)
{
    ran r = {0};
    pid_t pid;
    int in = scratch(input), err = scratch(NULL);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, 0);
    if (out >= 0)
        posix_spawn_file_actions_adddup2(&actions, out, 1);
    else
        posix_spawn_file_actions_addclose(&actions, 1);
    posix_spawn_file_actions_adddup2(&actions, err, 2);
    assert_int_equal(
        posix_spawnp(&pid, program, &actions, NULL, (char *const *)(uintptr_t)argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    int status;
    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    r.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    close(in);
    r.err = contents(err);
    return r;
}

static ran spawn_boxscore(const char *input, const char *const arguments[], int out)
{
    enum { MOST = 64 };
    const char *argv[MOST] = {"boxscore"};
    const char *program = getenv("BOXSCORE");
    assert_non_null(program);
    for (size_t i = 0; arguments[i]; i++) {
        assert_true(i + 2 < MOST);
        argv[i + 1] = arguments[i];
    }
    return spawn(program, argv, input, out);
}

ran run(const char *input, const char *const arguments[])
{
    int out = scratch(NULL);
    ran r = spawn_boxscore(input, arguments, out);
    r.out = contents(out);
    return r;
}

ran run_into(const char *path, const char *const arguments[])
{
    int out = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    assert_true(!path || out >= 0);
    ran r = spawn_boxscore(NULL, arguments, out);
    r.out = calloc(1, 1);
    assert_non_null(r.out);
    if (out >= 0)
        close(out);
    return r;
}

ran run_shell(const char *script)
{
    assert_non_null(getenv("BOXSCORE")); /* without it, a script may wait forever */
    int out = scratch(NULL);
    ran r = spawn("bash", (const char *const[]){"bash", "-c", script, NULL}, NULL, out);
    r.out = contents(out);
    return r;
}

void ran_free(ran *r)
{
    free(r->out);
    free(r->err);
    *r = (ran){0};
}

void assert_silent(ran *r)
{
    assert_string_equal(r->err, "");
    assert_int_equal(r->status, 0);
    ran_free(r);
}

void assert_locked_silent(ran *r)
{
    assert_string_equal(r->err, getuid() ? "boxscore: " BX_LOCK_PRIVATE "\n" : "");
    assert_int_equal(r->status, 0);
    ran_free(r);
}

void assert_failed(ran *r, int status, const char *err)
{
    assert_string_equal(r->err, err);
    assert_string_equal(r->out, "");
    assert_int_equal(r->status, status);
    ran_free(r);
}

static char *spaced(const char *text)
{
    char *copy = strdup(text), *to = copy;
    assert_non_null(copy);
    for (const char *from = text; *from; from++)
        if (*from != ' ' || from[1] != ' ')
            *to++ = *from;
    *to = '\0';
    return copy;
}

void assert_has(const char *text, const char *part)
{
    char *a = spaced(text), *b = spaced(part);
    if (!strstr(a, b))
        fail_msg("'%s' is not in:\n%s", part, text);
    free(a);
    free(b);
}

void assert_has_state(const char *text, const char *before, unsigned state, const char *after)
{
    char part[256];
    assert_non_null(bx_state_text(state));
    int n = snprintf(part, sizeof part, "%s%s%s", before, bx_state_text(state), after);
    assert_true(n > 0 && (size_t)n < sizeof part);
    assert_has(text, part);
}

void assert_has_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' is in:\n%s", part, text);
}
