/* Names PMUs and format terms as Linux does, and translates config words to events and back. */
#include "stage/perf/event_source.h"

#include "base/bits.h"
#include "event/event.h"
#include "event/foreign_names.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

/* ---- the PMUs ---- */

static bx_event_source *named(bx_event_sources *s, const char name[static sizeof s->all->name])
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->all[i].name, name) == 0)
            return &s->all[i];
    if (s->n == BX_EVENT_SOURCES)
        return NULL;
    bx_event_source *made = &s->all[s->n++];
    *made = (bx_event_source){0};
    memcpy(made->name, name, sizeof made->name);
    return made;
}

void bx_event_sources_find(bx_event_sources *s, const bx_topology *t, uint32_t type)
{
    const struct bx_catalog *c = t->catalog;
    bx_span pmus = bx_cat_cpus(c)[t->cpu].pmus;
    s->t = t;
    s->n = 0;
    for (unsigned i = 0; i < pmus.n; i++) {
        uint16_t index = (uint16_t)(pmus.first + i);
        const bx_cat_pmu *pmu = &bx_cat_pmus(c)[index];
        bool of_cpus = pmu->scope != BX_SCOPE_PACKAGE;
        unsigned units = of_cpus ? 1 : bx_topology_units(t, index);
        for (unsigned unit = 0; pmu->kernel && unit < units; unit++) {
            char name[sizeof s->all->name] = "";
            bx_cat_expand(name, sizeof name, bx_cat_z(c, pmu->kernel), unit, 0);
            bx_event_source *source = named(s, name);
            if (!source || source->n == BX_EVENT_SOURCE_PMUS)
                continue;
            source->pmu[source->n++] = index;
            source->unit = (uint16_t)unit;
            source->of_cpus = of_cpus;
        }
    }
    for (size_t i = 0; i < s->n; i++)
        s->all[i].type = strcmp(s->all[i].name, "cpu") == 0 ? PERF_TYPE_RAW : type++;
}

const bx_event_source *bx_event_source_of_type(const bx_event_sources *s, uint32_t type)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->all[i].type == type)
            return &s->all[i];
    return NULL;
}

/* ---- terms ---- */

typedef struct formats {
    const struct bx_catalog *c;
    bx_event_source_format *to;
    size_t n;
} formats;

/* Adds a term. Fields of the same name are neighbours and become one term. */
static void put_format(formats *f, bx_event_source_format one)
{
    for (size_t i = 0; i < f->n; i++) {
        bx_event_source_format *had = &f->to[i];
        if (!bx_str_eq(had->name, one.name) || had->word != one.word)
            continue;
        had->lo = one.lo < had->lo ? one.lo : had->lo;
        had->hi = one.hi > had->hi ? one.hi : had->hi;
        return;
    }
    if (f->n < BX_EVENT_SOURCE_FORMATS)
        f->to[f->n++] = one;
}

static bx_str field_name(const struct bx_catalog *c, const bx_cat_field *field, const char *usual)
{
    return field->kernel ? bx_cat_str(c, field->kernel) : bx_str_of(usual);
}

/* The terms that select the event: its code, its unit mask and other fields of the control
 * register. */
static void put_selection(formats *f, uint16_t index)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(f->c)[index];
    const bx_cat_counter *counter = bx_pmu_counter(f->c, index, 0);
    const bx_cat_field *fields = bx_cat_fields(f->c);
    if (pmu->select_event == BX_NONE || !counter) {
        put_format(f, (bx_event_source_format){.name = BX_STR("event"),
                                               .hi = 7}); /* Linux's own numbers */
        return;
    }
    const bx_cat_field *event = &fields[pmu->select_event];
    put_format(f, (bx_event_source_format){.name = field_name(f->c, event, "event"),
                                           .lo = event->lo,
                                           .hi = event->hi,
                                           .always = true});
    if (pmu->select_umask != BX_NONE) {
        const bx_cat_field *umask = &fields[pmu->select_umask];
        put_format(
            f, (bx_event_source_format){.name = BX_STR("umask"), .lo = umask->lo, .hi = umask->hi});
    }
    if (bx_codes_differ(f->c, index)) { /* Linux puts the counter's number above the code */
        unsigned bits = 1;
        while (1u << bits < pmu->counters.n)
            bits++;
        put_format(f, (bx_event_source_format){.name = BX_STR("counter"),
                                               .lo = (uint8_t)(event->hi + 1),
                                               .hi = (uint8_t)(event->hi + bits),
                                               .always = true});
    }
    bx_span all = bx_cat_regs(f->c)[counter->control].fields;
    for (unsigned i = all.first; i < (unsigned)all.first + all.n; i++)
        if (fields[i].kernel)
            put_format(f, (bx_event_source_format){.name = bx_cat_str(f->c, fields[i].kernel),
                                                   .lo = fields[i].lo,
                                                   .hi = fields[i].hi});
}

/* Whether a term covers its whole register: no other term is in that register, and the term does
 * not begin inside it. */
static bool has_all(const struct bx_catalog *c, const bx_cat_pmu *pmu, const bx_cat_modifier *of)
{
    unsigned fields = 0;
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[pmu->modifiers.first + i];
        if (m->reg != of->reg || !m->kernel)
            continue;
        if (m->kernel != of->kernel)
            return false;
        fields++;
    }
    return fields > 1 || bx_cat_fields(c)[of->field].lo == 0;
}

