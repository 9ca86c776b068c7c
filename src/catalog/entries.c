/* The catalogue as its users see it: entries, with texts and numbers. */
#include "catalog/catalog.h"

#include <stdio.h>

/* ---- entries ---- */

enum { INDEX_BITS = 16 };

bx_entry bx_entry_of(enum bx_entry_type type, unsigned index)
{
    return (bx_entry)type << INDEX_BITS | index;
}

unsigned bx_entry_index(bx_entry entry)
{
    return entry & ((1u << INDEX_BITS) - 1);
}

int bx_entry_type(bx_entry entry)
{
    return (int)(entry >> INDEX_BITS);
}

static bool is(bx_entry entry, enum bx_entry_type type)
{
    return bx_entry_type(entry) == (int)type;
}

/* All entries of a type. */
static uint32_t count_of(const bx_catalog *c, int type)
{
    switch (type) {
    case BX_ENTRY_CPU:
        return c->cpus.n;
    case BX_ENTRY_PMU:
        return c->pmus.n;
    case BX_ENTRY_METRIC:
        return c->metrics.n;
    case BX_ENTRY_EVENT:
        return c->events.n;
    case BX_ENTRY_MODIFIER:
        return c->modifiers.n;
    case BX_ENTRY_REGISTER:
        return c->regs.n;
    case BX_ENTRY_UMASK:
        return c->umasks.n;
    case BX_ENTRY_FIELD:
        return c->fields.n;
    default:
        return 0;
    }
}

static bool exists(const bx_catalog *c, bx_entry entry)
{
    return bx_entry_index(entry) < count_of(c, bx_entry_type(entry));
}

/* The entries of a type that belong to another entry. */
static bx_span span_of(const bx_catalog *c, bx_entry of, enum bx_entry_type type)
{
    const bx_span none = {0, 0};
    unsigned i = bx_entry_index(of);

    if (of && !exists(c, of))
        return none;
    switch (type) {
    case BX_ENTRY_CPU:
        return of ? none : (bx_span){0, (uint16_t)c->cpus.n};
    case BX_ENTRY_PMU:
        return is(of, BX_ENTRY_CPU) ? bx_cat_cpus(c)[i].pmus : none;
    case BX_ENTRY_METRIC:
        return is(of, BX_ENTRY_CPU) ? bx_cat_cpus(c)[i].metrics : none;
    case BX_ENTRY_EVENT:
        return is(of, BX_ENTRY_PMU) ? bx_cat_pmus(c)[i].events : none;
    case BX_ENTRY_MODIFIER:
        return is(of, BX_ENTRY_PMU) ? bx_cat_pmus(c)[i].modifiers : none;
    case BX_ENTRY_REGISTER:
        return is(of, BX_ENTRY_PMU) ? bx_cat_pmus(c)[i].regs : none;
    case BX_ENTRY_UMASK:
        return is(of, BX_ENTRY_EVENT) ? bx_cat_events(c)[i].umasks : none;
    case BX_ENTRY_FIELD:
        return is(of, BX_ENTRY_REGISTER) ? bx_cat_regs(c)[i].fields : none;
    }
    return none;
}

static bx_entry cpu_of_metric(const bx_catalog *c, unsigned metric)
{
    unsigned cpu = 0;

    while (metric - bx_cat_cpus(c)[cpu].metrics.first >= bx_cat_cpus(c)[cpu].metrics.n)
        cpu++;
    return bx_entry_of(BX_ENTRY_CPU, cpu);
}

/* Equal registers share their fields, which belong to the first of them. */
bx_entry bx_entry_belongs_to(const bx_catalog *c, bx_entry entry)
{
    if (!c)
        return 0;
    unsigned i = bx_entry_index(entry);

    if (!exists(c, entry))
        return 0;
    switch (bx_entry_type(entry)) {
    case BX_ENTRY_PMU:
        return bx_entry_of(BX_ENTRY_CPU, bx_cat_pmus(c)[i].cpu);
    case BX_ENTRY_METRIC:
        return cpu_of_metric(c, i);
    case BX_ENTRY_EVENT:
        return bx_entry_of(BX_ENTRY_PMU, bx_cat_events(c)[i].pmu);
    case BX_ENTRY_MODIFIER:
        return bx_entry_of(BX_ENTRY_PMU, bx_cat_modifiers(c)[i].pmu);
    case BX_ENTRY_REGISTER:
        return bx_entry_of(BX_ENTRY_PMU, bx_cat_regs(c)[i].pmu);
    case BX_ENTRY_UMASK:
        return bx_entry_of(BX_ENTRY_EVENT, bx_cat_umasks(c)[i].event);
    case BX_ENTRY_FIELD:
        return bx_entry_of(BX_ENTRY_REGISTER, bx_cat_fields(c)[i].reg);
    default:
        return 0;
    }
}

