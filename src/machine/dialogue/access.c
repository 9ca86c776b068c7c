/* Addresses of the dialogue's register accesses, as numbers or as names of the catalogue. */
#include "machine/dialogue/access.h"

#include "base/nearest.h"
#include "register/register_name.h"

int bx_access_cpu(const bx_machine *m, const bx_words *s, unsigned *cpu, bx_error *e)
{
    uint64_t n, cpus = (uint64_t)m->topology.packages * m->topology.cores;
    if (bx_words_number(s, s->w[1], UINT64_MAX, "CPU", &n, e))
        return BX_BAD_INPUT;
    if (n >= cpus) {
        BX_FAIL_AT(e, s, s->w[1], "there is no CPU %llu", (unsigned long long)n);
        bx_hint(e, "this machine has CPUs 0 to %llu", (unsigned long long)cpus - 1);
        return BX_BAD_INPUT;
    }
    *cpu = (unsigned)n;
    return BX_OK;
}

/* ---- names ---- */

bool bx_access_is_name(bx_str word)
{
    return word.n && bx_is_letter(word.p[0]) && bx_str_find(word, ':', 0) < 0;
}

static int several(const bx_machine *m, const bx_words *s, bx_str word, bx_named_register found,
                   bx_error *e)
{
    char first[128];
    const struct bx_catalog *c = m->topology.catalog;
    bx_cat_expand(first, sizeof first, bx_cat_z(c, bx_cat_regs(c)[found.reg].name), found.unit, 0);
    BX_FAIL_AT(e, s, word, "%u registers are called '%.*s'", found.n, BX_QUOTED(word));
    bx_hint(e, "name one of them: the first is %s", first);
    return BX_BAD_INPUT;
}

/* The register with this name, which must be in the space of the command. */
static int find_register(const bx_machine *m, const bx_words *s, bx_str word, bx_address *at,
                         bx_named_register *found, bx_error *e)
{
    const struct bx_catalog *c = m->topology.catalog;
    bx_nearest near = bx_nearest_to(word);
    *found = bx_register_named(c, m->topology.cpu, word, &near);
    if (!found->n) {
        BX_FAIL_AT(e, s, word, "this machine has no register '%.*s'", BX_QUOTED(word));
        bx_hint(e, "boxscore info PMU lists those of a PMU");
        bx_nearest_hint(e, &near);
        return BX_BAD_INPUT;
    }
    if (found->n > 1)
        return several(m, s, word, *found, e);
    unsigned space = bx_cat_regs(c)[found->reg].space;
    if (space != at->space) {
        static const char *const commands[] = {"rdmsr and wrmsr", "rdpci and wrpci",
                                               "rdmem and wrmem"};
        BX_FAIL_AT(e, s, word, "'%.*s' is accessed in another way", BX_QUOTED(word));
        bx_hint(e, "%s access it", commands[space]);
        return BX_BAD_INPUT;
    }
    return BX_OK;
}

/* Adds the base of a memory-mapped register, which another register of the machine holds. */
static int add_base(const bx_machine *m, const bx_words *s, bx_str word, uint16_t reg,
                    bx_address *at, bx_error *e)
{
    const struct bx_catalog *c = m->topology.catalog;
    uint16_t holder = bx_register_base_holder(c, reg);
    bx_address base_at = bx_register_address(c, 0, holder, 0, 0);
    uint64_t held = 0, base = 0;
    if (!m->bus->read(m->bus, &base_at, &held))
        base = bx_register_base(c, reg, held);
    if (!base)
        return BX_FAIL_AT(e, s, word, "'%.*s' is not mapped: its base address is 0",
                          BX_QUOTED(word));
    at->offset += base;
    return BX_OK;
}

