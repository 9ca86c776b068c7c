/* A list of processes as text. */
#include "machine/program/trace/names.h"

#include "base/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 16, NAME_MOST = 200 }; /* processes with their names; bytes of a name */

static bool append_words(bx_trace_names *n, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool append_words(bx_trace_names *n, const char *format, ...)
{
    char *more = NULL, *text;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&more, format, args);
    va_end(args);
    if (length < 0)
        return false;
    length = asprintf(&text, "%s%s%s", n->text ? n->text : "", n->text ? ", " : "", more);
    free(more);
    if (length < 0)
        return false;
    free(n->text);
    n->text = text;
    return true;
}

bool bx_trace_names_add(bx_trace_names *n, const char *process, uint32_t number)
{
    char name[NAME_MOST + 1];
    snprintf(name, sizeof name, "%s", process);
    bx_printable(name, strlen(name)); /* the program has chosen it */
    return n->n++ >= NAMED || append_words(n, "%s (process %u)", name, number);
}

bool bx_trace_names_close(bx_trace_names *n)
{
    uint64_t more = n->n > NAMED ? n->n - NAMED : 0;
    n->n = 0;
    return !more || append_words(n, "and %llu more", (unsigned long long)more);
}

void bx_trace_names_free(bx_trace_names *n)
{
    free(n->text);
}
