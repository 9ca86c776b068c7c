/* Splits the command into words, has a launcher start it, and reads from /proc whether the program
 * sleeps. */
#include "stage/work/follow.h"

#include "base/error.h"
#include "stage/process/reaper.h"
#include "stage/work/launcher.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bx_follow {
    bx_spawner spawner;
    char *text;            /* all words, each ended by a 0 */
    char **words;          /* ended by NULL */
    bx_launcher *launcher; /* starts the program whenever it is needed */
};

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Copies one word without its quotes to *to, and moves *to after its 0. Returns the text after
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

/* ---- its process ---- */

/* Keeps only standard error: standard output would be taken for that of the program on stage. */
static void start_program(void *context, pid_t stage, const int *fds, size_t n)
{
    const bx_follow *f = context;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    (void)n;
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    bx_reaper_fork(stage, NULL);
    bx_child_become(f->words, fds[0], &(bx_surroundings){0});
    _exit(127);
}

static int spawn(void *context, int trace, pid_t *pid)
{
    const bx_follow *f = context;
    return bx_launcher_start(f->launcher, &trace, 1, pid);
}

int bx_follow_new(const char *command, bx_follow **f, bx_error *e)
{
    bx_follow *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->spawner = (bx_spawner){spawn, made, BX_REAPER_END};
    int code = split(made, command, e);
    if (code == BX_OK)
        code = bx_child_check(made->words[0], e);
    if (code == BX_OK)
        code = bx_launcher_new(start_program, made, &made->launcher, e);
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
    bx_launcher_free(f->launcher);
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