/* "NAME": a register in PCI space or in memory, as wide as it is. */
static int address_of_name(const bx_machine *m, const bx_words *s, bx_address *at, bx_error *e)
{
    const struct bx_catalog *c = m->topology.catalog;
    bx_named_register found;
    unsigned space = at->space;
    if (find_register(m, s, s->w[1], at, &found, e))
        return BX_BAD_INPUT;
    *at = bx_register_address(c, 0, found.reg, found.unit, 0);
    return space == BX_SPACE_MMIO ? add_base(m, s, s->w[1], found.reg, at, e) : BX_OK;
}

/* ---- addresses ---- */

int bx_access_msr(const bx_machine *m, const bx_words *s, bx_address *at, bx_error *e)
{
    bx_named_register found;
    unsigned cpu;
    *at = (bx_address){.space = BX_SPACE_MSR, .width = 64};
    if (bx_access_cpu(m, s, &cpu, e))
        return BX_BAD_INPUT;
    at->cpu = (uint16_t)cpu;
    if (!bx_access_is_name(s->w[2]))
        return bx_words_number(s, s->w[2], UINT32_MAX, "MSR", &at->offset, e);
    if (find_register(m, s, s->w[2], at, &found, e))
        return BX_BAD_INPUT;
    at->offset = bx_register_offset(m->topology.catalog, found.reg, found.unit);
    return BX_OK;
}

/* Parses a width of 1, 2, 4 or 8 bytes into bits. */
static int access_width(const bx_words *s, bx_str word, uint8_t *bits, bx_error *e)
{
    uint64_t n;
    if (bx_words_number(s, word, 8, "BYTES", &n, e))
        return BX_BAD_INPUT;
    if (n != 1 && n != 2 && n != 4 && n != 8)
        return BX_FAIL_AT(e, s, word, "an access is 1, 2, 4 or 8 bytes wide, not %.*s",
                          BX_QUOTED(word));
    *bits = (uint8_t)(8 * n);
    return BX_OK;
}

/* B:D.F to the function's part of a bus address. */
static int function_number(const bx_words *s, bx_str word, uint64_t *address, bx_error *e)
{
    bx_str rest = word, bus = bx_str_cut(&rest, ':'), device = bx_str_cut(&rest, '.');
    uint64_t b, d, f;
    if (!rest.p) {
        BX_FAIL_AT(e, s, word, "'%.*s' is not a PCI function", BX_QUOTED(word));
        bx_hint(e, "bus:device.function, as in 0:0.0");
        return BX_BAD_INPUT;
    }
    if (bx_words_number(s, bus, 255, "bus", &b, e) ||
        bx_words_number(s, device, 31, "device", &d, e) ||
        bx_words_number(s, rest, 7, "function", &f, e))
        return BX_BAD_INPUT;
    *address = b << 20 | d << 15 | f << 12;
    return BX_OK;
}

int bx_access_pci(const bx_machine *m, const bx_words *s, bx_address *at, bx_error *e)
{
    uint64_t function, offset;
    *at = (bx_address){.space = BX_SPACE_PCI};
    if (bx_access_is_name(s->w[1]))
        return address_of_name(m, s, at, e);
    if (function_number(s, s->w[1], &function, e) ||
        bx_words_number(s, s->w[2], 0xfff, "OFFSET", &offset, e) ||
        access_width(s, s->w[3], &at->width, e))
        return BX_BAD_INPUT;
    if (offset + at->width / 8 > 0x1000)
        return BX_FAIL_AT(e, s, s->w[2], "%u bytes from %.*s lead beyond the 4 KiB of a function",
                          at->width / 8, BX_QUOTED(s->w[2]));
    at->offset = function | offset;
    return BX_OK;
}

int bx_access_memory(const bx_machine *m, const bx_words *s, bx_address *at, bx_error *e)
{
    *at = (bx_address){.space = BX_SPACE_MMIO};
    if (bx_access_is_name(s->w[1]))
        return address_of_name(m, s, at, e);
    if (bx_words_number(s, s->w[1], UINT64_MAX, "ADDR", &at->offset, e) ||
        access_width(s, s->w[2], &at->width, e))
        return BX_BAD_INPUT;
    return BX_OK;
}
