/* libpfm4's rules: unit masks by group, their defaults, modifiers, and the code words. */
#include "event/foreign/libpfm_internal.h"
#include "event/format/out.h"

#include "base/bits.h"

#include <string.h>

enum { GROUPS = 8 };

/* The sum of the attributes. */
typedef struct sum {
    const bx_pfm_event *p;
    const bx_cat_group *group; /* the event's groups, or the implied one */
    bx_cat_group implied;
    unsigned groups;
    unsigned named[GROUPS]; /* named unit masks of each group */
    bool alone[GROUPS];     /* a named unit mask of the group combines with no other */
    bool raw;               /* a raw unit mask replaces all groups */
    uint64_t umask;
    uint32_t given, needs; /* modifiers given, and those that unit masks need */
    uint64_t modifier[BX_MODIFIERS];
    bool filter;            /* the first filter word is given, even if it is 0 */
    uint16_t added[GROUPS]; /* defaults that were added */
    unsigned adds;
} sum;

unsigned bx_pfm_word_of(const struct bx_catalog *c, const bx_cat_pmu *pmu, uint16_t reg)
{
    unsigned word = 0;
    if (reg == BX_NONE)
        return 0;
    for (uint16_t i = pmu->regs.first; i <= reg; i++)
        word += (bx_cat_regs(c)[i].flags & BX_REG_SHARED) != 0;
    return word < BX_PFM_WORDS ? word : BX_PFM_WORDS - 1;
}

int bx_pfm_refuse(const bx_pfm_event *p, int code, bx_str part, const char *message)
{
    bx_fail(p->e, code == BX_PFM_NOTFOUND ? BX_NOT_FOUND : BX_BAD_INPUT,
            (size_t)(part.p - p->text.p), part.n, "%s", message);
    return code;
}

static int refuse_sum(const sum *s, int code, const char *message)
{
    return bx_pfm_refuse(s->p, code, s->p->text, message);
}

static unsigned local(const sum *s, uint16_t modifier)
{
    return modifier - s->p->pmu->modifiers.first;
}

static void apply_sets(sum *s, bx_span sets)
{
    for (unsigned i = 0; i < sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(s->p->c)[sets.first + i];
        s->modifier[local(s, set->modifier)] |= set->value;
    }
}

static void apply_umask(sum *s, const bx_cat_umask *u)
{
    s->umask |= u->value;
    s->needs |= u->needs;
    apply_sets(s, u->sets);
}

static int take_umask(sum *s, const bx_cat_umask *u)
{
    unsigned g = u->group == BX_NONE ? 0 : (unsigned)(u->group - s->p->event->groups.first);
    s->named[g]++;
    s->alone[g] |= (u->flags & BX_UMASK_ALONE) != 0;
    if (s->named[g] > 1 && s->alone[g])
        return refuse_sum(s, BX_PFM_FEATCOMB, "these unit masks do not go together");
    apply_umask(s, u);
    return BX_PFM_SUCCESS;
}

static int take_raw(sum *s, uint64_t value)
{
    if (value > 0xff)
        return refuse_sum(s, BX_PFM_ATTR, "a raw unit mask of more than eight bits");
    s->umask = value;
    s->raw = true;
    return BX_PFM_SUCCESS;
}

/* libpfm4 accepts a core filter of four bits, and keeps the bits that the field has. */
static int take_modifier(sum *s, uint16_t modifier, uint64_t value)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(s->p->c)[modifier];
    const bx_cat_field *field = &bx_cat_fields(s->p->c)[m->field];
    if (!m->flag && (value < m->lo || value > m->libpfm_hi))
        return refuse_sum(s, BX_PFM_ATTR_VAL, "a value out of range");
    s->modifier[local(s, modifier)] = value & bx_mask_width(field->hi - field->lo + 1u);
    s->given |= UINT32_C(1) << local(s, modifier);
    apply_sets(s, m->sets);
    s->filter |= m->sets.n > 0;
    return BX_PFM_SUCCESS;
}

static int take_all(sum *s)
{
    int code = BX_PFM_SUCCESS;
    for (unsigned i = 0; !code && i < s->p->n; i++) {
        const bx_pfm_attr *a = &s->p->attr[i];
        if (a->kind == BX_PFM_UMASKS)
            code = take_umask(s, &bx_cat_umasks(s->p->c)[a->index]);
        else if (a->kind == BX_PFM_NUMBER)
            code = take_raw(s, a->value);
        else
            code = take_modifier(s, a->index, a->value);
    }
    return code;
}

