/* libpfm4's rules for the tables' events: which unit masks and modifiers go together, what is added
 * to them, and the words. */
#include "event/event.h"
#include "pfm/tabled_rows.h"

enum { GROUPS = 8, NO_GROUP = GROUPS };
enum { LEAST_LATENCY = 3, LEAST_BUBBLES = 1 }; /* libpfm4's, if none is given */
enum { OFFCORE_BITS = 38 };
enum { AT_K, AT_U, AT_E, AT_C = 4, AT_LATENCY = 6, AT_BUBBLES = 9 }; /* numbers of modifiers */

/* IA32_PERFEVTSELx: SDM volume 3B. */
enum { ENABLE = 1 << 22, INTERRUPT = 1 << 20 };

typedef struct sum {
    const bx_tabled_event *e;
    uint64_t control, masks; /* what the event and its modifiers, and its unit masks, set */
    uint16_t given;          /* a bit for each modifier */
    uint64_t value[BX_TABLED_MODIFIERS];
    uint16_t fixed, flags;        /* modifiers that unit masks set; flags of unit masks */
    unsigned groups, named, last; /* groups that the event has, and that are named; no higher one */
    unsigned n;
    const bx_tabled_row *mask[BX_TABLED_ATTRIBUTES + GROUPS]; /* with those that were added */
    uint64_t latency, bubbles;
} sum;

/* Where the bits of a modifier are; those of a second word have none. */
static const struct {
    uint8_t shift;
    uint8_t bits;
} fields[BX_TABLED_MODIFIERS] = {
    {17, 1}, {16, 1}, {18, 1}, {23, 1}, {24, 8}, {21, 1}, {0, 0}, {32, 1}, {33, 1}, {0, 0},
};

static uint64_t field_of(unsigned modifier)
{
    return ((UINT64_C(1) << fields[modifier].bits) - 1) << fields[modifier].shift;
}

/* ---- unit masks ---- */

static void add_mask(sum *s, const bx_tabled_row *mask)
{
    s->mask[s->n++] = mask;
    s->masks |= s->e->pmu->core ? mask->code & ~UINT64_C(0xff) : mask->code;
}

static int take_masks(sum *s)
{
    unsigned count[GROUPS] = {0};
    bool sole[GROUPS] = {false};
    const bx_tabled_row *recoded = NULL;
    for (unsigned i = 0; i < s->e->n; i++) {
        const bx_tabled_row *m = s->e->attribute[i].mask;
        if (!m)
            continue;
        add_mask(s, m);
        s->named |= 1u << m->group;
        s->flags |= m->flags;
        s->fixed |= m->modifiers;
        if (m->flags & LAST)
            s->last = m->group;
        sole[m->group] |= (m->flags & SOLE) != 0;
        if (++count[m->group] > 1 && sole[m->group])
            return s->e->pmu->core ? BX_PFM_FEATCOMB : BX_PFM_UMASK;
        if (!(m->flags & RECODES))
            continue;
        if (recoded && (recoded->code ^ m->code) & 0xff)
            return BX_PFM_FEATCOMB;
        recoded = m;
        s->control = (s->control & ~UINT64_C(0xff)) | (m->code & 0xff);
    }
    return BX_PFM_SUCCESS;
}

static int take_raw(sum *s)
{
    unsigned bits = s->e->event->flags & OFFCORE ? OFFCORE_BITS : 8;
    if (s->e->raw >> bits)
        return BX_PFM_ATTR;
    s->masks = s->e->raw << 8;
    s->named = s->groups;
    return BX_PFM_SUCCESS;
}

/* Adds the preset of a group of which no unit mask is named, unless it is above *last. */
static int add_preset(sum *s, unsigned group, unsigned *last)
{
    bool found = group > *last;
    const bx_tabled_row *m = bx_tabled_masks(s->e->pmu, s->e->event);
    for (; m && group <= *last; m = bx_tabled_next_mask(s->e->pmu, m)) {
        if (m->group != group || !(m->flags & PRESET))
            continue;
        add_mask(s, m);
        found = true;
        if (m->flags & LAST)
            *last = group;
    }
    return found ? BX_PFM_SUCCESS : BX_PFM_UMASK;
}

static int add_presets(sum *s)
{
    unsigned last = s->last, named = s->n;
    int code = BX_PFM_SUCCESS;
    for (unsigned i = 0, missing = s->groups & ~s->named; !code && i < GROUPS; i++)
        if (missing >> i & 1)
            code = add_preset(s, i, &last);
    for (unsigned i = 0; !code && i < named; i++)
        if (s->mask[i]->group > s->last)
            code = BX_PFM_FEATCOMB;
    return code;
}

/* ---- modifiers ---- */

static bool is_within(const sum *s, unsigned modifier, uint64_t least, uint64_t most)
{
    uint64_t value = s->value[bx_lowest_bit(modifier)];
    return !(s->given & modifier) || (value >= least && value <= most);
}

static int take_modifiers(sum *s)
{
    for (unsigned i = 0; i < s->e->n; i++) {
        const bx_tabled_attribute *a = &s->e->attribute[i];
        if (a->mask)
            continue;
        s->given |= (uint16_t)(1u << a->modifier);
        s->value[a->modifier] = a->value;
        s->control = (s->control & ~field_of(a->modifier)) |
                     (a->value << fields[a->modifier].shift & field_of(a->modifier));
    }
    bool within = is_within(s, C, 0, 255) && is_within(s, LATENCY, 1, 65535) &&
                  is_within(s, BUBBLES, 1, 4095);
    return within ? BX_PFM_SUCCESS : BX_PFM_ATTR_VAL;
}