bx_entry bx_entry_first(const bx_catalog *c, bx_entry of, enum bx_entry_type type)
{
    if (!c)
        return 0;
    bx_span span = span_of(c, of, type);

    return span.n ? bx_entry_of(type, span.first) : 0;
}

bx_entry bx_entry_next(const bx_catalog *c, bx_entry entry)
{
    if (!c)
        return 0;
    if (!exists(c, entry))
        return 0;
    enum bx_entry_type type = (enum bx_entry_type)bx_entry_type(entry);
    bx_span span = span_of(c, bx_entry_belongs_to(c, entry), type);
    unsigned next = bx_entry_index(entry) + 1;

    return next - span.first < span.n ? bx_entry_of(type, next) : 0;
}

bx_entry bx_entry_find(const bx_catalog *c, bx_entry of, enum bx_entry_type type, const char *name)
{
    if (!c || !name)
        return 0;
    if (type == BX_ENTRY_EVENT && is(of, BX_ENTRY_PMU) && exists(c, of)) {
        uint16_t event = bx_cat_find_event(c, (uint16_t)bx_entry_index(of), bx_str_of(name));
        return event == BX_NONE ? 0 : bx_entry_of(type, event);
    }
    for (bx_entry i = bx_entry_first(c, of, type); i; i = bx_entry_next(c, i))
        if (bx_str_eq_fold(bx_str_of(bx_entry_text(c, i, BX_TEXT_NAME)), bx_str_of(name)))
            return i;
    return 0;
}

/* ---- texts ---- */

struct texts {
    bx_cat_text name, title, unit, source, note, formula;
};

#define TEXTS(entry) .name = (entry).name, .title = (entry).title, .note = (entry).note

static struct texts texts_of_umask(const bx_catalog *c, unsigned i)
{
    const bx_cat_umask *u = &bx_cat_umasks(c)[i];
    const bx_cat_event *of = &bx_cat_events(c)[u->event];

    return (struct texts){TEXTS(*u), .source = u->source ? u->source : of->source,
                          .unit = u->unit ? u->unit : of->unit};
}

static struct texts texts_of(const bx_catalog *c, bx_entry entry)
{
    unsigned i = bx_entry_index(entry);

    switch (bx_entry_type(entry)) {
    case BX_ENTRY_CPU:
        return (struct texts){TEXTS(bx_cat_cpus(c)[i]), .source = bx_cat_cpus(c)[i].source};
    case BX_ENTRY_PMU:
        return (struct texts){TEXTS(bx_cat_pmus(c)[i]), .source = bx_cat_pmus(c)[i].source};
    case BX_ENTRY_METRIC:
        return (struct texts){TEXTS(bx_cat_metrics(c)[i]), .unit = bx_cat_metrics(c)[i].unit,
                              .formula = bx_cat_metrics(c)[i].formula};
    case BX_ENTRY_EVENT:
        return (struct texts){TEXTS(bx_cat_events(c)[i]), .unit = bx_cat_events(c)[i].unit,
                              .source = bx_cat_events(c)[i].source};
    case BX_ENTRY_MODIFIER:
        return (struct texts){.name = bx_cat_modifiers(c)[i].name,
                              .title = bx_cat_modifiers(c)[i].title};
    case BX_ENTRY_REGISTER:
        return (struct texts){TEXTS(bx_cat_regs(c)[i]), .source = bx_cat_regs(c)[i].source};
    case BX_ENTRY_UMASK:
        return texts_of_umask(c, i);
    default:
        return (struct texts){TEXTS(bx_cat_fields(c)[i])};
    }
}

const char *bx_entry_text(const bx_catalog *c, bx_entry entry, enum bx_entry_text which)
{
    if (!c)
        return "";
    if (!exists(c, entry))
        return "";
    struct texts t = texts_of(c, entry);
    const bx_cat_text text[] = {
        [BX_TEXT_NAME] = t.name,     [BX_TEXT_TITLE] = t.title, [BX_TEXT_UNIT] = t.unit,
        [BX_TEXT_SOURCE] = t.source, [BX_TEXT_NOTE] = t.note,   [BX_TEXT_FORMULA] = t.formula};

    return (unsigned)which < sizeof text / sizeof *text ? bx_cat_z(c, text[which]) : "";
}

/* ---- numbers ---- */

static bool number_of_umask(const bx_catalog *c, unsigned i, enum bx_entry_number which,
                            uint64_t *value)
{
    const bx_cat_umask *u = &bx_cat_umasks(c)[i];

    if (which == BX_NUMBER_CODE)
        *value = u->value;
    else if (which == BX_NUMBER_COUNTERS)
        *value = u->counters ? u->counters : bx_cat_events(c)[u->event].counters;
    else
        return false;
    return true;
}

