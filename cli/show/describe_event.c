/* Pages about an event: unit masks, modifiers, other tools' spellings, and a selection's
 * encoding. */
#include "cli/show/describe.h"

#include "cli/common/names.h"
#include "cli/common/page.h"
#include "cli/show/selection.h"
#include "event/event.h"

#include <string.h>

static const bx_page_columns modifiers_columns = {.heads = "modifier", .text_at = 14};

/* "field E 18; Linux edge; LIKWID EDGEDETECT" */
static void modifier_item(bx_page *to, const bx_catalog *c, const bx_cat_modifier *m)
{
    bx_buf text = {.whole = &to->to->failed}, range = {.whole = &to->to->failed};
    bx_buf_z(&range, bx_cat_z(c, m->name));
    if (!m->flag)
        bx_buf_f(&range, "=%llu..%llu", (unsigned long long)m->lo, (unsigned long long)m->hi);
    const bx_cat_field *field = &bx_cat_fields(c)[m->field];
    bx_buf_f(&text, "%s; field %s %s", bx_cat_z(c, m->title), bx_cat_z(c, field->name),
             bx_bits_word(field).text);
    if (m->preset)
        bx_buf_f(&text, "; preset 0x%llx", (unsigned long long)m->preset);
    for (unsigned i = 0; i < m->values.n; i++)
        bx_buf_f(&text, "%s%s",
                 i ? ", " : "; names: ", bx_cat_z(c, bx_cat_values(c)[m->values.first + i].name));
    if (m->kernel)
        bx_buf_f(&text, "; Linux: %s", bx_cat_z(c, m->kernel));
    if (m->likwid)
        bx_buf_f(&text, "; LIKWID: %s", bx_cat_z(c, m->likwid));
    bx_page_item(to, bx_buf_text(&text), "%s", bx_buf_text(&range));
    bx_buf_free(&range);
    bx_buf_free(&text);
}

void bx_describe_modifier(bx_page *to, const bx_catalog *c, unsigned modifier)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(c)[modifier];
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[m->pmu];
    unsigned index = modifier - pmu->modifiers.first;
    bx_buf events = {.whole = &to->to->failed};
    for (unsigned i = 0; i < pmu->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(c)[pmu->events.first + i];
        if (event->modifiers >> index & 1)
            bx_buf_f(&events, "%s%s", events.n ? ", " : "", bx_cat_z(c, event->name));
    }
    bx_page_row(to, "modifier", "of %s", bx_cat_z(c, pmu->name));
    bx_page_list(to, &modifiers_columns, "");
    modifier_item(to, c, m);
    bx_page_row(to, "events", "%s", events.n ? bx_buf_text(&events) : "none takes it");
    bx_buf_free(&events);
}

void bx_describe_modifiers(bx_page *to, const bx_catalog *c, unsigned pmu)
{
    bx_span all = bx_cat_pmus(c)[pmu].modifiers;
    if (all.n)
        bx_page_list(to, &modifiers_columns, "modifiers");
    for (unsigned i = 0; i < all.n; i++)
        modifier_item(to, c, &bx_cat_modifiers(c)[all.first + i]);
}

static void modifiers_named(bx_page *to, const bx_catalog *c, const bx_cat_event *event)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    bx_buf names = {.whole = &to->to->failed};
    for (unsigned i = 0; i < pmu->modifiers.n; i++)
        if (event->modifiers >> i & 1)
            bx_buf_f(&names, "%s%s", names.n ? ", " : "",
                     bx_cat_z(c, bx_cat_modifiers(c)[pmu->modifiers.first + i].name));
    bx_page_row(to, "modifiers", "%s", bx_buf_text(&names));
    bx_buf_free(&names);
}

static void modifiers_of(bx_page *to, const bx_catalog *c, const bx_cat_event *event)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    if (!event->modifiers)
        return;
    bx_page_list(to, &modifiers_columns, "modifiers");
    for (unsigned i = 0; i < pmu->modifiers.n; i++)
        if (event->modifiers >> i & 1)
            modifier_item(to, c, &bx_cat_modifiers(c)[pmu->modifiers.first + i]);
}

/* Other tools' spellings of an event that needs no unit mask. */
static void spellings(bx_page *to, const bx_catalog *c, const bx_cat_event *event)
{
    bx_buf text = {.whole = &to->to->failed};
    bx_evsel selection;
    bx_word perf, name = bx_event_name_word(c, (unsigned)(event - bx_cat_events(c)));
    if (bx_event_parse(c, -1, name.text, strlen(name.text), &selection, NULL))
        return;
    if (bx_event_format_perf(c, &selection, perf.text, sizeof perf.text))
        bx_page_row(to, "Linux", "%s", perf.text);
    bx_likwid_spelling(&text, c, &selection);
    if (text.n)
        bx_page_row(to, "LIKWID", "%s", bx_buf_text(&text));
    bx_buf_free(&text);
}

