/* Data that all processes of a traced program share while their traces are read. */
#include "machine/program/trace/family.h"

#include "tracefile/writer.h"
#include "tracer/trace_format.h"

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
        bx_decoder_free_noted(child->noted);
        free(child);
    }
    bx_trace_ledger_free(&f->ledger);
    bx_trace_notes_free(&f->notes);
    bx_releases_free(f->releases);
    bx_physical_memory_free(f->memory);
    bx_trace_names_free(&f->untraced);
    bx_trace_names_free(&f->left);
}

void bx_trace_family_close(bx_trace_family *f)
{
    if (!bx_trace_names_close(&f->untraced) || !bx_trace_names_close(&f->left))
        bx_trace_family_ran_out(f);
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

bool bx_trace_family_fork(bx_trace_family *f, bx_trace_fork of)
{
    bx_trace_fork *child = malloc(sizeof *child);
    if (!child || !of.space) {
        free(child);
        bx_address_space_free(of.space);
        bx_decoder_free_noted(of.noted);
        return bx_trace_family_ran_out(f);
    }
    of.next = f->forks;
    of.number = ++f->forked;
    *child = of;
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

bool bx_trace_family_name(bx_trace_family *f, bx_trace_names *in, const char *name,
                          uint32_t process)
{
    return bx_trace_names_add(in, name, process) || bx_trace_family_ran_out(f);
}

bool bx_trace_family_note(bx_trace_family *f, uint32_t kind, uint32_t process, const char *text)
{
    return bx_trace_notes_add(&f->notes, kind, process, text) || bx_trace_family_ran_out(f);
}

static void note_in_file(bx_trace_family *f, uint32_t kind, enum bx_part part, uint32_t process,
                         const char *text)
{
    bx_trace_family_note(f, kind, process, text);
    if (f->copy)
        bx_tracefile_write_fact(f->copy, part, process, text);
}

void bx_trace_family_cut(bx_trace_family *f, uint32_t process, const char *text)
{
    note_in_file(f, BX_TRACE_NOTE_CUT, BX_PART_CUT, process, text);
}

void bx_trace_family_tell(bx_trace_family *f, uint32_t process, const char *text)
{
    note_in_file(f, BX_TRACE_NOTES, BX_PART_FACT, process, text);
}
