/* Options that Intel's metric files write after the name of an event: "c1", "e1", "SUP",
 * "opc=0x182". Source: the formulas of github.com/intel/perfmon. */
#include "event/build/builder.h"

/* A word, or a letter before a number, and the modifiers that PMUs have for it. */
static const struct {
    const char *word;
    bool number;
    const char *modifier, *other;
} options[] = {
    {"c", true, "c", "t"},
    {"e", true, "e", NULL},
    {"i", true, "i", NULL},
    {"opc=", true, "filter_opc", "filter_opc0"},
    {"tid=", true, "filter_tid", NULL},
    {"ocr_msr_val=", true, "offcore_rsp", NULL},
    {"SUP", false, "k", NULL},
    {"USER", false, "u", NULL},
    {"perf_metrics", false, NULL, NULL}, /* says only how a tool of Intel counts it */
};

static uint16_t modifier_of(const bx_event_builder *d, size_t option)
{
    uint16_t found = bx_cat_find_modifier(d->c, d->to.pmu, bx_str_of(options[option].modifier));
    if (found == BX_NONE && options[option].other)
        found = bx_cat_find_modifier(d->c, d->to.pmu, bx_str_of(options[option].other));
    return found;
}

/* Whether the part is this option; *digits: its number. */
static bool is_option(size_t i, bx_str part, bx_str *digits)
{
    bx_str word = bx_str_of(options[i].word);
    if (!options[i].number)
        return bx_str_eq_fold(part, word);
    *digits = bx_str_sub(part, word.n, part.n);
    return part.n > word.n && bx_str_starts_fold(part, word) && bx_is_digit(*digits->p);
}

static int read_option(bx_event_builder *d, size_t i, bx_str digits, bx_str part, bool *found)
{
    uint64_t value = 1;
    if (!options[i].modifier)
        return BX_OK;
    uint16_t modifier = modifier_of(d, i);
    *found = modifier != BX_NONE;
    int code = *found && options[i].number ? bx_builder_number(d, digits, &value) : BX_OK;
    return *found && !code ? bx_builder_modifier(d, modifier, value, part) : code;
}

int bx_read_intel_word(bx_event_builder *d, bx_str part, bool *found)
{
    bx_str digits = {NULL, 0};
    *found = true;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (is_option(i, part, &digits))
            return read_option(d, i, digits, part, found);
    *found = false;
    return BX_OK;
}
