/* The times of a machine that is recorded or replayed, and notes in the recording. */
#include "machine/machine.h"

#include "host/record/recorder.h"
#include "base/buf.h"
#include "base/error.h"
#include "machine/backend/backend.h"
#include "machine/bus_chain.h"

static uint64_t clock_of(const void *machine)
{
    const bx_machine *m = machine;
    return m->backend->calls.now(m->backend);
}

int bx_machine_record(bx_machine *m, const bx_machine_options *o, const bx_recording_part *part,
                      bx_error *e)
{
    bx_buf notes = {0};
    if (m->backend->calls.describe_itself)
        m->backend->calls.describe_itself(m->backend, &notes);
    bx_buf_z(&notes, part->notes ? part->notes : "");
    const bx_recorder_options to = {
        .path = o->record,
        .part = part->number,
        .topology = &m->topology,
        .notes = notes.p,
        .clock = clock_of,
        .of = m,
    };
    int code = notes.failed ? bx_out_of_memory(e) : bx_recorder_new(&to, m->bus, &m->recorder, e);
    bx_buf_free(&notes);
    if (code == BX_OK)
        m->bus = bx_recorder_bus(m->recorder);
    return code;
}

uint64_t bx_machine_time(const bx_machine *m)
{
    return m->recorder ? bx_recorder_time(m->recorder) : m->backend->calls.now(m->backend);
}

void bx_machine_read_clock(bx_machine *m)
{
    if (m->recorder)
        bx_recorder_read_clock(m->recorder);
    if (m->backend->calls.read_clock)
        m->backend->calls.read_clock(m->backend);
}

void bx_machine_mark(bx_machine *m, const char *phase)
{
    if (m->recorder)
        bx_recorder_note(m->recorder, phase);
}

bx_str bx_machine_note(const bx_machine *m, const char *key)
{
    const bx_backend *b = m->backend;
    return b->calls.note ? b->calls.note(b, key) : (bx_str){0};
}

int bx_machine_finish(bx_machine *m, bool whole, bx_error *e)
{
    int code = m->recorder ? bx_recorder_end(m->recorder, e) : BX_OK;
    bool ends = code == BX_OK && m->backend->calls.finish;
    return ends ? m->backend->calls.finish(m->backend, whole, e) : code;
}

void bx_machine_drop_recording(bx_machine *m)
{
    if (m->recorder)
        bx_recorder_drop(m->recorder);
}
