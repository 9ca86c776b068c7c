/* Names that kernels have for one thing. Sources: Linux 6.12, arch/x86/events/intel/. */
#include "host/perf/stand_ins.h"

#include <stdio.h>

const bx_perf_format *bx_perf_format_named(const bx_perf_pmu *pmu, bx_str key)
{
    for (size_t i = 0; i < pmu->formats_n; i++)
        if (bx_str_eq_fold(bx_str_of(pmu->formats[i].name), key))
            return &pmu->formats[i];
    return NULL;
}

/* The threshold has three names. PMUs of power control without unit masks choose the power state of
 * their occupancy events by occ_sel, bits 15:14, which Intel writes as bits 7:6 of a unit mask. */
const bx_perf_format *bx_perf_term_instead(const bx_perf_pmu *pmu, bx_str key, uint64_t *value)
{
    static const char *const thresholds[] = {"thresh", "cmask", "threshold"};
    const bx_perf_format *found = NULL;
    bool threshold = false;
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
        threshold |= bx_str_eq_fold(key, bx_str_of(thresholds[i]));
        found = found ? found : bx_perf_format_named(pmu, bx_str_of(thresholds[i]));
    }
    if (threshold)
        return found;
    if (!bx_str_eq_fold(key, BX_STR("umask")) || *value & 0x3f || *value > 0xff)
        return NULL;
    found = bx_perf_format_named(pmu, BX_STR("occ_sel"));
    *value = found ? *value >> 6 : *value;
    return found;
}

/* Types of units in the discovery tables (uncore_snbep.c, spr_uncores and gnr_uncores). */
static const struct {
    const char *pmu;
    unsigned type;
} types[] = {
    {"cha", 0},      {"iio", 1},      {"irp", 2},     {"m2pcie", 3}, {"pcu", 4},    {"ubox", 5},
    {"imc", 6},      {"m2m", 7},      {"upi", 8},     {"m3upi", 9},  {"mdf", 11},   {"cxlcm", 12},
    {"cxldp", 13},   {"hbm", 14},     {"b2hot", 15},  {"b2cmi", 16}, {"b2cxl", 17}, {"b2upi", 18},
    {"mdf_sbo", 20}, {"pciex16", 21}, {"pciex8", 22},
};

const char *bx_perf_unit_of_type(unsigned type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return types[i].pmu;
    return NULL;
}

bool bx_perf_pmu_instead(const bx_perf *p, bx_str name, char *to, size_t room)
{
    if (bx_str_eq(name, BX_STR("cpu_atom"))) {
        for (size_t i = 0; i < p->n; i++)
            if (bx_str_eq(bx_str_of(p->pmus[i].name), BX_STR("cpu_core")))
                return false;
        snprintf(to, room, "cpu");
        return true;
    }
    if (!bx_str_starts_fold(name, BX_STR("uncore_")))
        return false;
    bx_str unit = bx_str_sub(name, 7, name.n), number = {"", 0};
    size_t digits = unit.n;
    while (digits && bx_is_digit(unit.p[digits - 1]))
        digits--;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        bx_str pmu = bx_str_of(types[i].pmu);
        bool same = bx_str_eq(unit, pmu);
        if (!same && digits > 1 && digits < unit.n && unit.p[digits - 1] == '_' &&
            bx_str_eq(bx_str_sub(unit, 0, digits - 1), pmu)) {
            same = true;
            number = bx_str_sub(unit, digits - 1, unit.n);
        }
        if (same) {
            snprintf(to, room, "uncore_type_%u%.*s", types[i].type, (int)number.n, number.p);
            return true;
        }
    }
    return false;
}

/* Terms that later kernels widened. */
static const struct {
    const char *pmu, *term;
    unsigned bits; /* of the later kernel; and what it had before */
    unsigned before;
    const char *since;
} widened[] = {
    {"uncore_cha", "umask", 40, 32, "Linux 6.10 and later take it on Sapphire and Emerald Rapids"},
};

void bx_perf_later_kernel(const bx_perf_pmu *pmu, bx_str key, uint64_t value, bx_error *e)
{
    for (size_t i = 0; i < sizeof widened / sizeof *widened; i++) {
        const bx_perf_format *f = bx_perf_format_named(pmu, bx_str_of(widened[i].term));
        if (f && bx_str_eq_fold(key, bx_str_of(widened[i].term)) &&
            bx_str_starts_fold(bx_str_of(pmu->name), bx_str_of(widened[i].pmu)) &&
            (unsigned)__builtin_popcountll(f->mask) == widened[i].before &&
            value >> widened[i].bits == 0) {
            bx_hint(e, "%s", widened[i].since);
            return;
        }
    }
}
