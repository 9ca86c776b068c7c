/* Data that all processes of a traced program share while their traces are read. */
#include "machine/program/trace/family.h"

#include <stdio.h>
#include <stdlib.h>

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
    bx_trace_notes_free(&f->notes);
    bx_releases_free(f->releases);
    bx_physical_memory_free(f->memory);
    free(f->untraced);
}

void bx_trace_family_close(bx_trace_family *f)
{
    f->no_memory |= bx_physical_memory_ran_out(f->memory) || bx_releases_ran_out(f->releases) ||
                    f->tasks->no_memory;
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
    *child = (bx_trace_fork){f->forks, parent, time, space, at};
    f->forks = child;
    return true;
}

bx_trace_fork bx_trace_family_child(bx_trace_family *f, uint32_t parent, uint64_t time)
{
    bx_trace_fork found = {.space = NULL};
    for (bx_trace_fork **link = &f->forks, *child; (child = *link); link = &child->next)
        if (child->parent == parent && child->time == time) {
            *link = child->next;
            found = *child;
            free(child);
            break;
        }
    return found;
}

bool bx_trace_family_name_untraced(bx_trace_family *f, const char *path, uint32_t process)
{
    char *old = f->untraced, *text;
    if (asprintf(&text, "%s%s%s (process %u)", old ? old : "", old ? ", " : "", path, process) < 0)
        return bx_trace_family_ran_out(f);
    free(old);
    f->untraced = text;
    return true;
}
