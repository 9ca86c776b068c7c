/* Four kinds of boxes of two Xeon 7500 packages against a reference. Addresses and bits:
 * nhmex_boxes.c. Where the guide is silent, the readings of docs/reference/dialogue.md are typed
 * here again. */
#include "../cmocked.h"

#include "differential.h"
#include "nhmex_boxes.h"

enum { DELAY = 5, PACKAGES = 2, CORES = 2, EACH = 13 /* counters of a package */, EVENTS = 3 };
#define WRAPS BIT(48)

struct counter {
    struct nhmex_counter is;
    uint64_t control, sum; /* the sum with the accumulator's bits */
    unsigned shift, behind;
    bool stopped, overflowed;
    uint64_t arrives;  /* 0: no request is active */
    bx_selection last; /* what it counted last */
};

struct package {
    uint64_t global, sticky;
    uint64_t enable[W_BOX];
    unsigned iperf[2][4], qlx[4], dsp, fvc;
    struct counter counter[EACH];
};

struct pair {
    struct differential d; /* first */
    struct package package[PACKAGES];
    bool changed; /* by an overflow or an interrupt */
};

static struct package *package_of(struct differential *d, unsigned package)
{
    return &((struct pair *)d)->package[package];
}

static struct counter *counter_of(struct differential *d, unsigned i)
{
    return &package_of(d, i / EACH)->counter[i % EACH];
}

/* ---- what is selected ---- */

static void select_r(const struct package *k, uint64_t control, bx_selection *to)
{
    unsigned ev_sel = control >> 1 & 0x1f, port = ev_sel / 6, which = ev_sel % 6;
    to->port = (uint16_t)port;
    to->code = which < 2 ? 1 : 2;
    to->umask = which < 2 ? k->iperf[which][port] : k->qlx[port] >> 8 * (which - 2) & 0xff;
}

/* FLAG_MODE as in the control. */
static void select_m(const struct package *k, uint64_t control, bool flag_mode, bx_selection *to)
{
    unsigned inc = control >> 9 & 0x1f, flag = control >> 19 & 7;
    to->code = (uint16_t)(flag_mode ? 0x20 + flag : inc);
    to->umask = 0;
    if (flag_mode ? flag == 0 : inc == 0)
        to->umask = k->dsp >> 7 & 0xf;
    else if (!flag_mode && (inc == 0x0d || inc == 0x0e))
        to->umask = k->fvc >> (inc == 0x0d ? 11 : 14) & 7;
}

static void choose(const struct package *k, const struct counter *c, struct view *v)
{
    uint64_t control = c->control;
    switch (c->is.box) {
    case S_BOX:
        v->what.code = control & 0xff;
        v->what.umask = control >> 8 & 0xff;
        v->threshold = control >> 24 & 0xff;
        v->edge = control & BIT(18);
        v->invert = control & BIT(23);
        break;
    case B_BOX:
        v->what.code = control >> 1 & 0x1f;
        break;
    case R_BOX:
        select_r(k, control, &v->what);
        break;
    default:
        select_m(k, control, control & BIT(7), &v->what);
        v->gated = control >> 4 & 3;
        if (!v->gated)
            break;
        v->gate = v->what;
        select_m(k, control, true, &v->gate);
        break;
    }
}

static void view(struct differential *d, unsigned i, struct view *v)
{
    const struct package *k = package_of(d, i / EACH);
    const struct counter *c = counter_of(d, i);
    uint64_t on = c->is.box == M_BOX ? 1 : c->is.on;
    v->counting = k->global & EN_ALL && k->enable[c->is.box] >> c->is.bit & 1 && c->control & on &&
                  !(c->stopped && c->is.box == M_BOX && !(c->control & BIT(6)));
    v->what.box = (uint16_t)c->is.box;
    v->what.package = (uint16_t)(i / EACH);
    v->what.unit = (uint16_t)c->is.unit;
    v->what.counter = (uint16_t)c->is.index;
    choose(k, c, v);
}

static bool sees(const struct view *v, const bx_selection *what)
{
    return differential_same_event(&v->what, what) &&
           (what->box != B_BOX || what->counter == v->what.counter);
}

/* ---- counting ---- */

static bool is_tally(const bx_selection *what)
{
    return what->box == S_BOX && what->code != 0x59;
}

