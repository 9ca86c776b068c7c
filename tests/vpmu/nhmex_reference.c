#include "nhmex_reference.h"

#define WRAPS BIT(48)

/* ---- what is selected ---- */

static bool flag_mode(uint64_t control)
{
    return control >> 7 & 1;
}

static void select_r(const struct ref_package *k, unsigned ev_sel, struct ref_mode *to)
{
    unsigned port = ev_sel / 6, which = ev_sel % 6;
    to->port = port;
    to->code = which < 2 ? 1 : 2;
    to->umask = which < 2 ? k->iperf[which][port] : k->qlx[port] >> 8 * (which - 2) & 0xff;
}

static void select_m(const struct ref_package *k, uint64_t control, struct ref_mode *to)
{
    unsigned inc = control >> 9 & 0x1f, flag = control >> 19 & 7;
    unsigned of_flag = flag == 0 ? k->dsp >> 7 & 0xf : 0;
    to->code = flag_mode(control) ? 0x20 + flag : inc;
    to->gated = control >> 4 & 3;
    to->gate_code = to->gated ? 0x20 + flag : 0;
    to->gate_umask = to->gated ? of_flag : 0;
    if (flag_mode(control))
        to->umask = of_flag;
    else if (inc == 0)
        to->umask = k->dsp >> 7 & 0xf;
    else if (inc == 0x0d || inc == 0x0e)
        to->umask = k->fvc >> (inc == 0x0d ? 11 : 14) & 7;
}

struct ref_mode ref_mode_of(const struct ref_package *k, const struct ref_counter *c)
{
    struct ref_mode m = {.counting = false};
    uint64_t on = c->is.box == M_BOX ? 1 : c->is.on;
    m.counting = k->global & EN_ALL && k->enable[c->is.box] >> c->is.bit & 1 && c->control & on &&
                 !(c->stopped && c->is.box == M_BOX && !(c->control & BIT(6)));
    if (c->is.box == S_BOX) {
        m.code = c->control & 0xff;
        m.umask = c->control >> 8 & 0xff;
        m.threshold = c->control >> 24 & 0xff;
        m.edge = c->control & BIT(18);
        m.invert = c->control & BIT(23);
    } else if (c->is.box == B_BOX) {
        m.code = c->control >> 1 & 0x1f;
    } else if (c->is.box == R_BOX) {
        select_r(k, c->control >> 1 & 0x1f, &m);
    } else {
        select_m(k, c->control, &m);
    }
    return m;
}

static bool same_source(const struct ref_mode *a, const struct ref_mode *b)
{
    return a->code == b->code && a->umask == b->umask && a->port == b->port;
}

static bool same(const struct ref_mode *a, const struct ref_mode *b)
{
    return same_source(a, b) && a->counting == b->counting && a->threshold == b->threshold &&
           a->edge == b->edge && a->invert == b->invert && a->gated == b->gated &&
           a->gate_code == b->gate_code && a->gate_umask == b->gate_umask;
}

static unsigned shift_of(const struct ref_counter *c, const struct ref_mode *m)
{
    if (c->is.box != B_BOX || c->is.index != 0)
        return 0;
    return m->code == 4 ? 8 : m->code == 7 ? 5 : 0;
}

static bool is_tally(const struct ref_counter *c, const struct ref_mode *m)
{
    return c->is.box == S_BOX && m->code != 0x59;
}

/* ---- levels ---- */

struct counter_ref {
    struct nhmex_reference *r;
    unsigned package;
    const struct ref_counter *c;
};

static bool sees(const void *counter, const bx_selection *what)
{
    const struct counter_ref *at = counter;
    struct ref_mode m = ref_mode_of(&at->r->package[at->package], at->c);
    return what->package == at->package && what->box == at->c->is.box &&
           what->unit == at->c->is.unit && what->code == m.code && what->umask == m.umask &&
           what->port == m.port && (what->box != B_BOX || what->counter == at->c->is.index);
}

static uint32_t scripted(struct nhmex_reference *r, unsigned package, const struct ref_counter *c,
                         uint64_t cycle)
{
    struct ref_mode m = ref_mode_of(&r->package[package], c);
    struct script_source *source = script_find(r->script, (uint16_t)c->is.box, (uint16_t)c->is.unit,
                                               (uint16_t)m.code, m.umask);
    return source && package == 0 ? script_level(source, cycle) : 0;
}

/* The same counter, as if it selected the flag that it counts under. */
static struct ref_counter as_gate(const struct ref_counter *c)
{
    struct ref_counter gate = *c;
    gate.control |= BIT(7);
    return gate;
}

