/* Facts that tracers tell about a program's processes. */
#include "machine/program/trace/notes.h"

#include "base/buf.h"
#include "base/printable.h"
#include "tracer/trace_format.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 16 }; /* a program with many faults does not fill the screen */

struct bx_trace_fact {
    char *text;
    uint32_t process, last; /* the first one, and the last one */
    uint64_t processes;
};

static bool write_text(bx_trace_notes *n)
{
    bx_buf to = {0};
    for (size_t i = 0; i < n->n; i++) {
        const struct bx_trace_fact *f = &n->facts[i];
        const bool named = *f->text == '\''; /* it begins with the program's name */
        bx_buf_f(&to, "%sprocess %u%s", i ? "\n " : "", f->process,
                 named || f->processes > 1 ? ", " : " ");
        if (f->processes > 1)
            bx_buf_f(&to, "and %llu more, ", (unsigned long long)f->processes - 1);
        bx_buf_z(&to, f->text);
    }
    if (n->more)
        bx_buf_f(&to, "\n and %llu more notes of the tracer", (unsigned long long)n->more);
    char *text = to.failed ? NULL : strdup(bx_buf_text(&to));
    bx_buf_free(&to);
    if (!text)
        return false;
    free(n->text);
    n->text = text;
    return true;
}

static struct bx_trace_fact *find_fact(const bx_trace_notes *n, const char *text)
{
    for (size_t i = 0; i < n->n; i++)
        if (strcmp(n->facts[i].text, text) == 0)
            return &n->facts[i];
    return NULL;
}

static bool append_fact(bx_trace_notes *n, uint32_t process, const char *text)
{
    struct bx_trace_fact *more = realloc(n->facts, (n->n + 1) * sizeof *more);
    if (!more)
        return false;
    n->facts = more;
    char *copy = strdup(text);
    if (!copy)
        return false;
    bx_printable(copy, strlen(copy));
    n->facts[n->n++] = (struct bx_trace_fact){copy, process, process, 1};
    return true;
}

bool bx_trace_notes_add(bx_trace_notes *n, uint32_t kind, uint32_t process, const char *text)
{
    struct bx_trace_fact *known = find_fact(n, text);
    n->cut += kind == BX_TRACE_NOTE_CUT;
    if (known) {
        known->processes += known->last != process;
        known->last = process;
    } else if (n->n == MOST) {
        n->more++;
    } else if (!append_fact(n, process, text)) {
        return false;
    }
    return write_text(n);
}

void bx_trace_notes_free(bx_trace_notes *n)
{
    for (size_t i = 0; i < n->n; i++)
        free(n->facts[i].text);
    free(n->facts);
    free(n->text);
}