static uint64_t takes(struct differential *d, unsigned i, uint64_t level)
{
    return is_tally(&d->view[i].what) ? (level - counter_of(d, i)->behind) & 127 : level;
}

static uint64_t end_of(const struct counter *c)
{
    return WRAPS << c->shift;
}

static bool move(struct counter *c, uint64_t by)
{
    bool over;
    if (c->is.box == M_BOX && (c->control >> 2 & 3) == 1) {
        over = by > c->sum;
        c->sum = (c->sum - by) & (end_of(c) - 1);
    } else {
        over = c->sum + by >= end_of(c);
        c->sum = (c->sum + by) & (end_of(c) - 1);
    }
    return over;
}

static void add(struct differential *d, unsigned i, uint64_t by)
{
    struct counter *c = counter_of(d, i);
    if (!move(c, by))
        return;
    if (c->control & c->is.pmi && !c->overflowed && !c->arrives)
        c->arrives = d->now + 1 + DELAY;
    c->overflowed = true;
    c->stopped = c->is.box == M_BOX && !(c->control & BIT(6));
    package_of(d, i / EACH)->sticky |= COND;
    ((struct pair *)d)->changed = true;
}

static bool arrives(struct differential *d, struct package *k)
{
    bool any = false;
    for (unsigned i = 0; i < EACH; i++)
        if (k->counter[i].arrives == d->now) {
            k->counter[i].arrives = 0;
            any = true;
        }
    return any;
}

static void interrupt(struct differential *d, unsigned package)
{
    struct package *k = package_of(d, package);
    k->sticky |= PMI_SEEN;
    k->global &= ~(k->global & FRZ_ALL ? EN_ALL : 0);
    for (unsigned core = 0; core < CORES; core++)
        if (k->global & CORE(core))
            differential_interrupt(d, CORES * package + core);
    ((struct pair *)d)->changed = true;
}

static void tick(struct differential *d)
{
    struct pair *p = (struct pair *)d;
    for (unsigned package = 0; package < PACKAGES; package++)
        if (arrives(d, package_of(d, package)))
            interrupt(d, package);
    if (p->changed)
        differential_changed(d);
    p->changed = false;
}

static unsigned shift_of(const bx_selection *what)
{
    if (what->box != B_BOX || what->counter != 0)
        return 0;
    return what->code == 4 ? 8 : what->code == 7 ? 5 : 0;
}

static bool same_source(const bx_selection *a, const bx_selection *b)
{
    return differential_same_event(a, b) && a->port == b->port;
}

/* With another source, accumulator and tally start again. */
static void viewed(struct differential *d, unsigned i)
{
    const struct view *v = &d->view[i];
    struct counter *c = counter_of(d, i);
    if (!v->counting || same_source(&v->what, &c->last))
        return;
    c->sum = c->sum >> c->shift << shift_of(&v->what);
    c->shift = shift_of(&v->what);
    c->behind = 0;
    c->last = v->what;
}

/* ---- registers ---- */

static void play(struct differential *d, unsigned package, unsigned msr, uint64_t value)
{
    differential_write(d, CORES * package + below(d, CORES), msr, value, true);
}

static uint64_t any_control(struct differential *d, const struct counter *c);

static void write_counter(struct differential *d, unsigned package, struct counter *c)
{
    uint64_t value;
    switch (below(d, 4)) {
    case 0:
        value = WRAPS - 1 - below(d, 60);
        value = c->is.box == M_BOX && below(d, 2) ? below(d, 30) : value;
        c->sum = value << c->shift | (c->sum & (BIT(c->shift) - 1));
        c->stopped = false;
        play(d, package, c->is.value, value);
        break;
    case 1:
        c->overflowed = false;
        play(d, package, c->is.clear, BIT(c->is.bit));
        break;
    default:
        value = any_control(d, c);
        c->control = value & ~(c->is.box == S_BOX ? BIT(17) : 0);
        play(d, package, c->is.control, value);
        break;
    }
}

/* S-Box: the same write sets the tally to 0, after the rest of it. */
static void write_tally(struct differential *d, unsigned i)
{
    struct counter *c = counter_of(d, i);
    const bx_selection *what = &d->view[i].what;
    play(d, i / EACH, c->is.control, c->control | BIT(17));
    if (!is_tally(what))
        return;
    c->last = *what;
    c->behind = (unsigned)differential_level(d, i);
}

