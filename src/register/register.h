/* A register of a unit: its address, related registers, and the conditions of its use.
 * bx_cat_reg.bits describes what an access does to its bits. Registers are named by their catalogue
 * index. */
#ifndef BX_REGISTER_REGISTER_H
#define BX_REGISTER_REGISTER_H

#include "base/bits.h"
#include "register/map.h"
#include "seam/bus.h"

/* A value read from an address, and the register that has that address. */
typedef struct bx_raw {
    uint8_t space; /* 0 MSR, 1 PCI, 2 MMIO */
    uint64_t address;
    uint64_t value;
} bx_raw;

/* ---- its address ---- */

/* The address in its own space, in package 0; of a memory-mapped register without the base. */
static inline uint64_t bx_register_offset(const struct bx_catalog *c, unsigned reg, unsigned unit)
{
    return bx_cat_addrs(c)[bx_cat_regs(c)[reg].first_addr + unit];
}

/* The same in a given package. Its PCI functions may be on other buses than those of package 0. */
static inline uint64_t bx_register_offset_in(const struct bx_catalog *c, unsigned package,
                                             unsigned reg, unsigned unit)
{
    return bx_register_offset(c, reg, unit) +
           (uint64_t)package * bx_cat_regs(c)[reg].package_stride;
}

/* The same as an address on the bus, accessed through a CPU of that package. */
static inline bx_address bx_register_address(const struct bx_catalog *c, unsigned package,
                                             unsigned reg, unsigned unit, unsigned cpu)
{
    const bx_cat_reg *r = &bx_cat_regs(c)[reg];
    return (bx_address){r->space, r->width, (uint16_t)cpu,
                        bx_register_offset_in(c, package, reg, unit)};
}

/* Parses an address in C notation, or as the manuals print it (E02H). */
bool bx_register_address_parse(bx_str text, uint64_t *address);

/* The package whose register of this unit is at an address in its own space; UINT16_MAX: none. It
 * is 0 where packages share the address. */
uint16_t bx_register_package_at(const struct bx_catalog *c, unsigned reg, unsigned unit,
                                uint64_t address);

/* The CPU that accesses a unit's register, among the package's CPUs from `first` on. If each core
 * has its own register at the same address, it is a CPU of that core. */
static inline unsigned bx_register_cpu(const struct bx_catalog *c, unsigned reg, unsigned unit,
                                       unsigned first)
{
    bool of_core = bx_cat_pmus(c)[bx_cat_regs(c)[reg].pmu].scope == BX_SCOPE_CORE;
    return of_core ? first + unit : first;
}

/* The same with a value that was read at that address. */
static inline bx_raw bx_register_raw(const struct bx_catalog *c, unsigned reg, unsigned unit,
                                     uint64_t value)
{
    return (bx_raw){bx_cat_regs(c)[reg].space, bx_register_offset(c, reg, unit), value};
}
static inline bool bx_register_is_raw(const struct bx_catalog *c, unsigned reg, unsigned unit,
                                      const bx_raw *raw)
{
    return raw->space == bx_cat_regs(c)[reg].space &&
           bx_register_package_at(c, reg, unit, raw->address) != UINT16_MAX;
}

/* A memory-mapped register is at an offset from a base address. These return the register that
 * holds the base (BX_NONE: `reg` is not memory-mapped), and the base in a value of that register
 * (0: nothing is mapped), by the field that has it or by the memory-mapped register. */
static inline uint16_t bx_register_base_holder(const struct bx_catalog *c, unsigned reg)
{
    uint16_t base = bx_cat_regs(c)[reg].base;
    return base == BX_NONE ? BX_NONE : bx_cat_fields(c)[base].reg;
}
static inline uint64_t bx_base_of(const struct bx_catalog *c, uint16_t field, uint64_t holder)
{
    return holder & bx_cat_field_mask(&bx_cat_fields(c)[field]);
}
static inline uint64_t bx_register_base(const struct bx_catalog *c, unsigned reg, uint64_t holder)
{
    return bx_base_of(c, bx_cat_regs(c)[reg].base, holder);
}

/* ---- related registers ---- */

/* The unit of a register that goes with a unit of `pmu`: that unit if the register is of this PMU,
 * or else the only one. */
static inline unsigned bx_register_unit(const struct bx_catalog *c, unsigned reg, unsigned pmu,
                                        unsigned unit)
{
    return bx_cat_regs(c)[reg].pmu == pmu ? unit : 0;
}

/* ---- its contents ---- */

/* The field's part of its register's value. */
static inline uint64_t bx_field_of(const bx_cat_field *field, uint64_t value)
{
    return bx_bits_get(value, field->lo, field->hi);
}

