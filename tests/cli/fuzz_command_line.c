/* Random command lines, executed in this process. The exit status is 0, 1 or 2. A status above 0
 * comes with a message on standard error. Commands without an output file write no files. JSON is
 * valid for another parser. An input has the words of the command line in its first line; the rest
 * is standard input, which is also the file F.
 *
 * Nothing of the machine is reached: the linker replaces functions of the C library by those below
 * (__wrap_…, tests/cli/meson.build). There is one file, F. No process starts, a stage is refused,
 * and work that takes long ends. */
#include "fuzz/fuzz.h"
#include "fuzz_wrapped.h"

#include "base/buf.h"
#include "machine/dialogue/dialogue.h"
#include "stage/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int boxscore_main(int argc, char *argv[]);

#define main boxscore_main
#include "cli/main.c"
#undef main

enum { WORDS = 48 };

static struct {
    char *text;
    char *argv[WORDS + 2];
    int argc;
    const char *file; /* path of the file F */
    bx_buf out, err;
    bool runs;     /* false: the real functions are used, for libFuzzer calls them, too */
    bool wrote;    /* the command tried to change a file */
    uint64_t left; /* time that may pass on machines */
} play;

/* ---- in place of the C library ---- */

static bool is_file(const char *path)
{
    return path && strcmp(path, "F") == 0;
}

static int refuse(int err)
{
    errno = err;
    return -1;
}

static int changes(void)
{
    play.wrote = true;
    return refuse(EACCES);
}

int __wrap_open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (!play.runs)
        return __real_open64(path, flags, mode);
    if (flags & (O_CREAT | O_TRUNC))
        return changes();
    if ((flags & O_ACCMODE) != O_RDONLY) /* such as a device */
        return refuse(EACCES);
    return is_file(path) ? __real_open64(play.file, flags) : refuse(ENOENT);
}

FILE *__wrap_fopen64(const char *path, const char *mode)
{
    if (!play.runs)
        return __real_fopen64(path, mode);
    if (mode[0] != 'r')
        return changes(), NULL;
    return is_file(path) ? __real_fopen64(play.file, mode) : (refuse(ENOENT), NULL);
}

int __wrap_stat64(const char *path, struct stat *about)
{
    if (!play.runs)
        return __real_stat64(path, about);
    return is_file(path) ? __real_stat64(play.file, about) : refuse(ENOENT);
}

char *__wrap_realpath(const char *path, char *to)
{
    if (!play.runs)
        return __real_realpath(path, to);
    if (!is_file(path))
        return refuse(ENOENT), NULL;
    return to ? strcpy(to, "/F") : strdup("/F");
}

DIR *__wrap_opendir(const char *path)
{
    if (!play.runs)
        return __real_opendir(path);
    return refuse(ENOENT), NULL;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t n)
{
    if (!play.runs || (fd != STDOUT_FILENO && fd != STDERR_FILENO))
        return __real_write(fd, bytes, n);
    bx_buf_add(fd == STDOUT_FILENO ? &play.out : &play.err, bytes, n);
    return (ssize_t)n;
}

/* Functions that only return an error. Their arguments are integers and pointers. */
#define REFUSED(name, answer)                                                                      \
    long __wrap_##name(long a, long b, long c, long d, long e, long f)                             \
    {                                                                                              \
        return play.runs ? (answer) : __real_##name(a, b, c, d, e, f);                             \
    }
FUZZ_EACH_REFUSED

/* ---- in place of the library ---- */

int __wrap_bx_stage_open(bx_machine *m, const bx_stage_options *o, bx_stage **s, bx_error *e)
{
    (void)m;
    (void)o;
    (void)s;
    return bx_fail(e, BX_NO_ACCESS, 0, 0, "there is no stage here");
}

/* Signals remain libFuzzer's, such as the alarm of its time limit. */
void __wrap_bx_signals_catch(void (*handler)(int number, siginfo_t *info, void *context))
{
    (void)handler;
}

int __wrap_bx_machine_run(bx_machine *m, uint64_t until, bool *done, bx_error *e)
{
    uint64_t before = bx_machine_now(m), end = before + play.left;
    int code = __real_bx_machine_run(m, until < end ? until : end, done, e);
    uint64_t passed = bx_machine_now(m) - before;
    play.left -= passed < play.left ? passed : play.left;
    if (!code && !*done && end < until)
        return bx_fail(e, BX_SYSTEM, 0, 0, "it takes too long");
    return code;
}

