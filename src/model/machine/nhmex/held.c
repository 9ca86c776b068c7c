/* Lines that something holds until a time: a request in MAF, a victim on its way, a home agent. */
#include "model/machine/nhmex/machine.h"

/* Makes room: forgets what has ended, and doubles the array if that is not enough. false: out of
 * memory. */
static bool make_room(struct bx_nhmex_held *held, bx_arena *memory, uint64_t now)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < held->n; i++)
        if (held->of[i].until > now)
            held->of[kept++] = held->of[i];
    held->n = kept;
    if (2 * kept < held->room)
        return true;
    uint32_t room = held->room;
    struct bx_nhmex_hold *of = bx_arena_grow(memory, held->of, room, &room, sizeof *of, 16);
    held->of = of ? of : held->of;
    held->room = room;
    return of;
}

void bx_nhmex_hold(struct bx_nhmex *m, struct bx_nhmex_held *held, uint64_t line, uint64_t from,
                   uint64_t until)
{
    if (held->n == held->room && !make_room(held, &m->model.memory, m->model.time.now))
        return;
    held->of[held->n++] = (struct bx_nhmex_hold){line, from, until};
}

uint64_t bx_nhmex_held_until(const struct bx_nhmex_held *held, uint64_t line, uint64_t t)
{
    for (unsigned i = 0; i < held->n; i++) {
        const struct bx_nhmex_hold *h = &held->of[i];
        if (h->line == line && h->from <= t && h->until > t) /* others may hold it after that */
            return bx_nhmex_held_until(held, line, h->until);
    }
    return t;
}