static void put_modifiers(formats *f, const bx_cat_pmu *pmu)
{
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(f->c)[pmu->modifiers.first + i];
        const bx_cat_field *field = &bx_cat_fields(f->c)[m->field];
        const bx_cat_reg *reg = &bx_cat_regs(f->c)[field->reg];
        if (!m->kernel || (m->reg != BX_NONE && !reg->config))
            continue;
        bx_event_source_format one = {.name = bx_cat_str(f->c, m->kernel),
                                      .lo = field->lo,
                                      .hi = field->hi,
                                      .always = m->reg == BX_NONE && m->preset != 0};
        if (m->reg != BX_NONE) {
            bool all = has_all(f->c, pmu, m);
            one.word = (uint8_t)(reg->config - 1);
            one.lo = (uint8_t)(reg->config_lo + (all ? 0 : field->lo));
            one.hi = all ? reg->config_hi : (uint8_t)(reg->config_lo + field->hi);
            one.sharing = pmu->scope != BX_SCOPE_PACKAGE; /* offcore_rsp, ldlat, frontend */
        }
        put_format(f, one);
    }
}

static void put_registers(formats *f, const bx_cat_pmu *pmu)
{
    for (unsigned i = 0; i < pmu->regs.n; i++) {
        const bx_cat_reg *reg = &bx_cat_regs(f->c)[pmu->regs.first + i];
        if (!reg->kernel || !reg->config)
            continue;
        put_format(f, (bx_event_source_format){.name = bx_cat_str(f->c, reg->kernel),
                                               .word = (uint8_t)(reg->config - 1),
                                               .lo = reg->config_lo,
                                               .hi = reg->config_hi,
                                               .sharing = true});
    }
}

size_t bx_event_source_formats(const bx_event_sources *s, const bx_event_source *source,
                               bx_event_source_format *to)
{
    formats f = {s->t->catalog, to, 0};
    for (unsigned i = 0; i < source->n; i++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(f.c)[source->pmu[i]];
        put_selection(&f, source->pmu[i]);
        put_modifiers(&f, pmu);
        put_registers(&f, pmu);
    }
    return f.n;
}

/* ---- an event ---- */

static uint64_t value_of(const bx_event_source_format *f, const uint64_t *words)
{
    return (words[f->word] & bx_mask_bits(f->lo, f->hi)) >> f->lo;
}

/* Whether the event that the control register selects has a modifier of this term. */
static bool is_minded(const struct bx_catalog *c, uint16_t index, uint64_t control, bx_str term)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[index];
    if (pmu->select_event == BX_NONE)
        return false;
    const bx_cat_field *code = &bx_cat_fields(c)[pmu->select_event];
    uint16_t event = bx_cat_event_by_code(
        c, index, (uint32_t)((control & bx_mask_bits(code->lo, code->hi)) >> code->lo));
    for (unsigned i = 0; event != BX_NONE && i < pmu->modifiers.n; i++)
        if (bx_cat_events(c)[event].minds >> i & 1 &&
            bx_str_eq(bx_cat_str(c, bx_cat_modifiers(c)[pmu->modifiers.first + i].kernel), term))
            return true;
    return false;
}

/* Whether the control register selects a place of a slot that has a register of this term, or an
 * event that has a modifier of it. */
static bool is_selected(const bx_event_sources *s, const bx_event_source *source, uint64_t control,
                        bx_str term)
{
    const struct bx_catalog *c = s->t->catalog;
    uint16_t place = bx_place_selected(c, &bx_cat_pmus(c)[source->pmu[0]], control);
    for (unsigned i = 0; place != BX_NONE && i < BX_PLACE_REGS; i++) {
        uint16_t reg = bx_cat_places(c)[place].reg[i];
        if (reg != BX_NONE && bx_str_eq(bx_cat_str(c, bx_cat_regs(c)[reg].kernel), term))
            return true;
    }
    return is_minded(c, source->pmu[0], control, term);
}

void bx_event_source_spell(const bx_event_sources *s, const bx_event_source *source,
                           const uint64_t *words, bx_buf *to)
{
    bx_event_source_format all[BX_EVENT_SOURCE_FORMATS];
    size_t n = bx_event_source_formats(s, source, all);
    uint64_t control = 0;
    for (size_t i = 0; i < n; i++)
        if (all[i].word == 0 && !all[i].sharing)
            control |= words[0] & bx_mask_bits(all[i].lo, all[i].hi);
    bx_buf_f(to, "%s/", source->name);
    const char *comma = "";
    for (size_t i = 0; i < n; i++) {
        uint64_t value = value_of(&all[i], words);
        if (all[i].sharing ? value == 0 || !is_selected(s, source, control, all[i].name)
                           : value == 0 && !all[i].always)
            continue;
        bx_buf_f(to, "%s%.*s=0x%" PRIx64, comma, (int)all[i].name.n, all[i].name.p, value);
        comma = ",";
    }
    bx_buf_z(to, "/");
}

bool bx_event_source_words(const bx_event_sources *s, const bx_event_source *source, bx_str terms,
                           uint64_t *words)
{
    bx_event_source_format all[BX_EVENT_SOURCE_FORMATS];
    size_t n = bx_event_source_formats(s, source, all);
    while (terms.p) {
        bx_str digits = bx_str_cut(&terms, ',');
        bx_str key = bx_str_cut(&digits, '=');
        uint64_t value = 1;
        size_t i;
        for (i = 0; i < n && !bx_str_eq(all[i].name, key); i++)
            ;
        if (i == n || (digits.p && !bx_str_u64(digits, &value)))
            return false;
        words[all[i].word] |= value << all[i].lo;
    }
    return true;
}
