/* The compiled-in catalogue equals its files. */
#include "../cmocked.h"

#include "catalog/check.h"

#include "folder.h"

#include "compile/compile.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_cpu(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && entry->d_type == DT_DIR;
}

static void read_all(folder *f)
{
    char path[512], prefix[300];
    snprintf(path, sizeof path, "%s/catalog", getenv("SOURCE_ROOT"));
    struct dirent **entries;
    int n = scandir(path, &entries, is_cpu, alphasort);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "catalog/%s", entries[i]->d_name);
        snprintf(prefix, sizeof prefix, "%s/", entries[i]->d_name);
        folder_read(f, path, prefix);
        free(entries[i]);
    }
    free(entries);
}

static void assert_builtin(const folder *f)
{
    bx_error e = {0};
    struct bx_catalog *c = bx_catalog_parse(f->files, f->n, &e);
    if (!c)
        fail_msg("%s", e.message);
    const struct bx_catalog *builtin = bx_catalog_builtin();
    assert_int_equal(c->magic, BX_CAT_MAGIC);
    assert_int_equal(c->size, builtin->size);
    assert_memory_equal(c, builtin, builtin->size);
    free(c);
}

static void same_bytes_at_run_time(void **state)
{
    (void)state;
    folder f = {.n = 0};
    read_all(&f);
    assert_builtin(&f);
    folder_free(&f);
}

/* The .cpu file lists the PMUs, so the order of the files beside it makes no difference. */
static void order_of_files_does_not_matter(void **state)
{
    (void)state;
    folder f = {.n = 0};
    folder_read(&f, "catalog/skl", "skl/");
    struct bx_catalog *c = bx_catalog_parse(f.files, f.n, NULL);
    for (size_t i = 0; i < f.n / 2; i++) {
        bx_cat_file file = f.files[i];
        f.files[i] = f.files[f.n - 1 - i];
        f.files[f.n - 1 - i] = file;
    }
    struct bx_catalog *turned = bx_catalog_parse(f.files, f.n, NULL);
    assert_non_null(c);
    assert_non_null(turned);
    assert_int_equal(c->size, turned->size);
    assert_memory_equal(c, turned, c->size);
    free(c);
    free(turned);
    folder_free(&f);
}

/* Every span lies in its table, and every reference is valid. */
static void assert_span(bx_span span, bx_cat_table table)
{
    assert_true((uint32_t)span.first + span.n <= table.n);
}

static void references_are_in_range(void **state)
{
    (void)state;
    const struct bx_catalog *c = bx_catalog_builtin();
    for (uint16_t i = 0; i < c->cpus.n; i++) {
        const bx_cat_cpu *cpu = &bx_cat_cpus(c)[i];
        assert_span(cpu->ids, c->ids);
        assert_span(cpu->pmus, c->pmus);
        assert_span(cpu->passives, c->passives);
        assert_span(cpu->functions, c->functions);
        assert_span(cpu->metrics, c->metrics);
        assert_span(cpu->metric_groups, c->metric_groups);
        assert_span(cpu->defaults, c->picks);
        assert_span(cpu->shapes, c->shapes);
        assert_span(cpu->pmi, c->fields);
    }
    for (uint16_t i = 0; i < c->pmus.n; i++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(c)[i];
        assert_span(pmu->regs, c->regs);
        assert_span(pmu->counters, c->counters);
        assert_span(pmu->events, c->events);
        assert_span(pmu->modifiers, c->modifiers);
        assert_span(pmu->slots, c->slots);
        assert_true(pmu->cpu < c->cpus.n && pmu->unit_max >= 1);
    }
    for (uint16_t i = 0; i < c->regs.n; i++) {
        const bx_cat_reg *reg = &bx_cat_regs(c)[i];
        assert_span(reg->fields, c->fields);
        assert_true(reg->first_addr + bx_cat_pmus(c)[reg->pmu].unit_max <= c->addrs.n);
    }
    for (uint16_t i = 0; i < c->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(c)[i];
        assert_span(event->umasks, c->umasks);
        assert_span(event->sets, c->sets);
        assert_true(event->slot == BX_NONE || event->slot < c->slots.n);
    }
    for (uint16_t i = 0; i < c->fields.n; i++)
        assert_span(bx_cat_fields(c)[i].gathers, c->gathers);
    for (uint16_t i = 0; i < c->slots.n; i++)
        assert_span(bx_cat_slots(c)[i].places, c->places);
    for (uint16_t i = 0; i < c->modifiers.n; i++)
        assert_span(bx_cat_modifiers(c)[i].values, c->values);
    for (uint16_t i = 0; i < c->values.n; i++)
        assert_span(bx_cat_values(c)[i].sets, c->sets);
    assert_int_equal(c->index.n & (c->index.n - 1), 0);
    assert_int_equal(bx_cat_strings(c)[0], '\0');
    assert_int_equal(bx_cat_strings(c)[c->strings.n - 1], '\0');
    assert_int_equal(c->size % 8, 0);
}