static bool stop(void *context)
{
    (void)context;
    return true;
}

bx_dialogue *__wrap_bx_dialogue_new(bx_machine *m, bx_error *e)
{
    bx_dialogue *d = __real_bx_dialogue_new(m, e);
    if (d)
        bx_dialogue_stop_if(d, stop, NULL);
    return d;
}

/* ---- one command line ---- */

/* Large numbers are not tried, because mapping memory for workloads and caches takes time. */
static bool is_small(const char *word)
{
    unsigned digits = 0, longest = 0;
    for (; *word; word++) {
        digits = bx_is_digit(*word) ? digits + 1 : 0;
        longest = digits > longest ? digits : longest;
        if ((bx_lower(word[0]) == 'g' && digits == 0 && longest) || longest > 7)
            return false;
        if (bx_lower(word[0]) == 'm' && longest > 2)
            return false;
    }
    return true;
}

/* Returns false for a line that is not tried. */
static bool split(const uint8_t *data, size_t size)
{
    play.text = fuzz_text(data, size);
    char *end = strchr(play.text, '\n'), *rest = play.text, *word;
    const char *input = end ? end + 1 : play.text + size;
    if (end)
        *end = '\0';
    play.file = fuzz_file(input, (size_t)(play.text + size - input));
    play.argc = 0;
    play.argv[play.argc++] = (char[]){"boxscore"};
    while (play.argc <= WORDS && (word = strsep(&rest, " "))) {
        if (!is_small(word))
            return false;
        play.argv[play.argc++] = word;
    }
    play.argv[play.argc] = NULL;
    return true;
}

static bool has_word(const char *word)
{
    for (int i = 1; i < play.argc; i++)
        if (strcmp(play.argv[i], word) == 0)
            return true;
    return false;
}

static bool may_write(void)
{
    static const char *const writers[] = {"stat",    "explain", "machine", "diff",
                                          "restore", "stage",   "trace"};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (play.argc > 1 && strcmp(play.argv[1], writers[i]) == 0)
            return true;
    return has_word("--root"); /* it unpacks a gathered machine */
}

/* JSON is one value, or one value a line. */
static void check_json(const char *text)
{
    struct json_object *whole = json_tokener_parse(text);
    for (bx_str rest = bx_str_of(text); !whole && rest.p && rest.n;) {
        bx_str line = bx_str_cut(&rest, '\n');
        char *one = fuzz_text((const uint8_t *)line.p, line.n);
        struct json_object *value = json_tokener_parse(one);
        FUZZ_MUST(value);
        json_object_put(value);
        free(one);
    }
    json_object_put(whole);
}

static void check(int status)
{
    bool fails = status == BX_EXIT_FAILS && !strcmp(play.argv[1], "diff");
    FUZZ_MUST(status == BX_EXIT_OK || status == BX_EXIT_ERROR || status == BX_EXIT_USAGE || fails);
    FUZZ_MUST(!play.err.n || play.err.p[play.err.n - 1] == '\n');
    FUZZ_MUST(status == BX_EXIT_OK || fails ||
              (play.err.n && memmem(play.err.p, play.err.n, "boxscore: ", 10)));
    FUZZ_MUST(status != BX_EXIT_USAGE || !play.out.n);
    FUZZ_MUST(!play.wrote || may_write());
    if (play.out.n && has_word("--json") && strncmp(play.out.p, "usage: ", 7) != 0)
        check_json(play.out.p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { CYCLES = 30000 };
    play.left = CYCLES;
    play.wrote = false;
    if (split(data, size)) {
        int input = __real_open64(play.file, O_RDONLY | O_CLOEXEC);
        FUZZ_MUST(input >= 0 && dup2(input, STDIN_FILENO) == STDIN_FILENO);
        close(input);
        play.runs = true;
        int status = boxscore_main(play.argc, play.argv);
        play.runs = false;
        check(status);
    }
    bx_buf_free(&play.out);
    bx_buf_free(&play.err);
    free(play.text);
    return 0;
}
