/* The times of a machine that is recorded or replayed, and notes in the register log. */
#include "machine/machine.h"

#include "host/register_log/logger.h"
#include "base/buf.h"
#include "base/error.h"
#include "machine/backend/backend.h"
#include "machine/bus_chain.h"

static uint64_t clock_of(const void *machine)
{
    const bx_machine *m = machine;
    return m->backend->calls.now(m->backend);
}

int bx_machine_log(bx_machine *m, const bx_machine_options *o, const bx_log_part *part, bx_error *e)
{
    bx_buf notes = {0};
    if (m->backend->calls.describe_itself)
        m->backend->calls.describe_itself(m->backend, &notes);
    bx_buf_z(&notes, part->notes ? part->notes : "");
    const bx_register_logger_options to = {
        .path = o->log_registers,
        .part = part->number,
        .topology = &m->topology,
        .notes = notes.p,
        .clock = clock_of,
        .of = m,
    };
    int code =
        notes.failed ? bx_out_of_memory(e) : bx_register_logger_new(&to, m->bus, &m->logger, e);
    bx_buf_free(&notes);
    if (code == BX_OK)
        m->bus = bx_register_logger_bus(m->logger);
    return code;
}

uint64_t bx_machine_time(const bx_machine *m)
{
    return m->logger ? bx_register_logger_time(m->logger) : m->backend->calls.now(m->backend);
}

void bx_machine_read_clock(bx_machine *m)
{
    if (m->logger)
        bx_register_logger_read_clock(m->logger);
    if (m->backend->calls.read_clock)
        m->backend->calls.read_clock(m->backend);
}

void bx_machine_mark(bx_machine *m, const char *phase)
{
    if (m->logger)
        bx_register_logger_note(m->logger, phase);
}

bx_str bx_machine_note(const bx_machine *m, const char *key)
{
    const bx_backend *b = m->backend;
    return b->calls.note ? b->calls.note(b, key) : (bx_str){0};
}

int bx_machine_finish(bx_machine *m, bool whole, bx_error *e)
{
    int code = m->logger ? bx_register_logger_end(m->logger, e) : BX_OK;
    bool ends = code == BX_OK && m->backend->calls.finish;
    return ends ? m->backend->calls.finish(m->backend, whole, e) : code;
}

void bx_machine_drop_log(bx_machine *m)
{
    if (m->logger)
        bx_register_logger_drop(m->logger);
}
