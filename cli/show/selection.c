/* Shows a selection's registers, fields and spellings, as text and JSON. */
#include "cli/show/selection.h"

#include "cli/common/names.h"
#include "event/decode/recognize.h"
#include "event/event.h"
#include "event/hint.h"
#include "register/register.h"
#include "event/decode/decode.h"

#include <stdio.h>

bx_selected bx_selected_encoded(const bx_catalog *c, const bx_evsel *event)
{
    bx_selected s = {.event = *event, .read = BX_NONE};
    s.unit = event->unit == BX_ANY ? 0 : (unsigned)event->unit;
    s.counter = bx_event_lowest_counter(c, event);
    s.regs_n = bx_event_registers(c, event, s.counter < 0 ? 0 : (unsigned)s.counter, s.regs);
    if (s.regs_n == 0) {
        unsigned index = bx_lowest_bit(bx_event_counters(c, event));
        s.read = bx_pmu_counter(c, event->pmu, index)->value;
    }
    return s;
}

bx_selected bx_selected_decoded(const bx_catalog *c, const bx_decoded *decoded, const bx_raw *raw,
                                size_t raws)
{
    bx_selected s = bx_selected_encoded(c, &decoded->event);
    for (size_t i = 0; i < s.regs_n; i++) {
        for (size_t j = 0; j < raws; j++) {
            if (!bx_register_is_raw(c, s.regs[i].reg, s.unit, &raw[j]))
                continue;
            s.regs[i].value = raw[j].value;
            s.seen |= UINT32_C(1) << i;
        }
    }
    return s;
}

/* perf's spelling for the unit shown, because Linux has a PMU per unit; "": none. */
static bx_word perf_word(const bx_catalog *c, const bx_selected *s)
{
    bx_word w = {{0}};
    bx_evsel one = s->event;
    one.unit = (int16_t)s->unit;
    bx_event_format_perf(c, &one, w.text, sizeof w.text);
    return w;
}

/* What its counter cannot count according to the documents; "": nothing. */
static bx_word note_word(const bx_catalog *c, const bx_evsel *event)
{
    bx_word w = {{0}};
    bx_names can = bx_names_of_other_counters(c, event);
    if (can.n)
        snprintf(w.text, sizeof w.text,
                 "code 0x%x counts nothing on counter %d; counters that can: %s", event->code,
                 event->counter, can.text);
    return w;
}

/* What a reader of the count must know; "": nothing. */
static const char *caution_of(const bx_catalog *c, const bx_evsel *event)
{
    return event->event == BX_RAW ? "" : bx_cat_z(c, bx_cat_events(c)[event->event].caution);
}

/* The counter's number. Some PMUs number their counters through all units. */
static unsigned counter_number(const bx_catalog *c, const bx_selected *s)
{
    return bx_cat_pmus(c)[s->event.pmu].stride * s->unit + (unsigned)s->counter;
}

/* ---- text ---- */

static void register_name(bx_buf *to, const bx_catalog *c, uint16_t reg, unsigned unit)
{
    bx_buf_f(to, "%s (%s %s)", bx_register_word(c, reg, unit).text,
             bx_cat_space_name(bx_cat_regs(c)[reg].space), bx_address_word(c, 0, reg, unit).text);
}

void bx_fields_text(bx_buf *to, const bx_catalog *c, uint16_t reg, uint64_t value)
{
    bx_span span = bx_cat_regs(c)[reg].fields;
    for (unsigned i = 0; i < span.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(c)[span.first + i];
        bx_buf_f(to, "%*s%-6s %-16s 0x%llx\n", BX_SELECTED_COLUMN, "", bx_bits_word(f).text,
                 bx_cat_z(c, f->name), (unsigned long long)bx_field_of(f, value));
    }
}

void bx_register_text(bx_buf *to, const bx_catalog *c, uint16_t reg, unsigned unit, uint64_t value)
{
    register_name(to, c, reg, unit);
    bx_buf_f(to, " = 0x%llx\n", (unsigned long long)value);
}

static void label(bx_buf *to, const char *text)
{
    bx_buf_f(to, "  %-*s", BX_SELECTED_COLUMN - 2, text);
}

static void registers_text(bx_buf *to, const bx_catalog *c, const bx_selected *s)
{
    for (size_t i = 0; i < s->regs_n; i++) {
        const bx_regvalue *r = &s->regs[i];
        label(to, "register");
        bx_register_text(to, c, r->reg, s->unit, r->value);
        if (s->seen >> i & 1)
            bx_fields_text(to, c, r->reg, r->value);
    }
    if (s->read != BX_NONE) {
        label(to, "read");
        register_name(to, c, s->read, s->unit);
        bx_buf_z(to, "\n");
    }
}

/* Writes what the selection counts. For the raw code of an event whose name would be refused, it
 * writes the name, too. */
static void counts_text(bx_buf *to, const bx_catalog *c, const bx_evsel *event)
{
    bool raw = event->event == BX_RAW;
    uint16_t meant = raw ? bx_event_meant(c, event) : event->event;
    if (meant == BX_RAW)
        return;
    const bx_cat_event *of = &bx_cat_events(c)[meant];
    label(to, "counts");
    bx_buf_f(to, "%s%s%s\n", raw ? bx_cat_z(c, of->name) : "", raw ? ": " : "",
             bx_cat_z(c, of->title));
}

/* Says that the selection counts nothing, if the documents say so. */
static void nothing_text(bx_buf *to, const bx_catalog *c, const bx_evsel *event)
{
    const char *lacking = bx_event_nothing(c, event);
    if (!lacking)
        return;
    label(to, "nothing");
    bx_buf_f(to, "it counts nothing: unit mask 0x%x makes no choice of '%s'\n", event->umask,
             lacking);
}

