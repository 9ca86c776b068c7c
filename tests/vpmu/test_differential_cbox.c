/* The C-Boxes of two Xeon E5 v2 against a reference, including resets, freezes and filters.
 * Addresses and bits as in test_cbox.c. */
#include "../cmocked.h"

#include "bits.h"
#include "differential.h"

enum { CBOX = 1, PACKAGES = 2, UNITS = 2, COUNTERS = 4 };
enum { GLOBAL = 0xc00, BASE = 0xd04, STRIDE = 0x20 };

#define SELECT (0xffff | BIT(17) | BIT(18) | BIT(19) | BIT(22) | (uint64_t)0xff << 24)
#define WRAP   WIDTH(44)

struct box {
    bool frozen;
    uint64_t filter[2], control[COUNTERS], count[COUNTERS];
};

struct pair {
    struct differential d; /* first */
    uint64_t global[PACKAGES];
    struct box box[PACKAGES][UNITS];
};

/* ---- selections and their filters ---- */

enum { TID = 0xf, STATES = 0x7e0000, NIDS = 0xffff };
#define OPCODES (UINT64_C(0xdff) << 20) /* opc, nc and isoc */

static const struct select {
    unsigned code, umask;
    uint64_t filters[2];
} selects[] = {
    {0x34, 0x11, {STATES, 0}},         {0x34, 0x41, {STATES, NIDS}}, {0x35, 0x01, {0, OPCODES}},
    {0x35, 0x41, {0, OPCODES | NIDS}}, {0x35, 0x08, {0, 0}},         {0x35, 0x48, {0, NIDS}},
};
enum { SELECTS = sizeof(selects) / sizeof(*selects) };

/* The bits of a filter that the counter compares. */
static uint64_t compared(uint64_t control, unsigned filter)
{
    uint64_t bits = filter == 0 && control & BIT(19) ? TID : 0;
    for (unsigned i = 0; i < SELECTS; i++)
        if ((control & 0xff) == selects[i].code && (control >> 8 & 0xff) == selects[i].umask)
            return bits | selects[i].filters[filter];
    return 0;
}

/* 329468-002: only counters 0 and 1 count lookups and inserts into the TOR. */
static bool can_count(unsigned counter, unsigned code)
{
    return counter < 2 || (code != 0x34 && code != 0x35);
}

static const uint64_t fields[2][4] = {{1, 0xe, STATES, 0},
                                      {NIDS, UINT64_C(0x1ff) << 20, BIT(30), BIT(31)}};

static bool field_passes(uint64_t filter, uint64_t key, uint64_t field, uint64_t keys)
{
    if (!(keys & field))
        return true;
    filter &= field;
    key &= field;
    if (field == STATES)
        return filter & key;
    if (field == NIDS)
        return filter == 0 || filter & key;
    return filter == key || (filter == 0 && field != 1 && field != 0xe);
}

static bool sees(const struct view *v, const bx_selection *what)
{
    if (!differential_same_event(&v->what, what))
        return false;
    for (unsigned f = 0; f < 2; f++)
        for (unsigned i = 0; i < 4; i++)
            if (!field_passes(v->what.filter[f], what->filter[f], fields[f][i],
                              v->what.applies[f] & what->applies[f]))
                return false;
    return true;
}

/* ---- counting: all counters of a box, its unit, its package ---- */

static struct box *box_of(struct differential *d, unsigned i)
{
    return &((struct pair *)d)->box[i / COUNTERS / UNITS][i / COUNTERS % UNITS];
}

static void view(struct differential *d, unsigned i, struct view *v)
{
    const struct box *box = box_of(d, i);
    unsigned package = i / COUNTERS / UNITS;
    uint64_t control = box->control[i % COUNTERS];
    v->counting =
        !(((struct pair *)d)->global[package] & BIT(31)) && !box->frozen && control & BIT(22);
    v->what.box = CBOX;
    v->what.package = (uint16_t)package;
    v->what.unit = i / COUNTERS % UNITS;
    v->what.code = control & 0xff;
    v->what.umask = control >> 8 & 0xff;
    v->threshold = control >> 24 & 0xff;
    v->edge = control & BIT(18);
    if (!can_count(i % COUNTERS, v->what.code)) {
        v->what.code = 0xffff;
        v->what.umask = 0;
        return;
    }
    for (unsigned f = 0; f < 2; f++) {
        v->what.applies[f] = compared(control, f);
        v->what.filter[f] = box->filter[f] & v->what.applies[f];
    }
}

static void add(struct differential *d, unsigned i, uint64_t by)
{
    uint64_t *count = &box_of(d, i)->count[i % COUNTERS];
    *count = (*count + by) & WRAP;
}

/* ---- registers ---- */

static void write_box_control(struct box *box, uint64_t value)
{
    box->frozen = value & BIT(8);
    for (unsigned i = 0; i < COUNTERS; i++) {
        box->control[i] = value & 1 ? 0 : box->control[i];
        box->count[i] = value & 2 ? 0 : box->count[i];
    }
}

/* Register `at` of a box. Returns false if it faults. */
static bool write_box(struct box *box, unsigned at, uint64_t value)
{
    static const uint64_t filters[2] = {0x7e01ff, 0xfff0ffff};
    uint64_t bits = at == 0                  ? BIT(0) | BIT(1) | BIT(8) | BIT(16) | BIT(17)
                    : at >= 0xc && at < 0x10 ? SELECT
                    : at == 0x10             ? filters[0]
                    : at == 0x16             ? filters[1]
                                             : WRAP;
    if (value & ~bits)
        return false;
    if (at == 0) {
        write_box_control(box, value);
    } else if (at >= 0xc && at < 0x10) {
        box->control[at - 0xc] = value & ~BIT(17);
        box->count[at - 0xc] = value & BIT(17) ? 0 : box->count[at - 0xc];
    } else if (at == 0x10 || at == 0x16) {
        box->filter[at == 0x16] = value;
    } else {
        box->count[at - 0x12] = value;
    }
    return true;
}

