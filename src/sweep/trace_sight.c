/* Compares a trace's head with machines. */
#include "sweep/trace_sight.h"

#include "base/buf.h"
#include "machine/machine.h"
#include "machine/program/trace/file.h"
#include "tracefile/reader.h"

#include <inttypes.h>
#include <string.h>

int bx_trace_sight_read(const char *path, bx_arena *arena, bx_trace_sight *to, bx_error *e)
{
    bx_trace_file *file = NULL;
    int code = bx_trace_file_open(path, &file, e);
    if (code)
        return code;
    const bx_tracefile_head *head = bx_tracefile_reader_head(bx_trace_file_reader(file));
    *to = (bx_trace_sight){
        .features = head->features ? bx_arena_copy(arena, bx_str_of(head->features)) : NULL,
        .cpus = head->cpus};
    bx_trace_file_close(file);
    return arena->failed ? bx_out_of_memory(e) : BX_OK;
}

const char *bx_trace_sight_differs(const bx_trace_sight *s, const bx_catalog *c,
                                   const char *machine, bx_arena *arena)
{
    bx_machine *m = NULL;
    if (bx_machine_open(c, machine, &m, NULL))
        return NULL;
    const bx_surroundings shown = bx_machine_surroundings(m);
    bx_buf text = {.whole = &arena->failed};
    if (s->cpus && shown.cpus && s->cpus != shown.cpus)
        bx_buf_f(&text, "the trace is of %" PRIu64 " CPU%s, the machine has %u", s->cpus,
                 s->cpus == 1 ? "" : "s", shown.cpus);
    if (s->features && shown.features && strcmp(s->features, shown.features) != 0)
        bx_buf_f(&text, "%sthe trace is of CPU features %.40s, the machine has %.40s",
                 text.n ? "; " : "", s->features, shown.features);
    const char *differs = text.n ? bx_arena_copy(arena, bx_str_of(bx_buf_text(&text))) : NULL;
    bx_buf_free(&text);
    bx_machine_close(m);
    return differs;
}
