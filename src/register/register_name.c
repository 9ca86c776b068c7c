/* Compares names of registers. Documents spell them in several ways: with and without the unit
 * (SR0_CR_S_MSR_MATCH, S_MSR_MATCH), with CSR for MSR (323535-001 has both), and with a range for a
 * number (C_MSR_PMON_CTR{5-0}) or nothing in its place. */
#include "register/register_name.h"

#include <string.h>

enum { NAME = 128 };

/* "SR0_CR_S_MSR_MATCH": what follows the unit. */
static bx_str without_unit(bx_str name)
{
    for (size_t at = 0; at + 4 <= name.n; at++)
        if (bx_str_starts_fold(bx_str_sub(name, at, name.n), BX_STR("_CR_")))
            return bx_str_sub(name, at + 4, name.n);
    return name;
}

static size_t digits_at(bx_str s, size_t at)
{
    size_t n = 0;
    while (at + n < s.n && bx_is_digit(s.p[at + n]))
        n++;
    return n;
}

/* The length of one number, or of several with `_` between them: "7_0". */
static size_t numbers_at(bx_str s)
{
    size_t n = digits_at(s, 0);
    while (n && n < s.n && s.p[n] == '_' && digits_at(s, n + 1))
        n += 1 + digits_at(s, n + 1);
    return n;
}

/* The length of "{5-0}" or "[5:0]"; 0: there is none. */
static size_t range_at(bx_str s)
{
    if (!s.n || (s.p[0] != '{' && s.p[0] != '['))
        return 0;
    ptrdiff_t end = bx_str_find(s, s.p[0] == '{' ? '}' : ']', 0);
    return end < 0 ? 0 : (size_t)end + 1;
}

static bx_str rest(bx_str s, size_t from)
{
    return bx_str_sub(s, from, s.n);
}

/* Whether the name is that of the register, apart from numbers that it leaves open. */
static bool is_kind_of(bx_str name, bx_str full)
{
    for (bool inside = false; full.n;) { /* a number */
        size_t joint = full.p[0] == '_' && digits_at(full, 1) ? 1 : 0;
        size_t range = range_at(name), numbers = inside ? 0 : numbers_at(rest(full, joint));
        if (range && numbers)
            return is_kind_of(rest(name, range), rest(full, joint + numbers));
        if ((numbers || joint) && is_kind_of(name, rest(full, joint + digits_at(full, joint))))
            return true;
        bool csr =
            bx_str_starts_fold(name, BX_STR("CSR_")) && bx_str_starts_fold(full, BX_STR("MSR_"));
        if (!name.n || (!csr && bx_lower(name.p[0]) != bx_lower(full.p[0])))
            return false;
        inside = bx_is_digit(full.p[0]);
        name = rest(name, 1);
        full = rest(full, 1);
    }
    return !name.n;
}

static enum bx_register_call calls(bx_str name, const char *pattern, unsigned unit)
{
    char full[NAME];
    bx_cat_expand(full, sizeof full, pattern, unit, 0);
    if (bx_str_eq_fold(name, bx_str_of(full)))
        return BX_CALLS_ONE;
    return is_kind_of(without_unit(name), without_unit(bx_str_of(full))) ? BX_CALLS_KIND
                                                                         : BX_CALLS_NOT;
}

enum bx_register_call bx_register_called(const struct bx_catalog *c, unsigned reg, unsigned unit,
                                         bx_str name)
{
    const bx_cat_reg *r = &bx_cat_regs(c)[reg];
    enum bx_register_call best = calls(name, bx_cat_z(c, r->name), unit);
    bx_str also = bx_cat_str(c, r->also);
    while (also.n && best != BX_CALLS_ONE) {
        char other[NAME];
        bx_str one = bx_str_cut(&also, ' ');
        size_t n = one.n < sizeof other ? one.n : sizeof other - 1;
        memcpy(other, one.p, n);
        other[n] = '\0';
        enum bx_register_call here = calls(name, other, unit);
        best = here > best ? here : best;
    }
    return best;
}

bx_named_register bx_register_named(const struct bx_catalog *c, unsigned cpu, bx_str name,
                                    bx_nearest *near)
{
    bx_named_register found = {BX_NONE, 0, 0};
    enum bx_register_call best = BX_CALLS_KIND;
    bx_span pmus = bx_cat_cpus(c)[cpu].pmus;
    for (unsigned p = pmus.first; p < (unsigned)pmus.first + pmus.n; p++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(c)[p];
        unsigned units = pmu->scope == BX_SCOPE_CORE ? 1 : pmu->unit_max; /* cores: one name */
        for (uint16_t reg = pmu->regs.first; reg < pmu->regs.first + pmu->regs.n; reg++)
            for (uint16_t unit = 0; unit < units; unit++) {
                char full[NAME];
                bx_cat_expand(full, sizeof full, bx_cat_z(c, bx_cat_regs(c)[reg].name), unit, 0);
                bx_nearest_offer(near, full);
                enum bx_register_call here = bx_register_called(c, reg, unit, name);
                if (here < best)
                    continue;
                if (here > best)
                    found.n = 0;
                best = here;
                if (found.n++ == 0)
                    found = (bx_named_register){reg, unit, 1};
            }
    }
    return found;
}