/* ---- defaults ---- */

/* The number of the group's unit masks that libpfm4 has. */
static unsigned size_of(const sum *s, const bx_cat_group *group)
{
    unsigned n = 0;
    for (unsigned i = 0; i < group->umasks.n; i++)
        n += !(bx_cat_umasks(s->p->c)[group->umasks.first + i].flags & BX_UMASK_NO_LIBPFM);
    return n;
}

/* Whether a named unit mask needs a modifier that names of this group set: an opcode. */
static bool is_needed(const sum *s, const bx_cat_group *group)
{
    for (unsigned i = 0; i < group->umasks.n; i++) {
        const bx_cat_umask *u = &bx_cat_umasks(s->p->c)[group->umasks.first + i];
        for (unsigned j = 0; j < u->sets.n; j++)
            if (s->needs >> local(s, bx_cat_sets(s->p->c)[u->sets.first + j].modifier) & 1)
                return true;
    }
    return false;
}

static int add_defaults(sum *s)
{
    for (unsigned i = 0; !s->raw && i < s->groups; i++) {
        const bx_cat_group *group = &s->group[i];
        if (s->named[i] || !size_of(s, group))
            continue;
        if (group->preset != BX_NONE) {
            apply_umask(s, &bx_cat_umasks(s->p->c)[group->preset]);
            s->added[s->adds++] = group->preset;
        } else if (group->flags & BX_GROUP_REQUIRED || is_needed(s, group)) {
            return refuse_sum(s, BX_PFM_UMASK, "a unit mask is missing");
        }
    }
    return BX_PFM_SUCCESS;
}

/* Some unit masks need a modifier; others must not have it. */
static int check_needs(const sum *s)
{
    const bx_cat_event *event = s->p->event;
    uint32_t needed = 0, hidden = s->p->pmu->hidden;
    for (unsigned i = 0; i < event->umasks.n; i++)
        needed |= bx_cat_umasks(s->p->c)[event->umasks.first + i].needs;
    if (s->given & needed & ~s->needs)
        return refuse_sum(s, BX_PFM_ATTR, "a modifier that the unit mask does not take");
    if (s->needs & ~hidden & ~s->given)
        return refuse_sum(s, BX_PFM_ATTR, "a modifier that the unit mask needs is missing");
    return BX_PFM_SUCCESS;
}

/* ---- words ---- */

static uint64_t in_place(const sum *s, uint16_t field, uint64_t value)
{
    return field == BX_NONE ? 0 : value << bx_cat_fields(s->p->c)[field].lo;
}

/* For a PMU of the cores: privilege levels, enable and interrupt, as in the first counter's control
 * register. */
static uint64_t core_bits(sum *s)
{
    const bx_cat_pmu *pmu = s->p->pmu;
    const bx_cat_counter *counter = bx_pmu_counter(s->p->c, s->p->event->pmu, 0);
    uint32_t levels = pmu->levels;
    for (uint32_t left = s->given & levels ? 0 : levels; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        const bx_cat_modifier *m = &bx_cat_modifiers(s->p->c)[pmu->modifiers.first + i];
        unsigned level = m->field == counter->os ? BX_PFM_PLM0 : BX_PFM_PLM3;
        s->modifier[i] = (s->p->plm & level) != 0;
    }
    uint64_t bits = in_place(s, counter->overflow_en, 1);
    for (unsigned i = 0; i < counter->counts.n; i++) {
        const bx_cat_cond *cond = &bx_cat_conds(s->p->c)[counter->counts.first + i];
        if (cond->reg == counter->control)
            bits |= in_place(s, cond->field, cond->value);
    }
    return bits;
}

static void put_words(sum *s, bx_pfm_code *to)
{
    const bx_cat_pmu *pmu = s->p->pmu;
    to->word[0] = pmu->scope == BX_SCOPE_CPU ? core_bits(s) : 0;
    to->word[0] |= in_place(s, pmu->select_event, s->p->event->code);
    to->word[0] |= in_place(s, pmu->select_umask, s->umask);
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(s->p->c)[pmu->modifiers.first + i];
        to->word[bx_pfm_word_of(s->p->c, pmu, m->reg)] |= in_place(s, m->field, s->modifier[i]);
    }
    to->words = to->word[2] ? 3 : to->word[1] || s->filter ? 2 : 1;
}

