/* Putting back what a client changed: counters stopped first, gates opened last. */
#include "base/bits.h"
#include "helper/saved_registers.h"

#include <errno.h>

/* What fails once may do the second time. */
enum { ROUNDS = 3 };

static int write_if_other(const bx_keeper *k, const bx_kept_register *one, uint64_t now,
                          uint64_t value)
{
    return value == now ? 0 : k->bus->write(k->bus, &one->at, value);
}

/* As it was, but shut: one that sets counters back as long as it is written is then not written
 * once more after these. */
static int close_one(const bx_keeper *k, const bx_kept_register *one)
{
    uint64_t now;
    int why = k->bus->read(k->bus, &one->at, &now);
    uint64_t back = bx_keeper_shut(k, one->r, bx_allow_back(one->r, one->first));
    return why ? why : write_if_other(k, one, now, back);
}

/* Makes the guard of a register hold; it is put back in its turn. */
static int unguard(const bx_keeper *k, const bx_kept_register *one)
{
    bx_address at;
    const bx_cat_cond *cond = bx_keeper_guard(k, one, &at);
    const bx_cat_field *f = cond ? &bx_cat_fields(k->t->catalog)[cond->field] : NULL;
    uint64_t now;
    int why = cond ? k->bus->read(k->bus, &at, &now) : 0;
    if (!cond || why || bx_bits_get(now, f->lo, f->hi) == cond->value)
        return why;
    return k->bus->write(k->bus, &at, bx_bits_set(now, f->lo, f->hi, cond->value));
}

/* Clears bits of a status through the register of its unit that does that. */
static int clear(const bx_keeper *k, const bx_kept_register *one, uint64_t bits)
{
    bx_address at;
    uint64_t clearing = bx_keeper_clearing(k, one, bits, &at);
    return clearing ? k->bus->write(k->bus, &at, clearing) : 0;
}

/* EBADMSG: it was written, but reads otherwise. */
static int put_back(const bx_keeper *k, const bx_kept_register *one)
{
    uint64_t now;
    int why = k->bus->read(k->bus, &one->at, &now);
    if (why)
        return why;
    if (!one->r->write)
        return clear(k, one, now & ~one->first);
    uint64_t back = bx_allow_back(one->r, one->first) | (now & ~one->first & one->r->clears);
    why = write_if_other(k, one, bx_allow_back(one->r, now), back);
    if (!why)
        why = k->bus->read(k->bus, &one->at, &now);
    return why ? why : (now ^ back) & one->r->write & ~one->r->acts ? EBADMSG : 0;
}

/* Everything once more: what is as it was is not written. Returns how many are not. */
static size_t put_all_back(const bx_keeper *k, bx_kept *kept)
{
    size_t left = 0;
    for (size_t i = 0; i < kept->n; i++)
        if (k->roles[kept->list[i].r->reg] & (BX_ROLE_GATE | BX_ROLE_CONTROL))
            close_one(k, &kept->list[i]); /* a failure shows again below */
    for (size_t i = 0; i < kept->n; i++)
        unguard(k, &kept->list[i]);
    for (unsigned turn = BX_FIRST_TURN; turn < BX_TURNS; turn++) {
        for (size_t i = 0; i < kept->n; i++) {
            if (bx_keeper_turn(k, kept->list[i].r) != turn)
                continue;
            kept->list[i].left = put_back(k, &kept->list[i]) != 0;
            left += kept->list[i].left;
        }
    }
    return left;
}

/* It is left, or one that is left needs it on the way. */
static bool stays(const bx_keeper *k, const bx_kept *kept, const bx_kept_register *one)
{
    bool needed = one->left;
    for (size_t i = 0; i < kept->n && !needed; i++) {
        bx_address at;
        needed = kept->list[i].left && bx_keeper_guard(k, &kept->list[i], &at) &&
                 bx_allow_find(k->allow, &at) == one->r;
    }
    return needed;
}

size_t bx_kept_put_back(const bx_keeper *k, bx_kept *kept, bx_kept_register *failed)
{
    size_t left = 1, n = 0;
    for (unsigned round = 0; left && round < ROUNDS; round++)
        left = put_all_back(k, kept);
    for (size_t i = kept->n; i-- > 0;)
        if (kept->list[i].left)
            *failed = kept->list[i];
    for (size_t i = 0; left && i < kept->n; i++) {
        const bx_kept_register one = kept->list[i];
        if (stays(k, kept, &one))
            kept->list[n++] = one;
    }
    kept->n = n;
    return left;
}
