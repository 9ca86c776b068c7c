/* Implements nhmex_boxes.h. */
#include "nhmex_boxes.h"

unsigned nhmex_units_of(unsigned box)
{
    static const unsigned units[] = {1, 8, 2, 2, 2, 2, 1};
    return units[box];
}

unsigned nhmex_counters_of(unsigned box)
{
    static const unsigned counters[] = {1, 6, 4, 4, 8, 6, 5};
    return counters[box];
}

static void set_addresses(struct nhmex_counter *c, unsigned base, unsigned controls)
{
    c->enable = base;
    c->status = base + 1;
    c->clear = base + 2;
    c->control = controls + 2 * c->index;
    c->value = c->control + 1;
}

static void choose(struct nhmex_counter *c, uint64_t select, unsigned code, unsigned umask)
{
    c->select = select;
    c->event.code = (uint16_t)code;
    c->event.umask = umask;
}

static void of_u(struct nhmex_counter *c)
{
    c->control = 0xc10;
    c->value = 0xc11;
    c->enable = U_CTL;
    c->status = U_STATUS;
    c->clear = U_OVF;
    c->on = BIT(22);
    c->pmi = BIT(20);
    choose(c, 0x02, 0x02, 0);
    c->above = 0;
}

static void of_c(struct nhmex_counter *c)
{
    static const unsigned bases[] = {0xd00, 0xd80, 0xd40, 0xdc0, 0xd20, 0xda0, 0xd60, 0xde0};
    set_addresses(c, bases[c->unit], bases[c->unit] + 0x10);
    c->on = BIT(22);
    c->pmi = BIT(20);
    choose(c, 0x0f15, 0x15, 0x0f);
    c->side = c->unit / 4;
    c->summary = c->unit % 4 < 2 ? 2 : 0;
    c->above = c->side ? 2 : 3;
}

/* An event for each counter without an accumulator. */
static void of_b(struct nhmex_counter *c)
{
    static const unsigned codes[] = {0x01, 0x07, 0x01, 0x06};
    set_addresses(c, 0xc20 + 0x40 * c->unit, 0xc30 + 0x40 * c->unit);
    c->on = BIT(0);
    c->pmi = BIT(20);
    choose(c, codes[c->index] << 1, codes[c->index], 0);
    c->event.counter = (uint16_t)c->index;
    c->side = c->unit;
    c->summary = 16;
    c->above = c->side ? 2 : 3;
}

static void of_s(struct nhmex_counter *c)
{
    set_addresses(c, 0xc40 + 0x80 * c->unit, 0xc50 + 0x80 * c->unit);
    c->on = BIT(22);
    c->pmi = BIT(20);
    choose(c, 0x0359, 0x59, 0x03);
    c->side = c->unit;
    c->summary = 18;
    c->above = c->side ? 2 : 3;
}

/* IPERF0 of the first port, which gets FLITS_SENT. */
static void of_r(struct nhmex_counter *c)
{
    set_addresses(c, 0xe00 + 0x20 * c->unit, 0xe10 + 0x20 * c->unit);
    c->on = BIT(0);
    c->pmi = BIT(6);
    choose(c, 0, 1, UINT32_C(1) << 31);
    c->side = c->unit;
    c->summary = 19;
    c->above = c->side ? 2 : 3;
}

/* BBOX_CMDS_ALL; wrap_mode is 1. */
static void of_m(struct nhmex_counter *c)
{
    set_addresses(c, 0xca0 + 0x40 * c->unit, 0xcb0 + 0x40 * c->unit);
    c->on = BIT(0) | BIT(6);
    c->pmi = BIT(1);
    choose(c, 0x1a << 9, 0x1a, 0);
    c->side = c->unit;
    c->summary = 16;
    c->above = c->side ? 2 : 3;
}

static void of_w(struct nhmex_counter *c)
{
    bool fixed = c->index == 4;
    set_addresses(c, 0xc80, 0xc90);
    c->on = BIT(22);
    c->pmi = BIT(20);
    choose(c, 0x0100, 0, 1);
    if (fixed) {
        c->control = 0x395;
        c->value = 0x394;
        c->on = BIT(0);
        c->pmi = BIT(1);
        c->bit = 31;
        choose(c, 0, 0xff, 0);
    }
    c->above = 1;
}

struct nhmex_counter nhmex_counter_of(unsigned box, unsigned unit, unsigned index)
{
    struct nhmex_counter c = {
        .box = box,
        .unit = unit,
        .index = index,
        .bit = index,
        .event = {.box = (uint16_t)box, .unit = (uint16_t)unit},
        .side = 2,
    };
    static void (*const fill[])(struct nhmex_counter *) = {of_u, of_c, of_b, of_s,
                                                           of_r, of_m, of_w};
    fill[box](&c);
    return c;
}

void nhmex_start(struct bench *b, const struct nhmex_counter *c, uint64_t control, uint64_t global)
{
    if (c->box == R_BOX)
        set(b, 0xe04 + 4 * c->unit, BIT(31));
    set(b, c->control, c->select | c->on | control);
    if (c->box == U_BOX)
        global |= U_EN;
    else
        set(b, c->enable, BIT(c->bit));
    set(b, U_CTL, EN_ALL | global);
}

void nhmex_raise(struct bench *b, const struct nhmex_counter *c, uint32_t level, uint64_t cycles)
{
    raise_what(b, &c->event, level, cycles);
}