/* A modifier that a unit mask sets can be given with the same value only. */
static int check_fixed(const sum *s)
{
    for (unsigned i = 0; i < BX_TABLED_MODIFIERS; i++)
        if (s->fixed & s->given & 1u << i && (s->masks ^ s->control) & field_of(i))
            return BX_PFM_ATTR_SET;
    return BX_PFM_SUCCESS;
}

/* Makes the second word, which some events have, and takes its bits from the first. */
static int put_second(sum *s, bx_tabled_words *to)
{
    const bx_tabled_event *e = s->e;
    if (s->flags & LENGTH) {
        uint64_t own = s->masks >> 16 & 0xfff;
        if (own && s->given & BUBBLES && s->value[AT_BUBBLES] != own)
            return BX_PFM_ATTR_SET;
        s->bubbles = own ? own : s->given & BUBBLES ? s->value[AT_BUBBLES] : LEAST_BUBBLES;
        s->masks = (s->masks & ~UINT64_C(0xfff0000)) | s->bubbles << 16;
    } else if (s->given & BUBBLES) {
        s->bubbles = s->value[AT_BUBBLES];
    }
    if (e->event->flags & (OFFCORE | FRONT)) {
        to->word[to->n++] = s->masks >> 8;
        s->masks = 0;
    }
    if (s->given & LATENCY && !(s->flags & LOAD))
        return BX_PFM_ATTR;
    s->latency = s->given & LATENCY ? s->value[AT_LATENCY] : s->flags & LOAD ? LEAST_LATENCY : 0;
    if (s->latency) {
        to->word[1] = s->latency;
        to->n = 2;
    }
    return BX_PFM_SUCCESS;
}

/* ---- the returned string ---- */

static void spell_masks(sum *s, bx_buf *to)
{
    for (unsigned i = 1; i < s->n; i++) /* in the order of the table */
        for (unsigned j = i; j && s->mask[j] < s->mask[j - 1]; j--) {
            const bx_tabled_row *mask = s->mask[j];
            s->mask[j] = s->mask[j - 1];
            s->mask[j - 1] = mask;
        }
    for (unsigned i = 0; i < s->n; i++)
        bx_buf_f(to, ":%s", s->mask[i]->name);
    if (s->e->has_raw)
        bx_buf_f(to, ":0x%llx", (unsigned long long)s->e->raw);
}

static void spell_modifiers(const sum *s, int os, uint64_t control, bx_buf *to)
{
    unsigned spelled = s->e->event->modifiers;
    if (os != BX_PFMLIB_OS_NONE)
        spelled &= ~(unsigned)LEVELS; /* perf's stand in their place */
    for (unsigned i = 0; i < BX_TABLED_MODIFIERS; i++) {
        uint64_t value = 1u << i == LATENCY   ? s->latency
                         : 1u << i == BUBBLES ? s->bubbles
                                              : (control & field_of(i)) >> fields[i].shift;
        if (spelled >> i & 1)
            bx_buf_f(to, ":%s=%llu", bx_tabled_modifiers[i], (unsigned long long)value);
    }
}

/* ---- events ---- */

static void spell_event(const bx_tabled_event *e, bx_buf *to)
{
    bx_buf_f(to, "%s::%s", e->pmu->name, e->event->name);
}

/* An event of the kernel has one word: its config. */
static int encode_kernel(sum *s, bx_tabled_words *to, bx_buf *spelled)
{
    int code = take_masks(s);
    if (!code)
        code = add_presets(s);
    if (code)
        return code;
    to->word[0] = s->control | s->masks;
    spell_event(s->e, spelled);
    spell_masks(s, spelled);
    return BX_PFM_SUCCESS;
}

static int encode_core(sum *s, int os, unsigned plm, bx_tabled_words *to, bx_buf *spelled)
{
    int code = take_modifiers(s);
    if (!code)
        code = take_masks(s);
    if (!code && s->e->has_raw)
        code = take_raw(s);
    if (!code)
        code = check_fixed(s);
    if (!code)
        code = add_presets(s);
    if (!code)
        code = put_second(s, to);
    if (code)
        return code;
    if (!(s->given & LEVELS))
        s->control |=
            (plm & BX_PFM_PLM0 ? field_of(AT_K) : 0) | (plm & BX_PFM_PLM3 ? field_of(AT_U) : 0);
    uint64_t control = s->control | s->masks | ENABLE | INTERRUPT;
    if (control & field_of(AT_E) && !(control & field_of(AT_C))) /* edge without a threshold */
        return BX_PFM_ATTR;
    to->word[0] = control;
    spell_event(s->e, spelled);
    spell_masks(s, spelled);
    spell_modifiers(s, os, control, spelled);
    return BX_PFM_SUCCESS;
}

int bx_tabled_encode(const bx_tabled_event *e, int os, unsigned plm, bx_tabled_words *to,
                     bx_buf *spelled)
{
    sum s = {.e = e, .control = e->event->code, .last = NO_GROUP};
    const bx_tabled_row *m = bx_tabled_masks(e->pmu, e->event);
    for (; m; m = bx_tabled_next_mask(e->pmu, m))
        s.groups |= 1u << m->group;
    *to = (bx_tabled_words){.n = 1};
    if (e->pmu == &bx_tabled_perf_raw) {
        to->word[0] = e->raw;
        bx_buf_f(spelled, "perf_raw::r%llx", (unsigned long long)e->raw);
        return BX_PFM_SUCCESS;
    }
    return e->pmu->core ? encode_core(&s, os, plm, to, spelled) : encode_kernel(&s, to, spelled);
}
