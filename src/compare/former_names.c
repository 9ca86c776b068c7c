/* Finds the CPU of a saved run, and the present names of its metrics. */
#include "compare/former_names.h"

#include "catalog/catalog.h"

/* The CPU of the PMU that stands before "::" or "@" in the event's name; -1: none does. */
static int cpu_of_event(const bx_catalog *c, bx_str name)
{
    ptrdiff_t colons = bx_str_find(name, ':', 0), at = bx_str_find(name, '@', 0);
    ptrdiff_t end = at >= 0 && (colons < 0 || at < colons) ? at : colons;
    if (end <= 0)
        return -1;
    uint16_t pmu = bx_cat_find_pmu(c, bx_str_sub(name, 0, (size_t)end));
    return pmu == BX_NONE ? -1 : bx_cat_pmus(c)[pmu].cpu;
}

/* The name that a metric has now; {0}: it is no metric of the CPU. */
static bx_str present_name(const bx_catalog *c, int cpu, bx_str name)
{
    uint16_t metric = bx_cat_find_metric(c, (uint16_t)cpu, name);
    return metric == BX_NONE ? (bx_str){0} : bx_cat_str(c, bx_cat_metrics(c)[metric].name);
}

int bx_saved_use_present_names(const bx_catalog *c, bx_saved *run)
{
    int cpu = -1;
    for (size_t i = 0; i < run->n && cpu < 0; i++)
        if (!run->values[i].metric)
            cpu = cpu_of_event(c, bx_str_of(run->values[i].name));
    for (size_t i = 0; i < run->n && cpu >= 0; i++) {
        bx_saved_value *value = &run->values[i];
        bx_str name = value->metric ? present_name(c, cpu, bx_str_of(value->name)) : (bx_str){0};
        value->name = name.p ? name.p : value->name; /* texts of the catalogue end with NUL */
    }
    return cpu;
}

void bx_condition_use_present_name(const bx_catalog *c, int cpu, bx_condition *condition)
{
    bx_str name = cpu < 0 ? (bx_str){0} : present_name(c, cpu, condition->name);
    condition->called = name.p ? name : condition->name;
}