/* A metric has one name, one unit and one definition, whatever the CPU. */
static void metrics_agree(void **state)
{
    (void)state;
    const struct bx_catalog *c = bx_catalog_builtin();
    unsigned shared = 0;
    for (uint16_t i = 0; i < c->metrics.n; i++)
        for (uint16_t k = 0; k < i; k++) {
            const bx_cat_metric *a = &bx_cat_metrics(c)[i], *b = &bx_cat_metrics(c)[k];
            if (strcmp(bx_cat_z(c, a->name), bx_cat_z(c, b->name)) != 0)
                continue;
            shared++;
            if (strcmp(bx_cat_z(c, a->unit), bx_cat_z(c, b->unit)) != 0 ||
                strcmp(bx_cat_z(c, a->title), bx_cat_z(c, b->title)) != 0)
                fail_msg("%s: %s, %s; %s, %s", bx_cat_z(c, a->name), bx_cat_z(c, a->unit),
                         bx_cat_z(c, a->title), bx_cat_z(c, b->unit), bx_cat_z(c, b->title));
        }
    assert_true(shared > 50);
}

/* A file with the catalogue is foreign input: a mask over modifiers that a PMU does not have,
 * settings of another PMU's modifiers, and bits that are not its field's, are refused. */
static void foreign_masks_are_refused(void **state)
{
    (void)state;
    const bx_catalog *c = bx_catalog_builtin();
    assert_null(bx_catalog_check(c, c->size));
    bx_catalog *copy = malloc(c->size);
    assert_non_null(copy);
    const uint32_t too_far = UINT32_C(1) << BX_MODIFIERS;
    uint16_t core = bx_cat_find_pmu(c, BX_STR("skl_core"));
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[core];
    struct {
        const void *where;
        bool is_set;
    } faults[] = {
        {&pmu->preset, false},
        {&pmu->levels, false},
        {&bx_cat_modifiers(c)[pmu->modifiers.first].needs, false},
        {&bx_cat_modifiers(c)[pmu->modifiers.first].mask, false},
        {&bx_cat_events(c)[pmu->events.first].minds, false},
        {&bx_cat_umasks(c)[bx_cat_events(c)[pmu->events.first + 3].umasks.first].takes, false},
        {&bx_cat_sets(c)[0].modifier, true},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char *at = (char *)copy + ((const char *)faults[i].where - (const char *)c);
        memcpy(copy, c, c->size);
        if (faults[i].is_set) /* the last modifier of all, of another CPU */
            *(uint16_t *)(void *)at = (uint16_t)(c->modifiers.n - 1);
        else
            *(uint32_t *)(void *)at |= too_far;
        assert_string_equal(bx_catalog_check(copy, c->size), "a PMU contradicts itself");
    }
    memcpy(copy, c, c->size);
    *((char *)copy +
      ((const char *)&bx_cat_modifiers(c)[pmu->modifiers.first].at - (const char *)c)) += 100;
    assert_string_equal(bx_catalog_check(copy, c->size), "a PMU contradicts itself");
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes_at_run_time),
        cmocka_unit_test(order_of_files_does_not_matter),
        cmocka_unit_test(references_are_in_range),
        cmocka_unit_test(metrics_agree),
        cmocka_unit_test(foreign_masks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
