/* Compares the samples of a register, and decides which of them is its contents. */
#include "guard/read_surely.h"

#include "base/bits.h"
#include "register/register.h"

#include <errno.h>

enum { SAMPLES = 3 };

/* Whether the value is all ones, even in bits that never read 1: then no device has answered. */
static bool reads_absent(const struct bx_catalog *c, unsigned reg, uint64_t value)
{
    const bx_cat_reg *r = &bx_cat_regs(c)[reg];
    uint64_t all = bx_mask_width(r->width);
    return (value & all) == all && (r->bits.hidden || bx_register_unused_bits(c, reg));
}

/* More than any counter counts between two samples. */
enum { FAR = 1 << 24 };

/* Whether the samples are those of a running counter: increasing, by little. */
static bool moves(const struct bx_catalog *c, unsigned reg, const uint64_t samples[SAMPLES])
{
    uint64_t any = samples[0] | samples[1] | samples[2];
    return bx_register_is_count(c, reg) && !(any & bx_register_unused_bits(c, reg)) &&
           samples[1] - samples[0] < FAR && samples[2] - samples[1] < FAR;
}

/* Whether the last of n samples is the contents: 0; EAGAIN: take another one; EBADMSG. */
static int judge(const struct bx_catalog *c, unsigned reg, const uint64_t *samples, unsigned n)
{
    uint64_t last = samples[n - 1];
    for (unsigned i = 0; i + 1 < n; i++)
        if (samples[i] == last && !reads_absent(c, reg, last))
            return 0;
    return n < SAMPLES ? EAGAIN : moves(c, reg, samples) ? 0 : EBADMSG;
}

int bx_read_surely(struct bx_bus *bus, const struct bx_catalog *c, unsigned reg,
                   const bx_address *at, uint64_t *value)
{
    uint64_t samples[SAMPLES];
    int err = EAGAIN;
    for (unsigned n = 0; err == EAGAIN && n < SAMPLES;) {
        err = bus->read(bus, at, &samples[n]);
        *value = samples[n++];
        if (err == 0)
            err = judge(c, reg, samples, n);
    }
    return err;
}
