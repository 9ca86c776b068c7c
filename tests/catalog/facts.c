/* Implements facts.h: comparison of a catalogue with facts typed from documents. */
#include "../cmocked.h"

#include "facts.h"
#include "event/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- by name ---- */

uint16_t facts_pmu(const struct bx_catalog *c, const char *name)
{
    uint16_t i = bx_cat_find_pmu(c, bx_str_of(name));
    if (i == BX_NONE)
        fail_msg("no PMU %s", name);
    return i;
}

const bx_cat_event *facts_event(const struct bx_catalog *c, uint16_t pmu, const char *name)
{
    uint16_t i = bx_cat_find_event(c, pmu, bx_str_of(name));
    if (i == BX_NONE)
        fail_msg("no event %s", name);
    return &bx_cat_events(c)[i];
}

const bx_cat_umask *facts_umask(const struct bx_catalog *c, const bx_cat_event *event,
                                const char *name)
{
    if (!*name)
        return NULL;
    uint16_t i = bx_cat_find_umask(c, (uint16_t)(event - bx_cat_events(c)), bx_str_of(name));
    if (i == BX_NONE)
        fail_msg("%s has no unit mask %s", bx_cat_z(c, event->name), name);
    return &bx_cat_umasks(c)[i];
}

void facts_same(const char *row, const char *part, const struct known *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (all[i].is != all[i].expected)
            fail_msg("%s%s%s: %s is 0x%" PRIx64 ", not 0x%" PRIx64, row, *part ? ":" : "", part,
                     all[i].what, all[i].is, all[i].expected);
}

/* ---- events ---- */

static struct event_row row_of(const struct event_list *list, size_t i)
{
    return list->rows ? list->rows[i] : list->row(i);
}