/* ---- what an access does to its bits ---- */

/* Whether a write of this value is refused: a reserved bit is set, or all fields are read-only. */
static inline bool bx_bits_are_read_only(const bx_cat_bits *b)
{
    return !(b->writable | b->ignored);
}
static inline bool bx_bits_refuse(const bx_cat_bits *b, uint64_t value)
{
    return bx_bits_are_read_only(b) || value & b->reserved;
}

/* Whether reads show nothing that was written. */
static inline bool bx_bits_are_write_only(const bx_cat_bits *b)
{
    return !(b->stored | b->read_only | b->w1c);
}

/* The bits that hold what is written; some of them read 0. */
static inline uint64_t bx_bits_kept(const bx_cat_bits *b)
{
    return b->stored | (b->write_only & ~b->effects);
}

/* What a register that held `old` holds after a write of the bits `which`. extends: of its
 * bx_cat_reg. SDM volume 3, P6 family: a write stores 32 bits of a counter; the bits above become
 * copies of bit 31. */
static inline uint64_t bx_bits_written(const bx_cat_bits *b, unsigned extends, uint64_t old,
                                       uint64_t value, uint64_t which)
{
    uint64_t clears = value & which & b->w1c, kept = bx_bits_kept(b) & which;
    uint64_t low = bx_mask_width(extends + 1U);
    if (extends)
        value = value >> extends & 1 ? value | ~low : value & low;
    return ((old & ~kept) | (value & kept)) & ~clears;
}

/* The bits of a value that a register cannot hold: reserved bits that are set. */
static inline uint64_t bx_register_invalid_bits(const struct bx_catalog *c, unsigned reg,
                                                uint64_t value)
{
    return value & bx_cat_regs(c)[reg].bits.reserved;
}

/* The bits that no field covers, as wide as an access: they read 0. */
uint64_t bx_register_unused_bits(const struct bx_catalog *c, unsigned reg);

/* The counter whose count the register has; NULL: none. */
const bx_cat_counter *bx_register_counter(const struct bx_catalog *c, unsigned reg);
static inline bool bx_register_is_count(const struct bx_catalog *c, unsigned reg)
{
    return bx_register_counter(c, reg);
}

/* The resets by a write of this value: a mask of 1 << enum bx_resets. */
unsigned bx_register_resets(const struct bx_catalog *c, unsigned reg, uint64_t value);

/* Bits of a register. A 1 written to them clears bits of a status register of the same unit. */
typedef struct bx_clearing {
    uint64_t by;
    uint16_t status;
    uint64_t bits; /* of the status */
} bx_clearing;

/* The next of them, from field *i on; false: there are no more. */
bool bx_register_next_clearing(const struct bx_catalog *c, unsigned reg, unsigned *i,
                               bx_clearing *to);

/* ---- conditions ---- */

/* Whether a condition holds while its register has this value. The second function returns the bits
 * of the register with which it holds. */
static inline bool bx_condition_holds(const struct bx_catalog *c, const bx_cat_cond *cond,
                                      uint64_t value)
{
    return bx_field_of(&bx_cat_fields(c)[cond->field], value) == cond->value;
}
static inline uint64_t bx_condition_bits(const struct bx_catalog *c, const bx_cat_cond *cond)
{
    return cond->value << bx_cat_fields(c)[cond->field].lo;
}

/* The condition that must hold while a register is written; NULL: none. */
static inline const bx_cat_cond *bx_register_precondition(const struct bx_catalog *c, unsigned reg)
{
    uint16_t precondition = bx_cat_regs(c)[reg].precondition;
    return precondition == BX_NONE ? NULL : &bx_cat_conds(c)[precondition];
}

/* Whether a condition says that a privilege level is counted. A counter counts if any of these
 * conditions holds. */
static inline bool bx_condition_is_level(const bx_cat_counter *counter, const bx_cat_cond *cond)
{
    return cond->field == counter->user || cond->field == counter->os;
}

/* Whether a counter's counting depends on a register: its control, another counter's, or an enable
 * of the box or the package. */
bool bx_counter_depends_on(const struct bx_catalog *c, const bx_cat_counter *counter, unsigned reg);

/* Whether all conditions hold for a unit's counter to count. Stops at the first condition that does
 * not hold. If a register cannot be read, it returns the errno. */
typedef int bx_register_read_call(const void *of, uint16_t reg, unsigned unit, uint64_t *value);
int bx_counter_is_enabled(const struct bx_catalog *c, const bx_cat_counter *counter, unsigned unit,
                          bx_register_read_call *read, const void *of, bool *enabled);

#endif
