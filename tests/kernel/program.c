/* Implements program.h. */
#include "program.h"

#include "../cmocked.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static int begin(guest *g, unsigned user, const char *format, va_list words)
{
    char command[900];
    int n = vsnprintf(command, sizeof command, format, words);
    assert_in_range(n, 1, sizeof command - 1);
    return atoi(guest_ask(g, "begin %u %s", user, command));
}

int program_begin(guest *g, unsigned user, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    int pid = begin(g, user, format, words);
    va_end(words);
    return pid;
}

static printed take(guest *g, const char *answer)
{
    printed p = {0};
    if (sscanf(answer, "%d %zu", &p.status, &p.n) != 2)
        fail_msg("init answers '%s'", answer);
    p.text = malloc(p.n + 1);
    assert_non_null(p.text);
    guest_bytes(g, p.text, p.n);
    p.text[p.n] = '\0';
    return p;
}

printed program_end(guest *g, int pid)
{
    return take(g, guest_ask(g, "end %d", pid));
}

printed program_run(guest *g, unsigned user, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    int pid = begin(g, user, format, words);
    va_end(words);
    return program_end(g, pid);
}

bool program_reached(guest *g, const char *name, int pid)
{
    return atoi(guest_ask(g, "reached %s %d", name, pid)) == 1;
}

void program_let(guest *g, const char *name)
{
    guest_ask(g, "let %s", name);
}

void printed_has(const printed *p, int status, const char *const *says)
{
    if (p->status != status)
        fail_msg("status %d, not %d:\n%s", p->status, status, p->text);
    for (; *says; says++)
        if (!strstr(p->text, *says))
            fail_msg("it does not say '%s':\n%s", *says, p->text);
}

void program_says(guest *g, unsigned user, const char *command, int status, const char *const *says)
{
    printed p = program_run(g, user, "%s", command);
    printed_has(&p, status, says);
    free(p.text);
}

printed program_file(guest *g, const char *path)
{
    return take(g, guest_ask(g, "file %s", path));
}

void program_fetch(guest *g, const char *path, const char *to)
{
    printed p = program_file(g, path);
    FILE *f = fopen(to, "w");
    assert_true(f && fwrite(p.text, 1, p.n, f) == p.n && fclose(f) == 0);
    free(p.text);
}

printed program_here(const char *format, ...)
{
    char command[900];
    printed p = {0};
    va_list words;
    int n = snprintf(command, sizeof command, "'%s' ",
                     getenv("BOXSCORE") ? getenv("BOXSCORE") : "boxscore");
    va_start(words, format);
    vsnprintf(command + n, sizeof command - (size_t)n, format, words);
    va_end(words);
    FILE *f = popen(command, "r"), *all = open_memstream(&p.text, &p.n);
    assert_true(f && all);
    for (int c; (c = fgetc(f)) != EOF;)
        fputc(c, all);
    fclose(all);
    int status = pclose(f);
    p.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return p;
}
