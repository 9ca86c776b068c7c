/* Makes short texts from the catalogue's names and numbers. */
#include "cli/common/names.h"

#include "catalog/machine_models.h"
#include "event/event.h"
#include "plan/plan.h"

#include <stdio.h>
#include <string.h>

bx_word bx_event_word(const bx_catalog *c, const bx_evsel *event)
{
    bx_word w;
    bx_event_format(c, event, w.text, sizeof w.text);
    return w;
}

bx_word bx_event_name_word(const bx_catalog *c, unsigned event)
{
    const bx_cat_event *e = &bx_cat_events(c)[event];
    bx_word w;
    snprintf(w.text, sizeof w.text, "%s::%s", bx_cat_z(c, bx_cat_pmus(c)[e->pmu].name),
             bx_cat_z(c, e->name));
    return w;
}

bx_word bx_umask_name_word(const bx_catalog *c, unsigned umask)
{
    const bx_cat_umask *u = &bx_cat_umasks(c)[umask];
    bx_word w = bx_event_name_word(c, u->event);
    size_t n = strlen(w.text);
    snprintf(w.text + n, sizeof w.text - n, ":%s", bx_cat_z(c, u->name));
    return w;
}

bx_word bx_pattern_word(const bx_catalog *c, bx_cat_text pattern, unsigned unit, unsigned n)
{
    bx_word w;
    bx_cat_expand(w.text, sizeof w.text, bx_cat_z(c, pattern), unit, n);
    return w;
}

bx_word bx_register_word(const bx_catalog *c, uint16_t reg, unsigned unit)
{
    return bx_pattern_word(c, bx_cat_regs(c)[reg].name, unit, 0);
}

bx_word bx_address_word(const bx_catalog *c, unsigned package, uint16_t reg, unsigned unit)
{
    bx_word w;
    bx_op op = {.reg = reg, .unit = (uint16_t)unit, .package = (uint16_t)package};
    bx_address_format(c, &op, w.text, sizeof w.text);
    return w;
}

bx_word bx_cpu_page_word(const bx_catalog *c, unsigned cpu)
{
    bx_word w;
    snprintf(w.text, sizeof w.text, "boxscore-%s", bx_cat_z(c, bx_cat_cpus(c)[cpu].name));
    return w;
}

bx_word bx_metrics_page_word(const bx_catalog *c, unsigned cpu)
{
    bx_word w = bx_cpu_page_word(c, cpu);
    strcat(w.text, "-metrics");
    return w;
}

/* The PMU's name without the CPU's name and "unc". A PMU with the name of its CPU is the core
 * PMU. */
bx_word bx_pmu_page_word(const bx_catalog *c, unsigned pmu)
{
    const bx_cat_pmu *p = &bx_cat_pmus(c)[pmu];
    bx_word w = bx_cpu_page_word(c, p->cpu);
    bx_str name = bx_cat_str(c, p->name), cpu = bx_cat_str(c, bx_cat_cpus(c)[p->cpu].name);
    size_t at = strlen(w.text);
    if (bx_str_starts_fold(name, cpu))
        name = bx_str_sub(name, cpu.n, name.n);
    if (bx_str_starts_fold(name, BX_STR("_unc")))
        name = bx_str_sub(name, 4, name.n);
    if (!name.n)
        name = BX_STR("_core");
    snprintf(w.text + at, sizeof w.text - at, "%.*s", (int)name.n, name.p);
    for (char *letter = w.text + at; *letter; letter++)
        *letter = *letter == '_' ? '-' : *letter;
    return w;
}

bx_word bx_bits_word(const bx_cat_field *field)
{
    bx_word w;
    if (field->hi == field->lo)
        snprintf(w.text, sizeof w.text, "%u", field->lo);
    else
        snprintf(w.text, sizeof w.text, "%u:%u", field->hi, field->lo);
    return w;
}

bx_word bx_counters_word(const bx_catalog *c, const bx_cat_event *event)
{
    bx_word w = {{0}};
    size_t n = 0;
    for (unsigned i = 0; i < 32; i++) {
        if (!(event->counters >> i & 1))
            continue;
        const bx_cat_counter *counter = bx_pmu_counter(c, event->pmu, i);
        if (counter->flags & BX_COUNTER_FIXED) {
            snprintf(w.text, sizeof w.text, "%s",
                     counter->flags & BX_COUNTER_FREE ? "free-running" : "fixed");
            break;
        }
        n += (size_t)snprintf(w.text + n, sizeof w.text - n, "%s%u", n ? "," : "", i);
    }
    return w;
}

bx_word bx_lower_word(const char *name)
{
    bx_word w = {{0}};
    for (size_t i = 0; name[i] && i < sizeof w.text - 1; i++)
        w.text[i] = (char)bx_lower(name[i]);
    return w;
}

bool bx_cpu_is_modelled(const bx_catalog *c, unsigned cpu)
{
    return !bx_str_eq(bx_cat_str(c, bx_cat_cpus(c)[cpu].model), BX_STR(BX_NO_MACHINE_MODEL));
}

const char *bx_confidence_name(unsigned level)
{
    return level == BX_SURE ? "sure" : level == BX_LIKELY ? "likely" : "weak";
}

void bx_add_column(bx_buf *to, size_t line, size_t column)
{
    static const char some[] = "                                ";
    size_t at = to->n - line;
    size_t blanks = at + 2 > column ? 2 : column - at;
    while (blanks) {
        size_t n = blanks < sizeof some - 1 ? blanks : sizeof some - 1;
        bx_buf_add(to, some, n);
        blanks -= n;
    }
}
