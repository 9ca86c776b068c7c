/* Register accesses of virtual PMUs: MSRs, PCI configuration space, memory. */
#include "vpmu/internal.h"

#include <errno.h>

/* ---- MSRs ---- */

/* Bits of MSR 1A4H: Intel, "Disclosure of Hardware Prefetcher Control on Some Intel Processors". */
enum { PREFETCHERS = 0xf };

/* The bank that an access reaches: some registers exist only in the first bank. */
static bx_vpmu *holder(bx_vpmu *v, const bx_vmapping *mapping)
{
    return mapping->at.of_machine ? v->machine : v;
}

static bx_vreg *register_at(const bx_vpmu *v, const bx_vmapping *mapping)
{
    return bx_vpmu_at(v, mapping->at, mapping->cpu);
}

static void note_read(bx_vpmu *v, const bx_vreg *r)
{
    if (r->counter != BX_NONE)
        bx_vpmu_note_read(v, &v->counters[r->counter]);
}

static int read_msr(bx_vpmu *v, const bx_address *at, uint64_t *value)
{
    bool absent;
    const bx_vmapping mapping = bx_vpmu_find(v, at, &absent);
    if (absent)
        return EIO;
    v = holder(v, &mapping);
    const bx_vreg *r = register_at(v, &mapping);
    note_read(v, r);
    *value = bx_vpmu_read_reg(v, r);
    return 0;
}

static int write_msr(bx_vpmu *v, const bx_address *at, uint64_t value)
{
    bool absent;
    const bx_vmapping mapping = bx_vpmu_find(v, at, &absent);
    if (absent)
        return EIO;
    v = holder(v, &mapping);
    if (!bx_vpmu_write_reg(v, register_at(v, &mapping), value, ~UINT64_C(0)))
        return EIO;
    uint16_t passive = mapping.row->passive;
    if (passive != BX_NONE && bx_cat_passives(v->topology.catalog)[passive].prefetchers &&
        v->signals->set_prefetchers)
        v->signals->set_prefetchers(v->signals, at->cpu, value & PREFETCHERS);
    return 0;
}

/* ---- PCI configuration space and memory, in 32-bit words ---- */

static uint64_t read_word(bx_vpmu *v, const bx_address *at)
{
    bool absent;
    const bx_vmapping mapping = bx_vpmu_find(v, at, &absent);
    if (!mapping.row)
        return absent ? UINT32_MAX : 0;
    v = holder(v, &mapping);
    const bx_vreg *r = register_at(v, &mapping);
    if (mapping.shift == 0) /* once for all words of the register */
        note_read(v, r);
    uint64_t value = bx_vpmu_read_reg(v, r);
    return value >> mapping.shift & UINT32_MAX;
}

/* Writes a part of a word. Never faults: bits that cannot be written keep their value. */
static void write_word(bx_vpmu *v, const bx_address *at, uint64_t value, uint64_t which)
{
    bool absent;
    const bx_vmapping mapping = bx_vpmu_find(v, at, &absent);
    if (!mapping.row)
        return;
    v = holder(v, &mapping);
    bx_vreg *r = register_at(v, &mapping);
    which = which << mapping.shift & ~r->bits->reserved;
    bx_vpmu_write_reg(v, r, value << mapping.shift, which);
}

/* The next part of an access that lies within one word. */
typedef struct part {
    bx_address word;
    unsigned lo, bits; /* position and number of bits in the word */
} part;

static part part_at(const bx_address *at, unsigned done)
{
    uint64_t address = at->offset + done / 8;
    unsigned lo = 8 * (unsigned)(address & 3);
    unsigned bits = at->width - done < 32 - lo ? at->width - done : 32 - lo;
    return (part){{at->space, 32, at->cpu, address & ~UINT64_C(3)}, lo, bits};
}

static uint64_t read_words(bx_vpmu *v, const bx_address *at)
{
    uint64_t value = 0;
    part p;
    for (unsigned done = 0; done < at->width; done += p.bits) {
        p = part_at(at, done);
        value |= (read_word(v, &p.word) >> p.lo & bx_mask_width(p.bits)) << done;
    }
    return value;
}

static void write_words(bx_vpmu *v, const bx_address *at, uint64_t value)
{
    part p;
    for (unsigned done = 0; done < at->width; done += p.bits) {
        p = part_at(at, done);
        write_word(v, &p.word, value >> done << p.lo, bx_mask_width(p.bits) << p.lo);
    }
}

/* ---- the bus ---- */

static int check_address(const bx_vpmu *v, const bx_address *at)
{
    if (at->cpu >= v->cpus || at->space > BX_SPACE_MMIO)
        return ENXIO;
    if (at->space == BX_SPACE_MSR)
        return 0;
    return at->width == 8 || at->width == 16 || at->width == 32 || at->width == 64 ? 0 : EINVAL;
}

static int read_virtual(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    bx_vpmu *v = (bx_vpmu *)(void *)bus;
    int err = check_address(v, at);
    if (err)
        return err;
    if (v->due != BX_NEVER)
        bx_vpmu_catch_up(v);
    if (at->space == BX_SPACE_MSR)
        return read_msr(v, at, value);
    *value = read_words(v, at);
    return 0;
}

static int write_virtual(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    bx_vpmu *v = (bx_vpmu *)(void *)bus;
    int err = check_address(v, at);
    if (err)
        return err;
    bx_vpmu_catch_up(v);
    if (at->space == BX_SPACE_MSR)
        err = write_msr(v, at, value);
    else
        write_words(v, at, value);
    bx_vpmu_set_alarm(v);
    return err;
}

/* Does nothing: the bus is a part of the virtual PMUs and ends with them. */
static void close_virtual(struct bx_bus *bus)
{
    (void)bus;
}

void bx_vpmu_init_bus(bx_vpmu *v)
{
    v->bus = (struct bx_bus){.read = read_virtual, .write = write_virtual, .close = close_virtual};
}

struct bx_bus *bx_vpmu_bus(bx_vpmu *v)
{
    return &v->bus;
}

bx_signals *bx_vpmu_signals(bx_vpmu *v)
{
    return v->signals;
}
