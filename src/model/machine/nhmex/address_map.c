/* The home and the slice of a line, and the links between packages. */
#include "model/machine/nhmex/machine.h"

enum { MESH = 5 /* with up to this many packages, all are linked to each other */ };

unsigned bx_nhmex_home(const struct bx_nhmex *m, uint64_t line)
{
    if (m->model.node_lines)
        return bx_node_of_line(line, m->model.node_lines, m->packages);
    return (unsigned)((line >> bx_model_page_shift(&m->model)) % m->packages);
}

uint64_t bx_nhmex_line_at_home(const struct bx_nhmex *m, uint64_t line)
{
    unsigned page = bx_model_page_shift(&m->model);
    uint64_t in_page = line & ((1u << page) - 1), of_side = in_page >> 2 << 1 | (in_page & 1);
    uint64_t at = line >> page;

    at = m->model.node_lines ? at - bx_nhmex_home(m, line) * (m->model.node_lines >> page)
                             : at / m->packages;
    return at << (page - 1) | of_side;
}

unsigned bx_nhmex_slice(const struct bx_nhmex *m, uint64_t line)
{
    return bx_slice_of_line(line, m->cores);
}

/* With more than MESH packages, link k leads to the package whose number differs in these bits. */
static const uint8_t differs[BX_NHMEX_LINKS] = {1, 2, 4, 7};

unsigned bx_nhmex_neighbour(const struct bx_nhmex *m, unsigned package, unsigned link)
{
    return m->packages <= MESH ? (package + link + 1) % m->packages : package ^ differs[link];
}

/* The link to a neighbour; BX_NHMEX_LINKS: `to` is not a neighbour. */
static unsigned link_to(const struct bx_nhmex *m, unsigned from, unsigned to)
{
    unsigned link = 0;

    while (link < BX_NHMEX_LINKS && bx_nhmex_neighbour(m, from, link) != to)
        link++;
    return link;
}

unsigned bx_nhmex_link(const struct bx_nhmex *m, unsigned from, unsigned to)
{
    unsigned direct = link_to(m, from, to);

    for (unsigned link = 0; direct == BX_NHMEX_LINKS && link < BX_NHMEX_LINKS; link++) {
        unsigned between = bx_nhmex_neighbour(m, from, link);
        if (between < m->packages && link_to(m, between, to) < BX_NHMEX_LINKS)
            return link;
    }
    return direct;
}

unsigned bx_nhmex_link_port(unsigned link)
{
    return link < 2 ? link : link + 2;
}

bool bx_nhmex_has_ioh(const struct bx_nhmex *m)
{
    return m->packages < MESH;
}

uint64_t bx_nhmex_occupy(struct bx_nhmex *m, struct bx_queue *s, uint64_t t, uint64_t cycles)
{
    uint64_t begin = bx_queue_begin(s, m->model.time.now, t, cycles);
    uint64_t end = begin + cycles;

    bx_nhmex_queue_put(m, s, t, begin, end);
    if (end > m->last_end)
        m->last_end = end;
    return end;
}
