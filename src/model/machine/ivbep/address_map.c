/* The home node and the slice of a line, and messages on the ring. */
#include "model/machine/ivbep/machine.h"

unsigned bx_ivbep_node(const struct bx_ivbep *m, uint64_t line)
{
    uint64_t lines = m->model.node_lines;
    if (lines)
        return bx_node_of_line(line, lines, m->packages);
    return m->packages > 1 ? line >> bx_model_page_shift(&m->model) & 1 : 0;
}

uint64_t bx_ivbep_line_at_node(const struct bx_ivbep *m, uint64_t line)
{
    unsigned page = bx_model_page_shift(&m->model);
    uint64_t in_page = line & ((1u << page) - 1);
    if (m->model.node_lines)
        return line - bx_ivbep_node(m, line) * m->model.node_lines;
    return m->packages > 1 ? line >> (page + 1) << page | in_page : line;
}

unsigned bx_ivbep_slice_number(const struct bx_ivbep *m, uint64_t line)
{
    return bx_slice_of_line(line, m->cores);
}

struct bx_ivbep_slice *bx_ivbep_slice(struct bx_ivbep *m, unsigned package, uint64_t line)
{
    return &m->slice[package][bx_ivbep_slice_number(m, line)];
}

/* The number of stops from one stop up to another. */
static unsigned upwards(const struct bx_ivbep *m, unsigned from, unsigned to)
{
    return to >= from ? to - from : to + m->cores + 1 - from;
}

unsigned bx_ivbep_hops(const struct bx_ivbep *m, unsigned from, unsigned to)
{
    unsigned up = upwards(m, from, to), down = upwards(m, to, from);
    return up < down ? up : down;
}

/* The bit in the unit masks of RING_*_USED. It depends on even or odd line, up or down, and virtual
 * ring 0 or 1. */
static unsigned ring_bit(enum bx_ivbep_ring ring, uint64_t line, bool up)
{
    unsigned odd = line & 1, second = ring != BX_IVBEP_IV && line & 2;
    return odd + (up ? 0 : 2) + (second ? 4 : 0);
}

void bx_ivbep_send(struct bx_ivbep *m, unsigned package, enum bx_ivbep_ring ring, uint64_t line,
                   unsigned from, unsigned to, bool core)
{
    unsigned stops = m->cores + 1;
    bool up = upwards(m, from, to) <= upwards(m, to, from);
    unsigned bit = ring_bit(ring, line, up);

    if (from < m->cores)
        m->slice[package][from].counts.egress[ring + (core ? 4 : 0)]++;
    for (unsigned at = from; at != to;) {
        at = (at + (up ? 1 : stops - 1)) % stops;
        if (at < m->cores)
            m->slice[package][at].counts.ring[ring][bit]++;
    }
}
