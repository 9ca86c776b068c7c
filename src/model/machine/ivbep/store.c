/* Stores that fill no private cache: those of devices, and non-temporal stores of cores. */
#include "model/machine/ivbep/machine.h"

struct bx_ivbep_store bx_ivbep_store_of(struct bx_ivbep *m, unsigned package, unsigned self,
                                        uint64_t line)
{
    struct bx_ivbep_slice *s = bx_ivbep_slice(m, package, line);

    return (struct bx_ivbep_store){.m = m,
                                   .package = package,
                                   .self = self,
                                   .line = line,
                                   .number = bx_ivbep_slice_number(m, line),
                                   .s = s,
                                   .way = bx_cache_find(&s->llc, line)};
}

struct bx_ivbep_taken bx_ivbep_take_line(const struct bx_ivbep_store *st)
{
    struct bx_ivbep_taken taken = {.done = st->begin};
    bool alone = false;

    if (bx_cache_found(st->way)) {
        bx_ivbep_snoop_cores(st->m, st->s, st->line, st->way, st->self, true);
        enum bx_line_state state = bx_cache_state(&st->s->llc, st->way);
        taken.dirty = bx_line_is_dirty(state);
        alone = taken.dirty || state == BX_LINE_E;
    }
    if (alone || st->m->packages < 2)
        return taken;
    bx_ivbep_send_out(st->m, st->package, BX_IVBEP_AD, st->line);
    struct bx_ivbep_reply reply =
        bx_ivbep_snoop_peer(st->m, st->package, st->line, BX_IVBEP_INVALIDATE, st->begin);
    taken.peer_dirty = reply.dirty;
    taken.done = reply.done;
    return taken;
}

static uint64_t store_in_memory(const struct bx_ivbep_store *st, uint64_t t)
{
    bx_ivbep_send_out(st->m, st->package, BX_IVBEP_AD, st->line);
    bx_ivbep_send_out(st->m, st->package, BX_IVBEP_BL, st->line);
    return bx_ivbep_memory(st->m, st->package, st->line, true, t);
}

uint64_t bx_ivbep_write_past(const struct bx_ivbep_store *st, bool partial, bool flushes)
{
    struct bx_ivbep_taken taken = bx_ivbep_take_line(st);
    bool aliases = taken.dirty && st->self != BX_IVBEP_NO_THREAD && !flushes;

    if (aliases)
        bx_ivbep_counts_to_change(st->s)->misc[BX_IVBEP_WC_ALIASING]++;
    if (aliases || (partial && (taken.dirty || taken.peer_dirty)))
        taken.done = store_in_memory(st, taken.done);
    if (bx_cache_found(st->way))
        bx_cache_drop(&st->s->llc, st->way);
    return flushes ? taken.done : store_in_memory(st, taken.done);
}

/* ---- non-temporal stores, and flushes ---- */

uint64_t bx_ivbep_non_temporal_store(bx_model *model, unsigned agent, bx_access a, uint64_t t)
{
    struct bx_ivbep_of_core of = bx_ivbep_of_core(model, agent);
    struct bx_ivbep *m = of.m;
    unsigned package = of.package, core = of.number;
    bool flushes = bx_access_flushes(a), partial = a & BX_ACCESS_PARTIAL || flushes;
    uint64_t line = bx_access_line(a);

    struct bx_ivbep_store st = bx_ivbep_store_of(m, package, core, line);
    struct bx_ivbep_entry entry =
        bx_ivbep_entry_of(m, line, partial ? BX_IVBEP_WCIL : BX_IVBEP_WCILF, core);

    entry.miss = !bx_cache_found(st.way);
    bx_ivbep_counts_to_change(st.s)
        ->lookup[BX_IVBEP_WRITE][bx_cache_state(&st.s->llc, st.way)][entry.node][core]++;
    bx_ivbep_send(m, package, BX_IVBEP_AD, line, core, st.number, true);
    if (!flushes)
        bx_ivbep_send(m, package, BX_IVBEP_BL, line, core, st.number, true);
    st.begin = bx_ivbep_admit(m, st.s, &entry, BX_IVBEP_IRQ, false, t);
    uint64_t done = bx_ivbep_write_past(&st, partial, flushes);
    bx_ivbep_tor_enter(m, st.s, &entry, done);
    bx_ivbep_send(m, package, BX_IVBEP_AK, line, st.number, core, false);
    return done + bx_ivbep_hops(m, core, st.number);
}
