#include "machine/key.h"

#include "base/bits.h"
#include "base/buf.h"
#include "machine/unit.h"
#include "vpmu/vpmu.h"

/* Where a key's value goes. */
typedef struct place {
    unsigned filter, lo;
    unsigned first, last; /* bits of the first field, and of all fields of the filter */
} place;

typedef struct search {
    const struct bx_catalog *c;
    const bx_cat_pmu *pmu;
    bx_str key;
} search;

static search search_for(const bx_topology *t, const bx_selection *what, bx_str key)
{
    unsigned first = bx_cat_cpus(t->catalog)[t->cpu].pmus.first;
    return (search){t->catalog, &bx_cat_pmus(t->catalog)[first + what->box], key};
}

/* ---- names ---- */

/* The modifier of a field of a filter register; NULL: no event looks at that field. */
static const bx_cat_modifier *modifier_of(const search *f, uint16_t reg, uint16_t field)
{
    const bx_cat_modifier *m = bx_cat_modifiers(f->c) + f->pmu->modifiers.first;
    for (unsigned i = 0; i < f->pmu->modifiers.n; i++)
        if (m[i].reg == reg && m[i].field == field)
            return &m[i];
    return NULL;
}

/* The key is the name, or the part after its first '_'. */
static bool names(bx_str key, bx_str name)
{
    ptrdiff_t joint = bx_str_find(name, '_', 0);
    return bx_str_eq_fold(key, name) ||
           (joint >= 0 && bx_str_eq_fold(key, bx_str_sub(name, (size_t)joint + 1, name.n)));
}

/* The key is the part before the first '_'. */
static bool begins(bx_str key, bx_str name)
{
    ptrdiff_t joint = bx_str_find(name, '_', 0);
    return joint >= 0 && bx_str_eq_fold(key, bx_str_sub(name, 0, (size_t)joint));
}

/* ---- fields ---- */

static bool find_in(const search *f, uint16_t reg, place *to)
{
    bx_span fields = bx_cat_regs(f->c)[reg].fields;
    bool found = false;
    for (uint16_t i = fields.first; i < fields.first + fields.n; i++) {
        const bx_cat_field *field = &bx_cat_fields(f->c)[i];
        bx_str name = bx_cat_str(f->c, field->name);
        const bx_cat_modifier *m = modifier_of(f, reg, i);
        if (!m)
            continue;
        if (names(f->key, name) || bx_str_eq_fold(f->key, bx_cat_str(f->c, m->name))) {
            to->lo = field->lo;
            to->first = to->last = field->hi;
            return true;
        }
        if (begins(f->key, name)) {
            to->lo = found ? to->lo : field->lo;
            to->first = found ? to->first : field->hi;
            to->last = field->hi;
            found = true;
        }
    }
    return found;
}

static bool find(const search *f, place *to)
{
    for (uint16_t i = f->pmu->regs.first; i < f->pmu->regs.first + f->pmu->regs.n; i++) {
        to->filter = bx_vpmu_filter_index(f->c, i);
        if (to->filter < BX_FILTERS && find_in(f, i, to))
            return true;
    }
    return false;
}

static bool tells_levels(const search *f)
{
    const bx_cat_counter *counters = bx_cat_counters(f->c) + f->pmu->counters.first;
    for (unsigned i = 0; i < f->pmu->counters.n; i++)
        if (counters[i].user != BX_NONE)
            return true;
    return false;
}

/* ---- messages ---- */

static void name_fields(const search *f, uint16_t reg, bx_buf *to)
{
    bx_span fields = bx_cat_regs(f->c)[reg].fields;
    for (uint16_t i = fields.first; i < fields.first + fields.n; i++) {
        bx_str name = bx_cat_str(f->c, bx_cat_fields(f->c)[i].name);
        ptrdiff_t joint = bx_str_find(name, '_', 0);
        if (!modifier_of(f, reg, i))
            continue;
        name = joint < 0 ? name : bx_str_sub(name, (size_t)joint + 1, name.n);
        bx_buf_f(to, "%s", to->n ? ", " : "");
        for (size_t k = 0; k < name.n; k++)
            bx_buf_f(to, "%c", name.p[k] >= 'A' && name.p[k] <= 'Z' ? name.p[k] + 32 : name.p[k]);
    }
}

static int no_key(const search *f, const bx_words *s, bx_str pmu, bx_error *e)
{
    bx_buf keys = {0};
    BX_FAIL_AT(e, s, f->key, "'%.*s' has no filter '%.*s'", BX_QUOTED(pmu), BX_QUOTED(f->key));
    for (uint16_t i = f->pmu->regs.first; i < f->pmu->regs.first + f->pmu->regs.n; i++)
        if (bx_vpmu_filter_index(f->c, i) < BX_FILTERS)
            name_fields(f, i, &keys);
    if (tells_levels(f))
        bx_hint(e, "there is cpl");
    else if (keys.n)
        bx_hint(e, "there are %s", keys.p);
    bx_buf_free(&keys);
    return BX_BAD_INPUT;
}

/* ---- values ---- */

static int read_level(const bx_words *s, bx_str value, bx_selection *what, bx_error *e)
{
    uint64_t cpl;
    if (bx_words_number(s, value, 3, "cpl", &cpl, e))
        return BX_BAD_INPUT;
    what->levels = cpl == 0 ? BX_LEVEL_OS : BX_LEVEL_USER;
    return BX_OK;
}

int bx_key_read(const bx_topology *t, const bx_words *s, bx_str word, bx_selection *what,
                bx_error *e)
{
    bx_str rest = word, key = bx_str_cut(&rest, '=');
    search f = search_for(t, what, key);
    uint64_t value;
    place at;
    if (!rest.p)
        rest = bx_str_sub(word, word.n, word.n);
    if (tells_levels(&f) && bx_str_eq(key, BX_STR("cpl")))
        return read_level(s, rest, what, e);
    if (!find(&f, &at))
        return no_key(&f, s, bx_unit_pmu_name(t, what->box), e);
    if (bx_words_number(s, rest, bx_mask_width(at.last - at.lo + 1), "key", &value, e))
        return BX_BAD_INPUT;
    unsigned hi = value > bx_mask_width(at.first - at.lo + 1) ? at.last : at.first;
    uint64_t *applies = &what->applies[at.filter];
    if (*applies & bx_mask_bits(at.lo, hi))
        return BX_FAIL_AT(e, s, key, "'%.*s' is given twice", BX_QUOTED(key));
    *applies |= bx_mask_bits(at.lo, hi);
    what->filter[at.filter] = bx_bits_set(what->filter[at.filter], at.lo, hi, value);
    return BX_OK;
}