static bool write_global(struct pair *p, unsigned package, uint64_t value)
{
    if (value & ~(uint64_t)0xe0007fff)
        return false;
    p->global[package] = value;
    return true;
}

static void write_both(struct differential *d, unsigned package, unsigned msr, uint64_t value)
{
    struct pair *p = (struct pair *)d;
    bool taken = msr == GLOBAL ? write_global(p, package, value)
                               : write_box(&p->box[package][(msr - BASE) / STRIDE],
                                           (msr - BASE) % STRIDE, value);
    differential_write(d, 2 * package + below(d, 2), msr, value, taken);
}

static void check_box(struct differential *d, unsigned package, unsigned unit)
{
    const struct box *box = &((struct pair *)d)->box[package][unit];
    unsigned base = BASE + STRIDE * unit, cpu = 2 * package;
    differential_read(d, cpu, base, true, 0x30000 | (box->frozen ? BIT(8) : 0));
    differential_read(d, cpu, base + 0x10, true, box->filter[0]);
    differential_read(d, cpu, base + 0x16, true, box->filter[1]);
    for (unsigned i = 0; i < COUNTERS; i++) {
        differential_read(d, cpu, base + 0xc + i, true, box->control[i]);
        differential_read(d, cpu, base + 0x12 + i, true, box->count[i]);
    }
}

static void check_all(struct differential *d)
{
    for (unsigned package = 0; package < PACKAGES; package++)
        for (unsigned unit = 0; unit < UNITS; unit++)
            check_box(d, package, unit);
}

/* ---- random steps ---- */

static uint64_t any_filter(struct differential *d, unsigned filter)
{
    if (filter == 0)
        return (uint64_t)below(d, 4) | (uint64_t)below(d, 4) << 17;
    return (uint64_t)below(d, 4) | (uint64_t)(below(d, 3) ? 0x180 + below(d, 2) : 0) << 20 |
           (uint64_t)(below(d, 4) == 0) << 30 | (uint64_t)(below(d, 4) == 0) << 31;
}

static uint64_t any_control(struct differential *d)
{
    const struct select *s = &selects[below(d, SELECTS)];
    return s->code | s->umask << 8 | (below(d, 8) ? BIT(22) : 0) | (below(d, 3) ? 0 : BIT(18)) |
           (below(d, 3) ? 0 : BIT(19)) | (below(d, 6) ? 0 : BIT(17)) |
           (uint64_t)(below(d, 2) ? below(d, 5) : 0) << 24;
}

static void write_any(struct differential *d)
{
    unsigned package = below(d, PACKAGES), box = BASE + STRIDE * below(d, UNITS);
    unsigned i = below(d, COUNTERS), filter = below(d, 2);
    switch (below(d, 12)) {
    case 0:
        write_both(d, package, GLOBAL, below(d, 3) ? BIT(29) : BIT(31));
        break;
    case 1:
        write_both(d, package, box, below(d, 4) | (below(d, 3) ? 0 : BIT(8)));
        break;
    case 2:
        write_both(d, package, box, below(d, 3) ? 0 : BIT(8) | 3 << 16);
        break;
    case 3:
        write_both(d, package, box + 0x12 + i, WRAP - below(d, 40));
        break;
    case 4:
        write_both(d, package, (unsigned[]){GLOBAL, box, box + 0xc + i, box + 0x16}[below(d, 4)],
                   dice_next(&d->seed) >> below(d, 64));
        break;
    case 5:
    case 6:
    case 7:
        write_both(d, package, box + (filter ? 0x16 : 0x10), any_filter(d, filter));
        break;
    default:
        write_both(d, package, box + 0xc + i, any_control(d));
        break;
    }
}

static bool any_signal(struct differential *d, bx_selection *what)
{
    const struct select *s = &selects[below(d, SELECTS)];
    what->box = CBOX;
    what->package = (uint16_t)below(d, PACKAGES);
    what->unit = (uint16_t)below(d, UNITS);
    what->code = (uint16_t)s->code;
    what->umask = s->umask;
    for (unsigned f = 0; f < 2; f++) {
        for (unsigned i = 0; i < 4; i++)
            what->applies[f] |= below(d, 2) ? fields[f][i] : 0;
        what->filter[f] = any_filter(d, f) & what->applies[f];
    }
    return true;
}

static void start(struct differential *d)
{
    struct script *s = &d->b.script;
    for (uint16_t unit = 0; unit < UNITS; unit++)
        for (unsigned i = 0; i < SELECTS; i += 2)
            script_scribble(script_add(s, CBOX, unit, (uint16_t)selects[i].code, selects[i].umask),
                            &d->seed, 9, 4);
}

static const struct differential_machine machine = {
    .spec = "virtual:ivbep,part=plain,cores=2",
    .size = sizeof(struct pair),
    .rounds = 150,
    .counters = PACKAGES * UNITS * COUNTERS,
    .start = start,
    .check = check_all,
    .signal = any_signal,
    .steps = {{5, write_any},
              {2, differential_raise},
              {1, differential_fall},
              {2, differential_pass}},
    .view = view,
    .add = add,
    .sees = sees,
};

int main(void)
{
    return differential_main(&machine);
}
