/* Requests of devices to the uncore, through the slices of package 0. */
#include "model/machine/ivbep/machine.h"

#include "model/part/later.h"

enum { HOME = 0 };

/* A full line whose home is package 0 is written into the LLC. Other writes go to memory. */
static enum bx_ivbep_opcode opcode_of(const struct bx_ivbep *m, bx_access a, uint64_t line)
{
    bool partial = a & BX_ACCESS_PARTIAL;

    if ((a & 3) != BX_STORE)
        return partial ? BX_IVBEP_PCIPRD : BX_IVBEP_PCIRDCUR;
    if (partial)
        return BX_IVBEP_PCIWIL;
    return bx_ivbep_node(m, line) == HOME ? BX_IVBEP_PCIITOM : BX_IVBEP_PCIWILF;
}

/* A load. It fills nothing and evicts nothing. */
static uint64_t line_read_by_io(const struct bx_ivbep_store *io)
{
    if (bx_cache_found(io->way)) {
        bx_ivbep_snoop_cores(io->m, io->s, io->line, io->way, BX_IVBEP_NO_THREAD, false);
        return io->begin + io->m->times.llc_hit;
    }
    struct bx_ivbep_reply reply =
        bx_ivbep_snoop_peer(io->m, HOME, io->line, BX_IVBEP_CURRENT, io->begin);
    bx_ivbep_send_out(io->m, HOME, BX_IVBEP_AD, io->line);
    bx_ivbep_send_in(io->m, HOME, BX_IVBEP_BL, io->line);
    if (reply.gives_line)
        return reply.done;
    return bx_later(reply.done, bx_ivbep_memory(io->m, HOME, io->line, false, io->begin));
}

static uint64_t allocate(const struct bx_ivbep_store *io)
{
    uint64_t done = bx_ivbep_take_line(io).done;

    if (bx_cache_found(io->way)) {
        bx_cache_set_state(&io->s->llc, io->way, BX_LINE_M);
    } else {
        struct bx_cache_way way =
            bx_ivbep_make_way(io->m, HOME, io->line, BX_IVBEP_NO_THREAD, io->begin);
        bx_cache_put(&io->s->llc, way, io->line, BX_LINE_M);
        *bx_cache_cores(&io->s->llc, way) = 0;
    }
    return bx_later(done, io->begin + io->m->times.io_allocate);
}

uint64_t bx_ivbep_io_access(bx_model *model, unsigned agent, bx_access a, uint64_t t)
{
    struct bx_ivbep *m = bx_ivbep_of(model);
    struct bx_ivbep_store io = bx_ivbep_store_of(m, HOME, BX_IVBEP_NO_THREAD, bx_access_line(a));
    bool write = (a & 3) == BX_STORE;
    enum bx_ivbep_opcode opcode = opcode_of(m, a, io.line);
    struct bx_ivbep_entry entry = bx_ivbep_entry_of(m, io.line, opcode, BX_IVBEP_NO_THREAD);

    entry.miss = !bx_cache_found(io.way);
    (void)agent;
    bx_ivbep_counts_to_change(io.s)->lookup[write ? BX_IVBEP_WRITE : BX_IVBEP_READ][bx_cache_state(
        &io.s->llc, io.way)][entry.node][BX_IVBEP_NO_THREAD]++;
    bx_ivbep_send_in(m, HOME, BX_IVBEP_AD, io.line);
    if (write)
        bx_ivbep_send_in(m, HOME, BX_IVBEP_BL, io.line);
    io.begin = bx_ivbep_admit(m, io.s, &entry, BX_IVBEP_IRQ, true, t);
    uint64_t done = !write ? line_read_by_io(&io)
                    : opcode == BX_IVBEP_PCIITOM
                        ? allocate(&io)
                        : bx_ivbep_write_past(&io, opcode == BX_IVBEP_PCIWIL, false);
    bx_ivbep_tor_enter(m, io.s, &entry, done);
    bx_ivbep_send_out(m, HOME, write ? BX_IVBEP_AK : BX_IVBEP_BL, io.line);
    return done;
}
