/* Implements space.h: checks of single event strings, and lists of modifier settings. */
#include "space.h"
#include "event/event.h"

const char *space_name(bx_cat_text t)
{
    return bx_cat_z(built_in(), t);
}

const bx_cat_pmu *space_pmu(const char *name)
{
    uint16_t at = bx_cat_find_pmu(built_in(), bx_str_of(name));
    assert_int_not_equal(at, BX_NONE);
    return &bx_cat_pmus(built_in())[at];
}

bx_evsel space_read_back(const bx_cat_pmu *pmu, const char *text, const char *from)
{
    bx_evsel event;
    bx_error e = {0};
    if (bx_event_parse(built_in(), pmu->cpu, text, strlen(text), &event, &e))
        fail_msg("'%s' gives '%s': %s", from, text, e.message);
    return event;
}

/* ---- registers ---- */

bool space_same(const bx_regvalue *a, size_t na, const bx_regvalue *b, size_t nb)
{
    bool same = na == nb;
    for (size_t i = 0; same && i < na; i++)
        same = a[i].reg == b[i].reg && a[i].value == b[i].value && a[i].mask == b[i].mask;
    return same;
}

static void show(const char *text, const bx_regvalue *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        print_message("  %s: %s = %#llx of %#llx\n", text,
                      space_name(bx_cat_regs(built_in())[r[i].reg].name),
                      (unsigned long long)r[i].value, (unsigned long long)r[i].mask);
}

void space_differ(const char *text, const char *of, const bx_regvalue *a, size_t na,
                  const bx_regvalue *b, size_t nb)
{
    show("was", a, na);
    show("is", b, nb);
    fail_msg("'%s' gives '%s': other registers", text, of);
}

void space_same_registers(const char *text, const char *of, const bx_evsel *a, const bx_evsel *b)
{
    uint32_t can = bx_event_counters(built_in(), a);
    assert_int_equal(can, bx_event_counters(built_in(), b));
    assert_int_equal(a->pmu, b->pmu);
    for (; can; can &= can - 1) {
        bx_regvalue ra[1 + BX_EXTRAS], rb[1 + BX_EXTRAS];
        size_t na = bx_event_registers(built_in(), a, bx_lowest_bit(can), ra);
        size_t nb = bx_event_registers(built_in(), b, bx_lowest_bit(can), rb);
        if (!space_same(ra, na, rb, nb))
            space_differ(text, of, ra, na, rb, nb);
    }
}

bx_evsel space_canonical(const bx_cat_pmu *pmu, const char *text, const bx_evsel *event,
                         char string[TEXT])
{
    char again[TEXT];
    bx_evsel second = space_read_back(pmu, canonical(event, string), text);
    if (strcmp(canonical(&second, again), string) != 0)
        fail_msg("'%s' gives '%s', which gives '%s'", text, string, again);
    space_same_registers(text, string, event, &second);
    return second;
}

/* ---- what to try ---- */

unsigned space_settings(const bx_cat_pmu *pmu, char settings[SETTINGS][SETTING])
{
    unsigned n = 0;
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(built_in())[pmu->modifiers.first + i];
        uint64_t hi = m->flag ? 1 : m->hi;
        const uint64_t values[] = {0, 1, hi / 2, hi};
        for (unsigned j = 0; j < 4; j++)
            if (j == 0 || values[j] > values[j - 1])
                snprintf(settings[n++], SETTING, ":%s=%llu", space_name(m->name),
                         (unsigned long long)values[j]);
        if (m->values.n)
            snprintf(settings[n++], SETTING, ":%s=%s", space_name(m->name),
                     space_name(bx_cat_values(built_in())[m->values.first + m->values.n - 1].name));
        assert_true(n + 5 < SETTINGS);
    }
    return n;
}
