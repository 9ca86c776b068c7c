/* Linux's PMU of each of perfmon's units. Sources: Linux 6.12, arch/x86/events/intel/uncore_snb.c,
 * uncore_snbep.c and uncore_nhmex.c: the member `name` of each intel_uncore_type. */
#include "perfmon/units.h"

#include <stdio.h>
#include <string.h>

/* `cpus`: folders, separated by blanks, that the row is for; NULL: all others. */
typedef struct naming {
    const char *unit, *kernel, *cpus;
} naming;

static const naming namings[] = {
    {"NCU", "uncore_cbox_0", "skl bdw hsw"},     {"NCU", "uncore_clock", "icl tgl rkl adl"},
    {"NCU", "uncore_cncu", "mtl arl"},           {"CBO", "uncore_cbox_{unit}", NULL},
    {"SBO", "uncore_sbox_{unit}", NULL},         {"QPI LL", "uncore_qpi_{unit}", NULL},
    {"UPI LL", "uncore_upi_{unit}", NULL},       {"MCHBM", "uncore_hbm_{unit}", NULL},
    {"M2HBM", "uncore_m2m_{unit}", NULL},        {"MDF", "uncore_mdf_{unit}", "spr emr"},
    {"MDF", "uncore_mdf_sbo_{unit}", NULL},      {"iMC_DCLK", "uncore_imc_{unit}", NULL},
    {"HAC_CBO", "uncore_hac_cbox_{unit}", NULL},
};

/* The filters of a PMU: Linux's terms beside code, unit mask and thresholds. */
static const struct {
    const char *kernel, *terms;
} filters[] = {
    {"uncore_cbox", "tid_en filter_tid filter_link filter_state filter_nid filter_opc filter_nc "
                    "filter_c6 filter_isoc"},
    {"uncore_cha", "tid_en filter_tid filter_link filter_state filter_rem filter_loc filter_nm "
                   "filter_not_nm filter_all_op filter_opc0 filter_opc1 filter_nc filter_isoc"},
    {"uncore_pcu", "filter_band0 filter_band1 filter_band2 filter_band3 occ_invert occ_edge_det"},
    {"uncore_qpi", "match_rds match_rnid30 match_rnid4 match_dnid match_mc match_opc match_vnw "
                   "match0 match1 mask_rds mask_rnid30 mask_rnid4 mask_dnid mask_mc mask_opc "
                   "mask_vnw mask0 mask1"},
    {"uncore_iio", "ch_mask fc_mask"},
    {"uncore_imc", "chmask"},
};

static bool listed(const char *words, bx_str word)
{
    for (bx_str rest = bx_str_of(words); rest.p;)
        if (bx_str_eq_fold(bx_str_cut(&rest, ' '), word))
            return true;
    return false;
}

static bx_perfmon_unit core_of(bx_str role)
{
    static const struct {
        const char *role, *name, *kernel, *title;
    } roles[] = {
        {"Core", "core", "cpu_core", "Performance cores"},
        {"Atom", "atom", "cpu_atom", "Efficient cores"},
        {"LowPower_Atom", "lowpower", "cpu_lowpower", "Low-power efficient cores"},
    };
    bx_perfmon_unit to = {.name = "core",
                          .kernel = "cpu",
                          .title = "Cores",
                          .core = true,
                          .modifiers = "any in_tx in_tx_cp ldlat offcore_rsp snoop_rsp frontend"};
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (bx_str_eq_fold(role, bx_str_of(roles[i].role))) {
            snprintf(to.name, sizeof to.name, "%s", roles[i].name);
            snprintf(to.kernel, sizeof to.kernel, "%s", roles[i].kernel);
            snprintf(to.title, sizeof to.title, "%s", roles[i].title);
        }
    return to;
}

/* "uncore_iio_free_running_{unit}". The counters of the two memory controllers of a client are two
 * PMUs; the events' names say which: UNC_MC1_RDCAS_COUNT_FREERUN. */
static void name_free_running(const bx_perfmon_row *row, const char *stem, bx_perfmon_unit *to)
{
    bx_str name = row->name;
    bool numbered = bx_str_starts_fold(name, BX_STR("UNC_MC")) && name.n > 7 &&
                    bx_is_digit(name.p[6]) && name.p[7] == '_';
    const char number[] = {numbered ? name.p[6] : '\0', '\0'};
    snprintf(to->name, sizeof to->name, "unc_%s_free_running%s%s", stem, numbered ? "_" : "",
             number);
    snprintf(to->kernel, sizeof to->kernel, "uncore_%s_free_running_%s", stem,
             numbered ? number : "{unit}");
}

bx_perfmon_unit bx_perfmon_unit_of(const bx_perfmon_row *row, bx_str folder, bx_str role)
{
    if (!row->unit.n)
        return core_of(role);
    bx_perfmon_unit to = {.modifiers = ""};
    char stem[32] = "";
    bx_str unit = row->unit;
    if (unit.n > 3 && bx_str_eq_fold(bx_str_sub(unit, unit.n - 3, 3), BX_STR(" LL")))
        unit.n -= 3;
    for (size_t i = 0; i < unit.n && i < sizeof stem - 1; i++)
        stem[i] =
            (char)(bx_is_letter(unit.p[i]) || bx_is_digit(unit.p[i]) ? bx_lower(unit.p[i]) : '_');
    snprintf(to.name, sizeof to.name, "unc_%s", stem);
    snprintf(to.kernel, sizeof to.kernel, "uncore_%s_{unit}", stem);
    snprintf(to.title, sizeof to.title, "%.*s%s", (int)(row->unit.n < 32 ? row->unit.n : 32),
             row->unit.p, row->free_running ? ", free-running counters" : "");
    for (size_t i = 0; i < sizeof namings / sizeof *namings; i++)
        if (bx_str_eq_fold(row->unit, bx_str_of(namings[i].unit)) &&
            (!namings[i].cpus || listed(namings[i].cpus, folder))) {
            snprintf(to.kernel, sizeof to.kernel, "%s", namings[i].kernel);
            break;
        }
    if (row->free_running)
        name_free_running(row, stem, &to);
    for (size_t i = 0; i < sizeof filters / sizeof *filters && !row->free_running; i++)
        if (bx_str_starts_fold(bx_str_of(to.kernel), bx_str_of(filters[i].kernel)))
            to.modifiers = filters[i].terms;
    return to;
}