static uint32_t level_of(struct nhmex_reference *r, unsigned package, const struct ref_counter *c)
{
    uint32_t level = scripted(r, package, c, r->now) +
                     raised_level(&r->raised, r->now, sees, &(struct counter_ref){r, package, c});
    struct ref_counter gate = as_gate(c);
    if (c->is.box != M_BOX || !(c->control >> 4 & 3) || flag_mode(c->control))
        return level;
    return level_of(r, package, &gate) ? level : 0;
}

static uint64_t counted(const struct ref_counter *c, const struct ref_mode *m, uint32_t level)
{
    return is_tally(c, m) ? (level - c->behind) & 127 : level;
}

static bool condition(const struct ref_mode *m, uint64_t level)
{
    return m->threshold ? (level >= m->threshold) != m->invert : level > 0;
}

/* ---- counting ---- */

static uint64_t end_of(const struct ref_counter *c)
{
    return WRAPS << c->shift;
}

static bool move(struct ref_counter *c, uint64_t by)
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

static void overflow(struct nhmex_reference *r, struct ref_package *k, struct ref_counter *c)
{
    if (c->control & c->is.pmi && !c->overflowed && !c->arrives)
        c->arrives = r->now + 1 + REF_DELAY;
    c->overflowed = true;
    c->stopped = c->is.box == M_BOX && !(c->control & BIT(6));
    k->sticky |= COND;
}

static void count(struct nhmex_reference *r, unsigned package, struct ref_counter *c)
{
    struct ref_package *k = &r->package[package];
    struct ref_mode m = ref_mode_of(k, c);
    if (!m.counting)
        return;
    uint64_t level = counted(c, &m, level_of(r, package, c));
    bool holds = condition(&m, level);
    bool over = move(c, m.edge ? holds && !c->high : m.threshold ? holds : level);
    c->high = holds;
    if (over)
        overflow(r, k, c);
}

/* After something has changed. */
void ref_retune(struct nhmex_reference *r, const struct ref_modes *before)
{
    for (unsigned n = 0; n < REF_PACKAGES; n++)
        for (unsigned i = 0; i < REF_EACH; i++) {
            struct ref_counter *c = &r->package[n].counter[i];
            struct ref_mode m = ref_mode_of(&r->package[n], c);
            if (!same(&m, &before->of[n][i]))
                c->high = false;
            if (!m.counting || same_source(&m, &c->last))
                continue;
            c->sum = c->sum >> c->shift << shift_of(c, &m);
            c->shift = shift_of(c, &m);
            c->behind = 0;
            c->last = m;
        }
}

void ref_note(const struct nhmex_reference *r, struct ref_modes *before)
{
    for (unsigned n = 0; n < REF_PACKAGES; n++)
        for (unsigned i = 0; i < REF_EACH; i++)
            before->of[n][i] = ref_mode_of(&r->package[n], &r->package[n].counter[i]);
}

static void arrive(struct nhmex_reference *r, unsigned package)
{
    struct ref_package *k = &r->package[package];
    bool any = false;
    for (unsigned i = 0; i < REF_EACH; i++)
        if (k->counter[i].arrives == r->now && r->now > 0) {
            k->counter[i].arrives = 0;
            any = true;
        }
    if (!any)
        return;
    k->sticky |= PMI_SEEN;
    k->global &= ~(k->global & FRZ_ALL ? EN_ALL : 0);
    for (unsigned core = 0; core < REF_CORES; core++)
        if (k->global & CORE(core)) {
            r->pmi[r->pmis].time = r->now;
            r->pmi[r->pmis++].cpu = REF_CORES * package + core;
        }
}

void ref_cycles(struct nhmex_reference *r, uint64_t cycles)
{
    struct ref_modes before;
    for (uint64_t n = 0; n < cycles; n++) {
        ref_note(r, &before);
        for (unsigned package = 0; package < REF_PACKAGES; package++)
            for (unsigned i = 0; i < REF_EACH; i++)
                count(r, package, &r->package[package].counter[i]);
        r->now++;
        for (unsigned package = 0; package < REF_PACKAGES; package++)
            arrive(r, package);
        ref_retune(r, &before);
    }
}

/* ---- registers ---- */

void ref_set_count(struct ref_counter *c, uint64_t value)
{
    c->sum = value << c->shift | (c->sum & (BIT(c->shift) - 1));
    c->stopped = false;
}

void ref_reset_tally(struct nhmex_reference *r, unsigned package, struct ref_counter *c)
{
    struct ref_mode m = ref_mode_of(&r->package[package], c);
    if (!is_tally(c, &m))
        return;
    if (!same_source(&m, &c->last))
        c->last = m;
    c->behind = level_of(r, package, c);
}

void ref_set_global(struct ref_package *k, uint64_t value)
{
    k->global = value;
    for (unsigned i = 0; value & RST_ALL && i < REF_EACH; i++) {
        k->counter[i].sum = 0;
        k->counter[i].stopped = false;
    }
}