static bool is_free_running(const bx_catalog *c, const bx_selected *s)
{
    const bx_cat_counter *counter = s->read == BX_NONE ? NULL : bx_register_counter(c, s->read);
    return counter && counter->flags & BX_COUNTER_FREE;
}

void bx_selected_text(bx_buf *to, const bx_catalog *c, const bx_selected *s)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[s->event.pmu];
    bx_buf_f(to, "%s\n", bx_event_word(c, &s->event).text);
    counts_text(to, c, &s->event);
    nothing_text(to, c, &s->event);
    label(to, "unit");
    bx_buf_f(to, "%s, ", bx_pattern_word(c, pmu->unit_label, s->unit, 0).text);
    if (s->event.port != BX_ANY)
        bx_buf_f(to, "port %d, ", s->event.port);
    if (s->counter >= 0)
        bx_buf_f(to, "counter %u\n", counter_number(c, s));
    else
        bx_buf_f(to, "%s counter\n", is_free_running(c, s) ? "free-running" : "fixed");
    registers_text(to, c, s);
    bx_word perf = perf_word(c, s);
    label(to, "perf");
    bx_buf_f(to, "%s\n", perf.text[0] ? perf.text : "Linux has no such event");
    if (s->kernel && !s->kernel->refused) {
        label(to, "kernel");
        bx_buf_f(to, "%s/config=0x%llx,config1=0x%llx,config2=0x%llx/\n", s->kernel->pmu,
                 (unsigned long long)s->kernel->word[0], (unsigned long long)s->kernel->word[1],
                 (unsigned long long)s->kernel->word[2]);
    }
    const char *caution = caution_of(c, &s->event);
    if (*caution) {
        label(to, "caution");
        bx_buf_f(to, "%s\n", caution);
    }
    bx_word note = note_word(c, &s->event);
    if (note.text[0]) {
        label(to, "note");
        bx_buf_f(to, "%s\n", note.text);
    }
}

/* ---- JSON ---- */

static void json_place(bx_json *j, const bx_catalog *c, uint16_t reg, unsigned unit)
{
    bx_json_text(j, "space", bx_cat_space_name(bx_cat_regs(c)[reg].space));
    bx_json_text(j, "address", bx_address_word(c, 0, reg, unit).text);
}

static void json_registers(bx_json *j, const bx_catalog *c, const bx_selected *s)
{
    bx_json_open(j, "registers", '[');
    for (size_t i = 0; i < s->regs_n; i++) {
        bx_json_open(j, NULL, '{');
        bx_json_text(j, "name", bx_register_word(c, s->regs[i].reg, s->unit).text);
        json_place(j, c, s->regs[i].reg, s->unit);
        bx_json_hex(j, "value", s->regs[i].value);
        bx_json_close(j, '}');
    }
    bx_json_close(j, ']');
}

static void json_fields_of(bx_json *j, const bx_catalog *c, const bx_regvalue *r, unsigned unit)
{
    bx_span span = bx_cat_regs(c)[r->reg].fields;
    for (unsigned i = 0; i < span.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(c)[span.first + i];
        bx_json_open(j, NULL, '{');
        bx_json_text(j, "register", bx_register_word(c, r->reg, unit).text);
        bx_json_text(j, "field", bx_lower_word(bx_cat_z(c, f->name)).text);
        bx_json_text(j, "bits", bx_bits_word(f).text);
        bx_json_hex(j, "value", bx_field_of(f, r->value));
        bx_json_close(j, '}');
    }
}

static void json_words(bx_json *j, const bx_kernel_words *k)
{
    static const char *const names[BX_PERF_WORDS] = {"config", "config1", "config2"};
    for (size_t i = 0; i < BX_PERF_WORDS && !k->refused; i++)
        bx_json_hex(j, names[i], k->word[i]);
    if (k->refused) {
        bx_json_text(j, "error", k->error.message);
        if (k->error.hint[0])
            bx_json_text(j, "hint", k->error.hint);
    }
}

void bx_selected_json(bx_json *j, const bx_catalog *c, const bx_selected *s)
{
    bx_word perf = perf_word(c, s);
    bx_json_open(j, NULL, '{');
    bx_json_text(j, "event", bx_event_word(c, &s->event).text);
    bx_json_text(j, "pmu",
                 s->kernel && !s->kernel->refused ? s->kernel->pmu
                                                  : bx_cat_z(c, bx_cat_pmus(c)[s->event.pmu].name));
    if (s->kernel)
        json_words(j, s->kernel);
    bx_json_number(j, "unit", s->unit);
    if (s->counter < 0)
        bx_json_text(j, "counter", NULL);
    else
        bx_json_number(j, "counter", counter_number(c, s));
    json_registers(j, c, s);
    if (s->read != BX_NONE) {
        bx_json_open(j, "read", '{');
        json_place(j, c, s->read, s->unit);
        bx_json_close(j, '}');
    }
    bx_json_text(j, "perf", perf.text[0] ? perf.text : NULL);
    if (bx_event_nothing(c, &s->event))
        bx_json_text(j, "counts-nothing-without", bx_event_nothing(c, &s->event));
    const char *caution = caution_of(c, &s->event);
    if (*caution)
        bx_json_text(j, "caution", caution);
    bx_word note = note_word(c, &s->event);
    if (note.text[0])
        bx_json_text(j, "note", note.text);
    if (s->seen) {
        bx_json_open(j, "fields", '[');
        for (size_t i = 0; i < s->regs_n; i++)
            if (s->seen >> i & 1)
                json_fields_of(j, c, &s->regs[i], s->unit);
        bx_json_close(j, ']');
    }
    bx_json_close(j, '}');
}