/* The slot that the event borrows from its unit, in addition to a counter. */
static void slot_of(bx_page *to, const bx_catalog *c, const bx_cat_event *event)
{
    const bx_cat_slot *slot = &bx_cat_slots(c)[event->slot];
    const bx_cat_place *places = &bx_cat_places(c)[slot->places.first];
    unsigned equal = 0;
    while (equal < slot->places.n && places[equal].port == places[0].port)
        equal++;
    unsigned ports = equal ? slot->places.n / equal : 0;
    bx_page_row(to, "borrows", "%s: %s", bx_cat_z(c, slot->name), bx_cat_z(c, slot->title));
    if (event->place != BX_ANY_PLACE)
        bx_page_row(to, "", "place %u of %u only", event->place, equal);
    else if (equal > 1)
        bx_page_row(to, "", "%u equal places%s, place=0 to place=%u: any that is free", equal,
                    ports > 1 ? " on each port" : "", equal - 1);
}

/* Whether the event can be limited by a pattern. Without one it counts everything. */
static bool has_pattern(const bx_catalog *c, const bx_cat_event *event)
{
    bx_span all = bx_cat_pmus(c)[event->pmu].modifiers;
    for (unsigned i = 0; i < all.n; i++)
        if (event->minds >> i & 1 && bx_cat_modifiers(c)[all.first + i].masked != BX_NONE)
            return true;
    return false;
}

static bool has_operand(const bx_catalog *c, const bx_cat_metric *metric, uint16_t event)
{
    for (unsigned i = 0; i < metric->operands.n; i++)
        if (bx_cat_operands(c)[metric->operands.first + i].event == event)
            return true;
    return false;
}

/* The metrics that are computed from the event. */
static void metrics_of(bx_page *to, const bx_catalog *c, uint16_t event)
{
    static const bx_page_columns columns = {.heads = "metric", .text_at = 28};
    unsigned cpu = bx_cat_pmus(c)[bx_cat_events(c)[event].pmu].cpu;
    bx_span metrics = bx_cat_cpus(c)[cpu].metrics;
    bool any = false;
    for (unsigned i = 0; i < metrics.n; i++) {
        const bx_cat_metric *metric = &bx_cat_metrics(c)[metrics.first + i];
        if (!has_operand(c, metric, event))
            continue;
        if (!any)
            bx_page_list(to, &columns, "metrics");
        any = true;
        bx_word page = bx_metrics_page_word(c, cpu);
        bx_page_link(to, page.text, bx_cat_z(c, metric->name));
        bx_page_item(to, bx_cat_z(c, metric->title), "%s", bx_cat_z(c, metric->name));
    }
}

/* Its code; in a slot with the field that chooses the slot, and the code of the dialogue's signals
 * where that is another number. */
static void codes(bx_page *to, const bx_catalog *c, unsigned event)
{
    const bx_cat_event *of = &bx_cat_events(c)[event];
    unsigned n = bx_event_codes(c, event);
    bx_event_code first = bx_event_code_at(c, event, 0);
    bx_buf text = {.whole = &to->to->failed};
    for (unsigned i = 0; i < n; i++)
        bx_buf_f(&text, "%s0x%02x", i ? ", " : "", bx_event_code_at(c, event, i).value);
    if (of->slot != BX_NONE && first.field != BX_NONE)
        bx_buf_f(&text, " in %s%s", bx_cat_z(c, bx_cat_fields(c)[first.field].name),
                 n > 1 ? ", one for each place" : "");
    bx_page_row(to, "code", "%s", bx_buf_text(&text));
    if (bx_event_signal_code(c, event) != first.value)
        bx_page_row(to, "signal", "CODE 0x%x in the dialogue", bx_event_signal_code(c, event));
    bx_buf_free(&text);
}

/* What its unit mask must choose. */
static void choices(bx_page *to, const bx_catalog *c, const bx_cat_event *event)
{
    for (unsigned i = 0; i < BX_EACH; i++)
        if (event->each[i])
            bx_page_row(to, i ? "" : "needs",
                        "unit mask bits of '%s' (0x%x): without one of them it counts nothing",
                        bx_cat_z(c, event->each_name[i]), event->each[i]);
}

static void facts(bx_page *to, const bx_catalog *c, unsigned index)
{
    const bx_cat_event *event = &bx_cat_events(c)[index];
    bx_word name = bx_event_name_word(c, index);
    bx_page_subject(to, "event", name.text, bx_cat_z(c, event->title), true);
    bx_page_row(to, "counts", "%s", bx_cat_z(c, event->unit));
    if (event->max)
        bx_page_row(to, "", "at most %u in one cycle", event->max);
    if (event->scale > 1)
        bx_page_row(to, "", "one count stands for %u", event->scale);
    if (has_pattern(c, event))
        bx_page_row(to, "pattern", "without one it matches everything");
    codes(to, c, index);
    choices(to, c, event);
    if (event->slot != BX_NONE)
        slot_of(to, c, event);
    bx_page_row(to, "counters", "%s", bx_counters_word(c, event).text);
    if (event->alias)
        bx_page_row(to, "also", "%s", bx_cat_z(c, event->alias));
    spellings(to, c, event);
    bx_page_row(to, "source", "%s", bx_cat_z(c, event->source));
    if (event->confidence != BX_SURE)
        bx_page_row(to, "confidence", "%s", bx_confidence_name(event->confidence));
    bx_page_row(to, "caution", "%s", bx_cat_z(c, event->caution));
    bx_page_row(to, "note", "%s", bx_cat_z(c, event->note));
}

