/* Parses the name of a unit of a machine. */
#include "machine/dialogue/unit_name.h"

#include "base/buf.h"
#include "base/nearest.h"

static const bx_cat_cpu *cpu_of(const bx_topology *t)
{
    return &bx_cat_cpus(t->catalog)[t->cpu];
}

static const bx_cat_pmu *pmu_of(const bx_topology *t, unsigned box)
{
    return &bx_cat_pmus(t->catalog)[cpu_of(t)->pmus.first + box];
}

static const char *name_of(const bx_topology *t, unsigned box)
{
    return bx_cat_z(t->catalog, pmu_of(t, box)->name);
}

bx_str bx_unit_pmu_name(const bx_topology *t, unsigned box)
{
    return bx_str_of(name_of(t, box));
}

/* Whether the word is the name, or the name and a number. The name itself may end in a digit: `p6`.
 */
static bool is_name_of(bx_str word, bx_str name)
{
    if (word.n < name.n || !bx_str_eq_fold(bx_str_sub(word, 0, name.n), name))
        return false;
    for (size_t i = name.n; i < word.n; i++)
        if (!bx_is_digit(word.p[i]))
            return false;
    return true;
}

static bx_str without_number(bx_str name)
{
    while (name.n && bx_is_digit(name.p[name.n - 1]))
        name.n--;
    return name;
}

/* The number of units in a package; a core PMU's units are the CPUs. */
static unsigned units_of(const bx_topology *t, unsigned box)
{
    return pmu_of(t, box)->scope == BX_SCOPE_PACKAGE
               ? bx_topology_units(t, (uint16_t)(cpu_of(t)->pmus.first + box))
               : t->cores;
}

static void hint_names(const bx_topology *t, bx_error *e)
{
    bx_buf names = {0};
    for (unsigned i = 0; i < cpu_of(t)->pmus.n; i++)
        if (pmu_of(t, i)->counters.n)
            bx_buf_f(&names, "%s%s", names.n ? ", " : "", name_of(t, i));
    bx_hint(e, "there are %s", names.p ? names.p : "none");
    bx_buf_free(&names);
}

/* Finds the PMU of a word that may end in a unit number. Only PMUs with counters count signals. */
static int find_box(const bx_topology *t, const bx_words *s, bx_str word, unsigned *box,
                    bx_error *e)
{
    bx_str name = without_number(word);
    bx_nearest nearest = bx_nearest_to(name);
    for (unsigned i = 0; i < cpu_of(t)->pmus.n; i++) {
        if (pmu_of(t, i)->counters.n == 0)
            continue;
        if (is_name_of(word, bx_unit_pmu_name(t, i))) {
            *box = i;
            return BX_OK;
        }
        bx_nearest_offer(&nearest, name_of(t, i));
    }
    BX_FAIL_AT(e, s, name, "no PMU with counters is called '%.*s'", BX_QUOTED(name));
    hint_names(t, e);
    bx_nearest_hint(e, &nearest);
    return BX_BAD_INPUT;
}

static int find_number(const bx_topology *t, const bx_words *s, bx_str word, bx_str digits,
                       bx_selection *what, bx_error *e)
{
    bx_str name = bx_unit_pmu_name(t, what->box);
    unsigned units = units_of(t, what->box);
    unsigned unit = 0;
    for (size_t i = 0; i < digits.n && unit < units; i++)
        unit = 10 * unit + (unsigned)(digits.p[i] - '0');
    if (unit < units && (digits.n > 0 || units == 1)) {
        what->unit = (uint16_t)unit;
        return BX_OK;
    }
    if (digits.n > 0)
        BX_FAIL_AT(e, s, word, "this machine has no unit '%.*s'", BX_QUOTED(word));
    else
        BX_FAIL_AT(e, s, word, "'%.*s' has %u units", BX_QUOTED(word), units);
    bx_hint(e, "the last one is '%.*s%u'", BX_QUOTED(name), units - 1);
    return BX_BAD_INPUT;
}

int bx_unit_find(const bx_topology *t, const bx_words *s, bx_str word, bx_selection *what,
                 bx_error *e)
{
    bx_str package = word, unit = bx_str_cut(&package, '@');
    unsigned box;
    uint64_t n = 0;
    if (find_box(t, s, unit, &box, e))
        return BX_BAD_INPUT;
    what->box = (uint16_t)box;
    bx_str digits = bx_str_sub(unit, bx_unit_pmu_name(t, box).n, unit.n);
    if (find_number(t, s, unit, digits, what, e))
        return BX_BAD_INPUT;
    if (package.p && bx_words_number(s, package, t->packages - 1, "package", &n, e))
        return BX_BAD_INPUT;
    what->package = (uint16_t)n;
    return BX_OK;
}