static void write_shared(struct differential *d, unsigned package)
{
    static const unsigned contents[] = {0x100, 0x4000000};
    struct package *k = package_of(d, package);
    unsigned which = below(d, 2), port = below(d, 4), one = below(d, 2), other = below(d, 2);
    switch (below(d, 4)) {
    case 0:
        k->iperf[which][port] = contents[one];
        play(d, package, (which ? 0xe28 : 0xe08) + port, contents[one]);
        break;
    case 1:
        k->qlx[port] = 0x40 + one + (0x40 + other) * 256;
        play(d, package, 0xe2c + port, k->qlx[port]);
        break;
    case 2:
        k->dsp = (1 + one) << 7;
        play(d, package, 0xca5, k->dsp);
        break;
    default:
        k->fvc = (1 + one) << 11 | (1 + other) << 14;
        play(d, package, 0xcab, k->fvc);
        break;
    }
}

static void set_global(struct package *k, uint64_t value)
{
    k->global = value;
    for (unsigned i = 0; value & RST_ALL && i < EACH; i++) {
        k->counter[i].sum = 0;
        k->counter[i].stopped = false;
    }
}

static void write_package(struct differential *d, unsigned package)
{
    struct package *k = package_of(d, package);
    static const unsigned boxes[] = {B_BOX, S_BOX, R_BOX, M_BOX};
    static const unsigned enables[] = {0xc20, 0xcc0, 0xe20, 0xca0};
    unsigned box = below(d, 4);
    uint64_t value = (below(d, 5) ? EN_ALL : 0) | (below(d, 8) ? 0 : RST_ALL) |
                     (below(d, 3) ? FRZ_ALL : 0) | (uint64_t)below(d, 4) << 1;
    switch (below(d, 4)) {
    case 0:
        value = PMI_SEEN | (below(d, 2) ? COND : 0);
        k->sticky &= ~value;
        play(d, package, U_OVF, value);
        break;
    case 1:
        k->enable[boxes[box]] = below(d, 4) ? 0xf : below(d, 16);
        play(d, package, enables[box], k->enable[boxes[box]]);
        break;
    default:
        set_global(k, value);
        play(d, package, U_CTL, value);
        break;
    }
}

static void write_any(struct differential *d)
{
    unsigned i = below(d, PACKAGES * EACH), package = i / EACH, what = below(d, 10);
    struct counter *c = counter_of(d, i);
    if (what < 6)
        write_counter(d, package, c);
    else if (what == 6 && c->is.box == S_BOX)
        write_tally(d, i);
    else if (what < 8)
        write_shared(d, package);
    else
        write_package(d, package);
}

/* ---- random steps ---- */

static const uint16_t s_codes[EVENTS][2] = {{0x07, 1}, {0x0d, 0}, {0x59, 3}};
static const uint16_t b_codes[4][EVENTS] = {{1, 4, 7}, {1, 4, 7}, {1, 4, 7}, {2, 6, 0xe}};

static uint64_t any_control(struct differential *d, const struct counter *c)
{
    unsigned event = below(d, EVENTS);
    uint64_t on = below(d, 8) ? c->is.box == M_BOX ? 1 : c->is.on : 0;
    uint64_t control = on | (below(d, 2) ? c->is.pmi : 0);
    switch (c->is.box) {
    case S_BOX:
        return control | s_codes[event][0] | (uint64_t)s_codes[event][1] << 8 |
               (below(d, 3) ? 0 : BIT(18)) | (below(d, 3) ? 0 : BIT(23)) |
               (uint64_t)(below(d, 2) ? below(d, 5) : 0) << 24;
    case B_BOX:
        return control | (uint64_t)b_codes[c->is.index][event] << 1;
    case R_BOX:
        return control | (uint64_t)(6 * below(d, 4) + below(d, 4)) << 1;
    default:
        return control | (below(d, 3) ? BIT(6) : 0) | (uint64_t)below(d, 3) << 2 |
               (below(d, 3) ? (uint64_t)(event ? 0x0c + event : 0) << 9 : BIT(7)) |
               (below(d, 3) ? 0 : BIT(4)) | (below(d, 2) ? 0 : 3 << 19);
    }
}