static bool number_of_modifier(const bx_catalog *c, unsigned i, enum bx_entry_number which,
                               uint64_t *value)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(c)[i];

    if (which == BX_NUMBER_LEAST)
        *value = m->lo;
    else if (which == BX_NUMBER_MOST)
        *value = m->hi;
    else if (which == BX_NUMBER_PRESET)
        *value = m->preset;
    else
        return false;
    return true;
}

bool bx_entry_number(const bx_catalog *c, bx_entry entry, enum bx_entry_number which,
                     uint64_t *value)
{
    if (!c || !value)
        return false;
    unsigned i = bx_entry_index(entry);
    uint64_t number;

    if (!exists(c, entry))
        return false;
    switch (bx_entry_type(entry) << 8 | (int)which) {
    case BX_ENTRY_EVENT << 8 | BX_NUMBER_CODE:
        number = bx_cat_events(c)[i].code;
        break;
    case BX_ENTRY_EVENT << 8 | BX_NUMBER_COUNTERS:
        number = bx_cat_events(c)[i].counters;
        break;
    case BX_ENTRY_PMU << 8 | BX_NUMBER_UNITS:
        number = bx_cat_pmus(c)[i].unit_max;
        break;
    case BX_ENTRY_REGISTER << 8 | BX_NUMBER_WIDTH:
        number = bx_cat_regs(c)[i].width;
        break;
    case BX_ENTRY_FIELD << 8 | BX_NUMBER_LOW_BIT:
        number = bx_cat_fields(c)[i].lo;
        break;
    case BX_ENTRY_FIELD << 8 | BX_NUMBER_HIGH_BIT:
        number = bx_cat_fields(c)[i].hi;
        break;
    default:
        return bx_entry_type(entry) == BX_ENTRY_UMASK      ? number_of_umask(c, i, which, value)
               : bx_entry_type(entry) == BX_ENTRY_MODIFIER ? number_of_modifier(c, i, which, value)
                                                           : false;
    }
    *value = number;
    return true;
}

/* ---- what it fixes ---- */

static bx_span sets_of(const bx_catalog *c, bx_entry entry)
{
    unsigned i = bx_entry_index(entry);

    if (exists(c, entry) && is(entry, BX_ENTRY_EVENT))
        return bx_cat_events(c)[i].sets;
    if (exists(c, entry) && is(entry, BX_ENTRY_UMASK))
        return bx_cat_umasks(c)[i].sets;
    return (bx_span){0};
}

size_t bx_entry_sets(const bx_catalog *c, bx_entry entry, char *to, size_t room)
{
    room = to ? room : 0;
    if (!c)
        return 0;
    bx_span sets = sets_of(c, entry);
    size_t n = 0;

    if (room)
        *to = '\0';
    for (unsigned i = 0; i < sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(c)[sets.first + i];
        n += (size_t)snprintf(n < room ? to + n : NULL, n < room ? room - n : 0,
                              set->value > 9 ? "%s%s=0x%llx" : "%s%s=%llu", i ? "," : "",
                              bx_cat_z(c, bx_cat_modifiers(c)[set->modifier].name),
                              (unsigned long long)set->value);
    }
    return n;
}

/* ---- registers ---- */

const char *bx_cat_space_name(unsigned space)
{
    static const char *const names[] = {
        [BX_SPACE_MSR] = "msr", [BX_SPACE_PCI] = "pci", [BX_SPACE_MMIO] = "mmio"};

    return names[space];
}

static bool has_unit(const bx_catalog *c, bx_entry reg, unsigned unit)
{
    return is(reg, BX_ENTRY_REGISTER) && exists(c, reg) &&
           unit < bx_cat_pmus(c)[bx_cat_regs(c)[bx_entry_index(reg)].pmu].unit_max;
}

size_t bx_register_name(const bx_catalog *c, bx_entry reg, unsigned unit, char *to, size_t room)
{
    room = to ? room : 0;
    if (!c)
        return 0;
    if (!has_unit(c, reg, unit))
        return 0;
    return bx_cat_expand(to, room, bx_entry_text(c, reg, BX_TEXT_NAME), unit, 0);
}

const char *bx_register_space(const bx_catalog *c, bx_entry reg, unsigned unit, uint64_t *address)
{
    uint64_t ignored;
    address = address ? address : &ignored;
    if (!c)
        return NULL;
    if (!has_unit(c, reg, unit))
        return NULL;
    const bx_cat_reg *r = &bx_cat_regs(c)[bx_entry_index(reg)];
    *address = bx_cat_addrs(c)[r->first_addr + unit];
    return bx_cat_space_name(r->space);
}