/* ---- the returned string ---- */

/* libpfm4's order of unit masks: by group, in listed order. Exception: single bits of the cores'
 * PMUs are in the order of their values. */
static bool is_before(const sum *s, uint16_t a, uint16_t b)
{
    const bx_cat_umask *x = &bx_cat_umasks(s->p->c)[a], *y = &bx_cat_umasks(s->p->c)[b];
    bool bits = s->p->pmu->scope == BX_SCOPE_CPU && x->flags & y->flags & BX_UMASK_BIT &&
                x->group == y->group;
    return bits && x->value != y->value ? x->value < y->value : a < b;
}

static void put_umasks(const sum *s, bx_out *o)
{
    uint16_t sorted[BX_PFM_ATTRS + GROUPS];
    unsigned n = 0;
    for (unsigned i = 0; i < s->p->n + s->adds; i++) {
        if (i < s->p->n && s->p->attr[i].kind != BX_PFM_UMASKS)
            continue;
        uint16_t umask = i < s->p->n ? s->p->attr[i].index : s->added[i - s->p->n];
        unsigned at = n++;
        for (; at && is_before(s, umask, sorted[at - 1]); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = umask;
    }
    for (unsigned i = 0; i < n; i++) {
        bx_out_char(o, ':');
        bx_out_z(o, bx_cat_z(s->p->c, bx_cat_umasks(s->p->c)[sorted[i]].name));
    }
    if (s->raw) {
        bx_out_char(o, ':');
        bx_out_hex(o, s->umask);
    }
}

/* A modifier as libpfm4 prints it; `tf` is printed as its enable. */
static void put_modifier(const sum *s, uint16_t modifier, bx_out *o)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(s->p->c)[modifier];
    const char *name = bx_cat_z(s->p->c, m->name);
    uint64_t value = s->modifier[local(s, modifier)];
    if (strcmp(name, "tf") == 0 && m->sets.n)
        value = s->modifier[local(s, bx_cat_sets(s->p->c)[m->sets.first].modifier)];
    bx_out_char(o, ':');
    bx_out_z(o, name);
    bx_out_char(o, '=');
    bx_out_decimal(o, value);
}

static void put_fstr(const sum *s, bx_pfm_code *to)
{
    static const char *const order[] = {"k",  "u",  "e",  "i",    "t", "c",
                                        "tf", "cf", "nf", "isoc", "nc"};
    const bx_cat_pmu *pmu = s->p->pmu;
    bx_out o = {to->fstr, sizeof to->fstr, 0};
    bx_out_z(&o, bx_cat_z(s->p->c, pmu->name));
    if (to->unit >= 0)
        bx_out_decimal(&o, (uint64_t)to->unit);
    bx_out_z(&o, "::");
    bx_out_z(&o, bx_cat_z(s->p->c, bx_pfm_name(s->p->event)));
    put_umasks(s, &o);
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
        uint16_t modifier = bx_cat_find_modifier(s->p->c, to->pmu, bx_str_of(order[i]));
        if (modifier == BX_NONE || !(s->p->event->modifiers >> local(s, modifier) & 1))
            continue;
        bool bound = s->p->event->bound >> local(s, modifier) & 1;
        if (strcmp(order[i], "nf") == 0 && bound && !(s->needs >> local(s, modifier) & 1))
            continue;
        put_modifier(s, modifier, &o);
    }
    bx_out_end(&o);
}

int bx_pfm_words(const bx_pfm_event *p, bx_pfm_code *to)
{
    const bx_cat_event *event = p->event;
    sum s = {.p = p, .groups = event->groups.n};
    s.group = &bx_cat_groups(p->c)[event->groups.first];
    if (!s.groups) {
        s.implied = (bx_cat_group){
            .preset = event->umask_default,
            .umasks = event->umasks,
            .flags = BX_GROUP_REQUIRED,
        };
        s.group = &s.implied;
        s.groups = 1;
    }
    int code = take_all(&s);
    if (!code)
        code = add_defaults(&s);
    if (!code)
        code = check_needs(&s);
    if (code)
        return code;
    put_words(&s, to);
    put_fstr(&s, to);
    return BX_PFM_SUCCESS;
}
