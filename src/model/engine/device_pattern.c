/* Built-in workloads of devices and graphics, and of cores that use devices. */
#include "model/engine/pattern_steps.h"

#include "model/engine/permute.h"

/* Whether this request is a write; `write` percent are, evenly distributed. */
static bool is_write_next(const struct bx_generator *g)
{
    uint64_t percent = g->key[BX_KEY_WRITE];
    return (g->done + 1) * percent / 100 != g->done * percent / 100;
}

/* Registers of a device, above all memory; a core has its own. Loads are waited for. */
void bx_step_mmio(struct bx_generator *g)
{
    const uint64_t registers = UINT64_C(1) << (BX_LINE_BITS - 1);
    uint64_t step = g->key[BX_KEY_STEP], size = g->key[BX_KEY_SIZE];
    bool write = is_write_next(g);
    uint64_t at = g->key[BX_KEY_AT] + size * g->rank + bx_generator_advance(g, 0, step);
    unsigned flags = (step < bx_generator_line_bytes(g) ? BX_ACCESS_PARTIAL : 0) |
                     (write ? 0 : BX_ACCESS_DEPENDENT);

    g->buffer[g->n++] =
        bx_access_uncacheable(registers + (at >> g->line_shift), write ? BX_STORE : BX_LOAD, flags,
                              (unsigned)g->key[BX_KEY_PERIOD]);
}

/* I/O ports: a core has its own. IN and OUT are always waited for. */
void bx_step_ports(struct bx_generator *g)
{
    bool write = is_write_next(g);

    g->buffer[g->n++] = bx_access_uncacheable(g->rank, write ? BX_STORE : BX_LOAD,
                                              BX_ACCESS_PARTIAL | BX_ACCESS_DEPENDENT,
                                              (unsigned)g->key[BX_KEY_PERIOD]) |
                        BX_ACCESS_PORT;
}

void bx_step_dma(struct bx_generator *g)
{
    unsigned period = (unsigned)g->key[BX_KEY_PERIOD];
    uint64_t step = g->key[BX_KEY_STEP], read = g->key[BX_KEY_READ];

    if (is_write_next(g))
        bx_generator_emit(g, 0, bx_generator_advance(g, 0, step), BX_STORE,
                          step < bx_generator_line_bytes(g) ? BX_ACCESS_PARTIAL : 0, period);
    else
        bx_generator_emit(g, 0, bx_generator_advance(g, 1, read), BX_LOAD,
                          read < bx_generator_line_bytes(g) ? BX_ACCESS_PARTIAL : 0, period);
}

/* Reads textures in tiles of 4 KiB, and writes the frame buffer from one end to the other. */
void bx_step_gfx(struct bx_generator *g)
{
    unsigned period = (unsigned)g->key[BX_KEY_PERIOD];
    const uint64_t tile = BX_GENERATOR_PAGE;

    if (is_write_next(g)) {
        bx_generator_emit(g, 1, bx_generator_advance(g, 0, bx_generator_line_bytes(g)), BX_STORE, 0,
                          period);
        return;
    }
    if (g->position[1] % tile == 0)
        g->position[1] = bx_random(&g->random) % (g->key[BX_KEY_SIZE] / tile) * tile;
    bx_generator_emit(g, 0, g->position[1], BX_LOAD, 0, period);
    g->position[1] += bx_generator_line_bytes(g);
}
