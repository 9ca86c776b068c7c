#include "cli/measure/recorded.h"

#include "base/buf.h"
#include "base/printable.h"
#include "machine/machine.h"
#include "tracer/environment.h"

#include <inttypes.h>

/* A note is one line. */
static void text_note(bx_buf *to, const char *key, const char *text)
{
    if (!text)
        return;
    bx_buf_f(to, "%s: ", key);
    for (const char *p = text; *p; p++)
        bx_buf_add(to, *p == '\n' ? " " : p, 1);
    bx_buf_z(to, "\n");
}

const char *bx_recorded_notes(const bx_recorded *r, bx_arena *arena)
{
    bx_buf text = {0};
    text_note(&text, "events", r->events);
    text_note(&text, "subject", r->subject);
    text_note(&text, "lackey", r->lackey);
    bx_buf_f(&text, "interval: %" PRIu64 " ns\nruns: %" PRIu64 "\npasses: %s\n", r->interval,
             r->runs, r->repeat ? "repeat" : "rotate");
    if (r->shown.cpus)
        bx_buf_f(&text,
                 "program finds: %s features, %u CPUs, its stack at a multiple of %d bytes\n",
                 r->shown.features ? r->shown.features : "the host's", r->shown.cpus,
                 BX_TRACE_STACK_STEP);
    const char *notes = text.failed ? NULL : bx_arena_copy(arena, (bx_str){text.p, text.n});
    bx_buf_free(&text);
    return notes;
}

static const char *copied(const bx_machine *m, const char *key, bx_arena *arena)
{
    bx_str note = bx_machine_note(m, key);
    char *copy = note.n ? bx_arena_copy(arena, note) : NULL;
    if (copy)
        bx_printable(copy, note.n);
    return copy;
}

static uint64_t number(const bx_machine *m, const char *key)
{
    uint64_t value;
    bx_str note = bx_machine_note(m, key);
    return bx_str_u64(bx_str_cut(&note, ' '), &value) ? value : 0;
}

bx_recorded bx_recorded_read(const bx_machine *m, bx_arena *arena)
{
    return (bx_recorded){
        .events = copied(m, "events", arena),
        .subject = copied(m, "subject", arena),
        .interval = number(m, "interval"),
        .runs = number(m, "runs"),
        .repeat = bx_str_eq(bx_machine_note(m, "passes"), BX_STR("repeat")),
    };
}
