/* Restores what a client changed: counters are stopped first, enables set last. */
#include "base/bits.h"
#include "helper/saved_registers.h"

#include <errno.h>

/* What fails once may succeed the next time. */
enum { ROUNDS = 3 };

static int write_if_other(const bx_register_policy *k, const bx_saved_register *one, uint64_t now,
                          uint64_t value)
{
    return value == now ? 0 : k->bus->write(k->bus, &one->at, value);
}

/* Restores the register, but disabled: so a register whose write resets counters need not be
 * written again after them. */
static int disable_one(const bx_register_policy *k, const bx_saved_register *one)
{
    uint64_t now;
    int err = k->bus->read(k->bus, &one->at, &now);
    uint64_t back = bx_policy_disabled(k, one->r, bx_allow_restore_value(one->r, one->first));
    return err ? err : write_if_other(k, one, now, back);
}

/* Makes the precondition of a register hold; the precondition's register is restored in its own
 * step. */
static int set_precondition(const bx_register_policy *k, const bx_saved_register *one)
{
    bx_address at;
    const bx_cat_cond *cond = bx_policy_precondition(k, one, &at);
    const bx_cat_field *f = cond ? &bx_cat_fields(k->t->catalog)[cond->field] : NULL;
    uint64_t now;
    int err = cond ? k->bus->read(k->bus, &at, &now) : 0;
    if (!cond || err || bx_bits_get(now, f->lo, f->hi) == cond->value)
        return err;
    return k->bus->write(k->bus, &at, bx_bits_set(now, f->lo, f->hi, cond->value));
}

/* Clears status bits through the register of the unit that clears them. */
static int clear(const bx_register_policy *k, const bx_saved_register *one, uint64_t bits)
{
    bx_address at;
    uint64_t clearing = bx_policy_clearing(k, one, bits, &at);
    return clearing ? k->bus->write(k->bus, &at, clearing) : 0;
}

/* EBADMSG: it reads otherwise than it was written. */
static int put_back(const bx_register_policy *k, const bx_saved_register *one)
{
    uint64_t now;
    int err = k->bus->read(k->bus, &one->at, &now);
    if (err)
        return err;
    if (!one->r->write)
        return clear(k, one, now & ~one->first);
    uint64_t back =
        bx_allow_restore_value(one->r, one->first) | (now & ~one->first & one->r->clears);
    err = write_if_other(k, one, bx_allow_restore_value(one->r, now), back);
    if (!err)
        err = k->bus->read(k->bus, &one->at, &now);
    return err ? err : (now ^ back) & one->r->write & ~one->r->triggers ? EBADMSG : 0;
}

/* Tries to restore all registers; those that already hold their value are not written. Returns how
 * many are not restored. */
static size_t put_all_back(const bx_register_policy *k, bx_saved_registers *saved)
{
    size_t not_restored = 0;
    for (size_t i = 0; i < saved->n; i++)
        if (k->roles[saved->list[i].r->reg] & (BX_ROLE_ENABLE | BX_ROLE_CONTROL))
            disable_one(k, &saved->list[i]); /* a failure is found again below */
    for (size_t i = 0; i < saved->n; i++)
        set_precondition(k, &saved->list[i]);
    for (unsigned step = BX_RESTORE_FIRST; step < BX_RESTORE_STEPS; step++) {
        for (size_t i = 0; i < saved->n; i++) {
            if (bx_policy_step(k, saved->list[i].r) != step)
                continue;
            saved->list[i].not_restored = put_back(k, &saved->list[i]) != 0;
            not_restored += saved->list[i].not_restored;
        }
    }
    return not_restored;
}

/* Whether a register stays in the list: it is not restored, or is the precondition of one that is
 * not. */
static bool stays(const bx_register_policy *k, const bx_saved_registers *saved,
                  const bx_saved_register *one)
{
    bool needed = one->not_restored;
    for (size_t i = 0; i < saved->n && !needed; i++) {
        bx_address at;
        needed = saved->list[i].not_restored && bx_policy_precondition(k, &saved->list[i], &at) &&
                 bx_allow_find(k->allow, &at) == one->r;
    }
    return needed;
}

size_t bx_saved_put_back(const bx_register_policy *k, bx_saved_registers *saved,
                         bx_saved_register *failed)
{
    size_t not_restored = 1, n = 0;
    for (unsigned round = 0; not_restored && round < ROUNDS; round++)
        not_restored = put_all_back(k, saved);
    for (size_t i = saved->n; i-- > 0;)
        if (saved->list[i].not_restored)
            *failed = saved->list[i];
    for (size_t i = 0; not_restored && i < saved->n; i++) {
        const bx_saved_register one = saved->list[i];
        if (stays(k, saved, &one))
            saved->list[n++] = one;
    }
    saved->n = n;
    return not_restored;
}
