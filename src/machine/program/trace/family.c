/* Data that all processes of a traced program share while their traces are read. */
#include "machine/program/trace/family.h"

#include "base/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 16, NAME_MOST = 200 }; /* programs without a trace; bytes of a name */

static bool append_untraced(bx_trace_family *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool bx_trace_family_begin(bx_trace_family *f, bx_tasks *tasks, struct bx_frames *frames)
{
    *f = (bx_trace_family){
        .tasks = tasks, .memory = bx_physical_memory_new(frames), .releases = bx_releases_new()};
    return f->memory && f->releases;
}

void bx_trace_family_end(bx_trace_family *f)
{
    for (bx_trace_fork *child; (child = f->forks);) {
        f->forks = child->next;
        bx_address_space_free(child->space);
        free(child);
    }
    bx_trace_ledger_free(&f->ledger);
    bx_trace_notes_free(&f->notes);
    bx_releases_free(f->releases);
    bx_physical_memory_free(f->memory);
    free(f->untraced);
}

void bx_trace_family_close(bx_trace_family *f)
{
    if (f->untraced_n > NAMED)
        append_untraced(f, "and %llu more", (unsigned long long)f->untraced_n - NAMED);
    f->untraced_n = 0;
    f->no_memory |= bx_physical_memory_ran_out(f->memory) || bx_releases_ran_out(f->releases) ||
                    f->ledger.no_memory || f->tasks->no_memory;
}

bool bx_trace_family_refuse(bx_trace_family *f, const char *why)
{
    if (!f->malformed)
        f->malformed = why;
    return false;
}

bool bx_trace_family_ran_out(bx_trace_family *f)
{
    f->no_memory = true;
    return bx_trace_family_refuse(f, "no memory for it");
}

bool bx_trace_family_fork(bx_trace_family *f, uint32_t parent, uint64_t time,
                          bx_address_space *space, bx_point at)
{
    bx_trace_fork *child = malloc(sizeof *child);
    if (!child || !space) {
        free(child);
        bx_address_space_free(space);
        return bx_trace_family_ran_out(f);
    }
    *child = (bx_trace_fork){f->forks, ++f->forked, parent, time, space, at};
    f->forks = child;
    return true;
}

bx_trace_fork bx_trace_family_child(bx_trace_family *f, uint32_t parent, uint64_t time,
                                    uint64_t after)
{
    bx_trace_fork found = {.space = NULL}, **best = NULL;
    for (bx_trace_fork **link = &f->forks; *link && (*link)->number > after; link = &(*link)->next)
        if ((*link)->time == time && (!best || (*link)->parent == parent))
            best = link;
    if (best) {
        bx_trace_fork *child = *best;
        *best = child->next;
        found = *child;
        free(child);
    }
    return found;
}

static bool append_untraced(bx_trace_family *f, const char *format, ...)
{
    char *old = f->untraced, *more = NULL, *text;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&more, format, args);
    va_end(args);
    if (n < 0)
        return bx_trace_family_ran_out(f);
    n = asprintf(&text, "%s%s%s", old ? old : "", old ? ", " : "", more);
    free(more);
    if (n < 0)
        return bx_trace_family_ran_out(f);
    free(old);
    f->untraced = text;
    return true;
}

bool bx_trace_family_name_untraced(bx_trace_family *f, const char *path, uint32_t process)
{
    char name[NAME_MOST + 1];
    snprintf(name, sizeof name, "%s", path);
    bx_printable(name, strlen(name)); /* the program has chosen it */
    return f->untraced_n++ >= NAMED || append_untraced(f, "%s (process %u)", name, process);
}