static bool any_signal(struct differential *d, bx_selection *what)
{
    unsigned i = below(d, PACKAGES * EACH);
    const struct view *v = &d->view[i];
    *what = v->gated && below(d, 2) ? v->gate : v->what;
    return counter_of(d, i)->control != 0;
}

/* ---- comparing ---- */

static void check_status(struct differential *d, unsigned package)
{
    const struct package *k = package_of(d, package);
    unsigned cpu = CORES * package;
    uint64_t bits[W_BOX] = {0};
    for (unsigned i = 0; i < EACH; i++)
        bits[k->counter[i].is.box] |= (uint64_t)k->counter[i].overflowed << k->counter[i].is.bit;
    uint64_t left = bits[B_BOX] | bits[M_BOX] ? BIT(16) : 0;
    uint64_t right = (bits[S_BOX] ? BIT(18) : 0) | (bits[R_BOX] ? BIT(19) : 0);
    differential_read(d, cpu, 0xc21, true, bits[B_BOX]);
    differential_read(d, cpu, 0xca1, true, bits[M_BOX]);
    differential_read(d, cpu, 0xcc1, true, bits[S_BOX]);
    differential_read(d, cpu, 0xe21, true, bits[R_BOX]);
    differential_read(d, cpu, 0xc43, true, left);
    differential_read(d, cpu, 0xcc3, true, right);
    differential_read(d, cpu, U_STATUS, true,
                      k->sticky | (left ? BIT(3) : 0) | (right ? BIT(2) : 0));
    differential_read(d, cpu, U_CTL, true, k->global);
}

static void check_all(struct differential *d)
{
    for (unsigned n = 0; n < PACKAGES; n++) {
        for (unsigned i = 0; i < EACH; i++) {
            const struct counter *c = &package_of(d, n)->counter[i];
            differential_read(d, CORES * n, c->is.value, true, c->sum >> c->shift);
            differential_read(d, CORES * n, c->is.control, true, c->control);
        }
        check_status(d, n);
    }
}

static void script(struct differential *d)
{
    static const uint16_t reported[][4] = {
        {S_BOX, 1, 0x07, 1},  {S_BOX, 1, 0x59, 3}, {B_BOX, 0, 4, 0},    {B_BOX, 0, 1, 0},
        {R_BOX, 1, 1, 0x100}, {R_BOX, 1, 2, 0x40}, {M_BOX, 0, 0x0d, 1}, {M_BOX, 0, 0x20, 1},
    };
    for (size_t i = 0; i < ARRAY(reported); i++) {
        struct script_source *source = script_add(&d->b.script, reported[i][0], reported[i][1],
                                                  reported[i][2], reported[i][3]);
        script_scribble(source, &d->seed, 9, 4);
        if (reported[i][0] == S_BOX) /* queues are levels, which are reported at once */
            source->style = below(d, 2) ? SCRIPT_OPEN : SCRIPT_RUNS;
    }
}

static void start(struct differential *d)
{
    static const struct {
        unsigned box, unit, n;
    } boxes[] = {{S_BOX, 1, 3}, {B_BOX, 0, 4}, {R_BOX, 1, 3}, {M_BOX, 0, 3}};
    unsigned at = 0;
    for (unsigned package = 0; package < PACKAGES; package++)
        for (size_t k = 0; k < ARRAY(boxes); k++)
            for (unsigned i = 0; i < boxes[k].n; i++)
                counter_of(d, at++)->is = nhmex_counter_of(boxes[k].box, boxes[k].unit, i);
    script(d);
}

static const struct differential_machine machine = {
    .spec = "virtual:nhmex,part=plain,packages=2,cores=2,freeze=5",
    .size = sizeof(struct pair),
    .rounds = 60,
    .counters = PACKAGES * EACH,
    .interrupts = true,
    .start = start,
    .check = check_all,
    .signal = any_signal,
    .steps = {{6, write_any},
              {2, differential_raise},
              {1, differential_fall},
              {2, differential_pass}},
    .view = view,
    .add = add,
    .sees = sees,
    .takes = takes,
    .viewed = viewed,
    .tick = tick,
};

int main(void)
{
    return differential_main(&machine);
}