static void workloads(bx_page *to, const bx_catalog *c, unsigned index,
                      const bx_workload_runs *runs)
{
    const bx_cat_event *event = &bx_cat_events(c)[index];
    if (runs && event->umasks.n)
        bx_describe_workloads_of_umasks(to, runs, index);
    else if (runs)
        bx_describe_workloads(to, runs, bx_cat_pmus(c)[event->pmu].cpu, &runs->events[index]);
}

void bx_describe_event(bx_page *to, const bx_catalog *c, unsigned index,
                       const bx_workload_runs *runs)
{
    const bx_cat_event *event = &bx_cat_events(c)[index];
    facts(to, c, index);
    workloads(to, c, index, runs);
    bx_describe_umasks(to, c, event, runs, false);
    modifiers_of(to, c, event);
    metrics_of(to, c, (uint16_t)index);
}

void bx_describe_event_of_pmu(bx_page *to, const bx_catalog *c, unsigned index,
                              const bx_workload_runs *runs)
{
    const bx_cat_event *event = &bx_cat_events(c)[index];
    facts(to, c, index);
    modifiers_named(to, c, event);
    workloads(to, c, index, runs);
    bx_describe_umasks(to, c, event, runs, to->form->part);
    metrics_of(to, c, (uint16_t)index);
    if (to->form->part)
        bx_describe_umask_parts(to, c, index, runs);
}

/* ---- a selection ---- */

/* Whether any bit of a pattern is compared. */
static bool is_matched(const bx_catalog *c, const bx_evsel *selection)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[selection->pmu];
    uint32_t fixed = 0; /* fixed by the event */
    bx_span sets = bx_cat_events(c)[selection->event].sets;
    for (unsigned i = 0; i < sets.n; i++)
        fixed |= UINT32_C(1) << (bx_cat_sets(c)[sets.first + i].modifier - pmu->modifiers.first);
    return bx_event_unusual(c, selection) & pmu->shared & ~fixed;
}

/* The parts of the canonical string after the event: "ANY_I", "t=2". */
static void parts(bx_page *to, const bx_catalog *c, const bx_evsel *selection)
{
    const bx_cat_event *event = &bx_cat_events(c)[selection->event];
    bx_word name = bx_event_word(c, selection);
    bx_str rest = bx_str_of(name.text);
    for (unsigned skip = 0; skip < 3 && rest.p; skip++) /* "pmu", "", "EVENT" */
        bx_str_cut(&rest, ':');
    while (rest.p) {
        bx_str part = bx_str_cut(&rest, ':');
        uint16_t umask = bx_cat_find_umask(c, selection->event, part);
        if (umask != BX_NONE) {
            bx_page_list(to, &bx_umasks_columns, "");
            bx_describe_umask_item(to, c, &bx_cat_umasks(c)[umask], umask == event->umask_default,
                                   NULL);
            continue;
        }
        uint16_t modifier = bx_cat_find_modifier(c, selection->pmu, bx_str_cut(&part, '='));
        if (modifier != BX_NONE) {
            bx_page_list(to, &modifiers_columns, "");
            modifier_item(to, c, &bx_cat_modifiers(c)[modifier]);
        }
    }
}

void bx_describe_selection(bx_buf *to, const bx_catalog *c, const bx_evsel *selection)
{
    static const bx_page_columns columns = {.heads = "", .text_at = BX_SELECTED_COLUMN};
    bx_page page = bx_page_text(to);
    bx_selected s = bx_selected_encoded(c, selection);
    s.seen = UINT32_MAX;
    bx_selected_text(to, c, &s);
    if (selection->event == BX_RAW)
        return;
    const bx_cat_event *event = &bx_cat_events(c)[selection->event];
    bx_page_list(&page, &columns, "");
    bx_buf text = {.whole = &to->failed};
    bx_likwid_spelling(&text, c, selection);
    if (text.n)
        bx_page_item(&page, bx_buf_text(&text), "LIKWID");
    bx_buf_free(&text);
    bx_page_item(&page, bx_cat_z(c, event->source), "source");
    if (event->confidence != BX_SURE)
        bx_page_item(&page, bx_confidence_name(event->confidence), "confidence");
    if (has_pattern(c, event) && !is_matched(c, selection))
        bx_page_item(&page, "none: it matches everything", "pattern");
    if (event->note)
        bx_page_item(&page, bx_cat_z(c, event->note), "note");
    parts(&page, c, selection);
}