void facts_check_row(const char *pmu, unsigned columns, const struct event_row *row)
{
    const struct bx_catalog *c = bx_catalog_builtin();
    const bx_cat_event *event = facts_event(c, facts_pmu(c, pmu), row->event);
    const bx_cat_umask *umask = facts_umask(c, event, row->umask);
    uint32_t value = umask ? umask->value : 0;
    const struct {
        unsigned column;
        struct known known;
    } all[] = {
        {CODE, {"code", event->code, row->code}},
        {VALUE, {"unit mask", value, row->value}},
        {TOGETHER, {"what selects it", event->code | value, row->value}},
        {MAX, {"increment", event->max, row->max}},
        {CONFIDENCE, {"confidence", umask ? umask->confidence : event->confidence, row->sure}},
        {COUNTERS, {"counters", event->counters, row->counters}},
        {SCALE, {"scale", event->scale, row->scale}},
        {NEEDS_UMASK, {"need of a unit mask", event->umasks.n > 0, umask != NULL}},
        {RANK, {"rank", umask ? umask->rank : 0, row->rank}},
        {SOURCE, {"source", event->source && event->title && event->unit, true}},
        {SOURCE, {"unit mask's source", !umask || (umask->source && umask->title), true}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (columns & all[i].column)
            facts_same(row->event, row->umask, &all[i].known, 1);
}

void every_row(void **state)
{
    const struct event_list *list = *state;
    assert_int_equal(list->n, list->listed);
    for (size_t i = 0; i < list->n; i++) {
        struct event_row row = row_of(list, i);
        facts_check_row(list->pmu, list->columns, &row);
    }
}

static bool is_listed(const struct event_list *list, const char *event, const char *umask)
{
    for (size_t i = 0; i < list->n; i++) {
        struct event_row row = row_of(list, i);
        if (strcmp(row.event, event) == 0 && strcmp(row.umask, umask) == 0)
            return true;
    }
    return false;
}

static size_t check_listed(const struct event_list *list, const bx_cat_event *event)
{
    const struct bx_catalog *c = bx_catalog_builtin();
    const char *name = bx_cat_z(c, event->name);
    if (list->other && strncmp(name, list->other, strlen(list->other)) == 0)
        return 0;
    for (uint16_t u = 0; u < event->umasks.n; u++)
        if (!is_listed(list, name, bx_cat_z(c, bx_cat_umasks(c)[event->umasks.first + u].name)))
            fail_msg("%s has a unit mask of its own", name);
    if (event->umasks.n == 0 && !is_listed(list, name, ""))
        fail_msg("%s is in no list", name);
    return event->umasks.n ? event->umasks.n : 1;
}

void no_other_names(void **state)
{
    const struct event_list *list = *state;
    const struct bx_catalog *c = bx_catalog_builtin();
    bx_span events = bx_cat_pmus(c)[facts_pmu(c, list->pmu)].events;
    size_t found = 0;
    for (uint16_t i = events.first; i < events.first + events.n; i++)
        found += check_listed(list, &bx_cat_events(c)[i]);
    assert_int_equal(found, list->n);
}

void final_registers(void **state)
{
    const struct event_list *list = *state;
    for (size_t i = 0; i < list->n; i++)
        for (unsigned unit = 0; unit < list->units; unit++) {
            struct event_row row = row_of(list, i);
            struct msr expected[MOST_MSRS];
            size_t n = list->registers(i, unit, expected);
            facts_check_registers(expected, n, "%s%u::%s%s%s", list->pmu, unit, row.event,
                                  *row.umask ? ":" : "", row.umask);
        }
}

bx_evsel facts_evsel(const char *event)
{
    bx_evsel evsel;
    bx_error e = {0};
    if (bx_event_parse(bx_catalog_builtin(), -1, event, strlen(event), &evsel, &e) != BX_OK)
        fail_msg("%s: %s", event, e.message);
    return evsel;
}

static void check_register(const char *event, const struct msr *expected, size_t n, size_t i,
                           uint32_t at, uint64_t value)
{
    size_t k = 0;
    while (k < n && expected[k].address != at)
        k++;
    if (k == n || (i == 0 && k != 0))
        fail_msg("%s writes 0x%x", event, at);
    if (value != expected[k].value)
        fail_msg("%s: 0x%x gets 0x%" PRIx64 ", not 0x%" PRIx64, event, at, value,
                 expected[k].value);
}

void facts_check_registers(const struct msr *expected, size_t n, const char *event, ...)
{
    const struct bx_catalog *c = bx_catalog_builtin();
    char text[256];
    va_list ap;
    va_start(ap, event);
    vsnprintf(text, sizeof text, event, ap);
    va_end(ap);
    bx_evsel evsel = facts_evsel(text);
    bx_regvalue is[BX_EXTRAS + 2];
    int counter = bx_event_lowest_counter(c, &evsel);
    size_t found = bx_event_registers(c, &evsel, counter < 0 ? 0 : (unsigned)counter, is);
    FACTS_SAME(text, "", {"number of registers", found, n});
    for (size_t i = 0; i < n; i++)
        check_register(text, expected, n, i,
                       facts_address(&bx_cat_regs(c)[is[i].reg], (unsigned)evsel.unit),
                       is[i].value);
}

/* ---- registers ---- */

static bool is_of(const bx_cat_reg *reg, const char *cpu)
{
    const struct bx_catalog *c = bx_catalog_builtin();
    return bx_cat_pmus(c)[reg->pmu].cpu == bx_cat_find_cpu(c, bx_str_of(cpu));
}

static bool is_called(const bx_cat_reg *reg, const char *name, unsigned *unit)
{
    const struct bx_catalog *c = bx_catalog_builtin();
    const char *own = bx_cat_z(c, reg->name);
    for (*unit = 0; *unit < bx_cat_pmus(c)[reg->pmu].unit_max; ++*unit) {
        char filled[64];
        bx_cat_expand(filled, sizeof filled, own, *unit, 0);
        if (strcmp(filled, name) == 0 || strcmp(own, name) == 0)
            return true;
    }
    return false;
}

const bx_cat_reg *facts_reg(const char *cpu, const char *name, unsigned *unit)
{
    const struct bx_catalog *c = bx_catalog_builtin();
    unsigned of;
    for (uint16_t i = 0; i < c->regs.n; i++)
        if (is_of(&bx_cat_regs(c)[i], cpu) &&
            is_called(&bx_cat_regs(c)[i], name, unit ? unit : &of))
            return &bx_cat_regs(c)[i];
    fail_msg("no register %s", name);
    return NULL;
}

uint32_t facts_address(const bx_cat_reg *reg, unsigned unit)
{
    return bx_cat_addrs(bx_catalog_builtin())[reg->first_addr + unit];
}

size_t facts_msrs(const char *cpu)
{
    const struct bx_catalog *c = bx_catalog_builtin();
    size_t n = 0;
    for (uint16_t i = 0; i < c->regs.n; i++) {
        const bx_cat_reg *reg = &bx_cat_regs(c)[i];
        const bx_cat_pmu *pmu = &bx_cat_pmus(c)[reg->pmu];
        if (reg->space == BX_SPACE_MSR && is_of(reg, cpu))
            n += pmu->scope == BX_SCOPE_CORE ? 1 : pmu->unit_max;
    }
    return n;
}

const bx_cat_field *facts_field(const bx_cat_reg *reg, const char *name)
{
    const struct bx_catalog *c = bx_catalog_builtin();
    uint16_t i = bx_cat_find_field(c, (uint16_t)(reg - bx_cat_regs(c)), bx_str_of(name));
    if (i == BX_NONE)
        fail_msg("%s has no field %s", bx_cat_z(c, reg->name), name);
    return &bx_cat_fields(c)[i];
}

void facts_check_fields(const bx_cat_reg *reg, const struct field_row *rows, size_t n)
{
    const char *name = bx_cat_z(bx_catalog_builtin(), reg->name);
    FACTS_SAME(name, "", {"number of fields", reg->fields.n, n});
    for (size_t i = 0; i < n; i++) {
        const bx_cat_field *f = facts_field(reg, rows[i].name);
        FACTS_SAME(name, rows[i].name, {"highest bit", f->hi, rows[i].hi},
                   {"lowest bit", f->lo, rows[i].lo}, {"kind", f->kind, rows[i].kind});
    }
}

uint64_t facts_bits(const bx_cat_reg *reg, unsigned kinds)
{
    const bx_cat_field *fields = bx_cat_fields(bx_catalog_builtin());
    uint64_t bits = 0;
    for (uint16_t i = reg->fields.first; i < reg->fields.first + reg->fields.n; i++)
        if (kinds >> fields[i].kind & 1)
            bits |= bx_cat_field_mask(&fields[i]);
    return bits;
}
