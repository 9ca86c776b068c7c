/* Pages: the unit masks of an event. */
#include "cli/common/names.h"
#include "cli/common/page.h"
#include "cli/show/describe.h"
#include "cli/show/selection.h"
#include "event/event.h"

#include <string.h>

const bx_page_columns bx_umasks_columns = {
    .heads = "value\tunit mask", .widths = {6}, .text_at = 32};

/* Appends what its name means besides its value: "sets t=1", "single bit". */
static void cautions(bx_buf *to, const bx_catalog *c, const bx_cat_umask *u, bool chosen)
{
    char sets[128];
    bx_entry umask = bx_entry_of(BX_ENTRY_UMASK, (unsigned)(u - bx_cat_umasks(c)));
    if (bx_entry_sets(c, umask, sets, sizeof sets))
        bx_buf_f(to, "; sets %s", sets);
    if (u->unit)
        bx_buf_f(to, "; counts %s", bx_cat_z(c, u->unit));
    if (chosen)
        bx_buf_z(to, "; meant when none is named");
    if (u->flags & BX_UMASK_BIT)
        bx_buf_z(to, "; single bit, to be combined");
    if (u->flags & BX_UMASK_ALIAS)
        bx_buf_z(to, "; accepted, never printed");
    if (u->confidence != BX_SURE)
        bx_buf_f(to, "; %s", bx_confidence_name(u->confidence));
    if (u->note)
        bx_buf_f(to, " (%s)", bx_cat_z(c, u->note));
}

void bx_describe_umask_item(bx_page *to, const bx_catalog *c, const bx_cat_umask *u, bool chosen,
                            const bx_workload_row *row)
{
    bx_buf text = {.whole = &to->to->failed};
    bx_buf_z(&text, bx_cat_z(c, u->title));
    cautions(&text, c, u, chosen);
    if (row && !(u->flags & BX_UMASK_ALIAS)) {
        bx_buf_z(&text, "; ");
        bx_workloads_phrase(&text, row);
    }
    bx_page_item(to, bx_buf_text(&text), "0x%02x\t%s", u->value, bx_cat_z(c, u->name));
    bx_buf_free(&text);
}

/* All unit masks. Sources other than the event's are named once for all unit masks that have
 * them. */
void bx_describe_umasks(bx_page *to, const bx_catalog *c, const bx_cat_event *event,
                        const bx_workload_runs *runs, bool link)
{
    bx_cat_text source = event->source;
    if (event->umasks.n)
        bx_page_list(to, &bx_umasks_columns, "unit masks");
    for (unsigned i = 0; i < event->umasks.n; i++) {
        unsigned index = event->umasks.first + i;
        const bx_cat_umask *u = &bx_cat_umasks(c)[index];
        if (u->source && u->source != source)
            bx_page_remark(to, "from %s:", bx_cat_z(c, u->source));
        source = u->source ? u->source : event->source;
        bx_word part = bx_umask_name_word(c, index), page = bx_pmu_page_word(c, event->pmu);
        if (link && !(u->flags & BX_UMASK_ALIAS))
            bx_page_link(to, page.text, part.text);
        bx_describe_umask_item(to, c, u, index == event->umask_default,
                               runs ? &runs->umasks[index] : NULL);
    }
}

/* LIKWID's options: ":THRESHOLD=0x1". */
static void likwid_options(bx_buf *to, const bx_catalog *c, const bx_evsel *selection)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[selection->pmu];
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[pmu->modifiers.first + i];
        if (!selection->modifier[i])
            continue;
        bx_buf_f(to, ":%s", bx_cat_z(c, m->likwid));
        if (!m->flag)
            bx_buf_f(to, "=0x%llx", (unsigned long long)selection->modifier[i]);
    }
}

/* The name of a unit mask that has exactly this value; "" if none has. */
static const char *likwid_umask(const bx_catalog *c, const bx_cat_event *event, uint32_t value)
{
    for (unsigned i = 0; i < event->umasks.n; i++) {
        const bx_cat_umask *u = &bx_cat_umasks(c)[event->umasks.first + i];
        if (u->value == value && !u->sets.n && !(u->flags & BX_UMASK_ALIAS))
            return bx_cat_z(c, u->likwid ? u->likwid : u->name);
    }
    return "";
}

/* LIKWID's spelling, "CACHE_LOOKUP_ANY_I:CBOX0C0", if LIKWID has the counter and a name for the
 * event. Its events of fixed counters have no unit mask. */
void bx_likwid_spelling(bx_buf *to, const bx_catalog *c, const bx_evsel *selection)
{
    const bx_cat_event *event = &bx_cat_events(c)[selection->event];
    const bx_cat_counter *counter =
        bx_pmu_counter(c, selection->pmu, bx_lowest_bit(event->counters));
    bx_cat_text pattern = counter->likwid ? counter->likwid : bx_cat_pmus(c)[selection->pmu].likwid;
    const char *umask =
        counter->flags & BX_COUNTER_FIXED ? "" : likwid_umask(c, event, selection->umask);
    unsigned unit = selection->unit == BX_ANY ? 0 : (unsigned)selection->unit;
    if (!pattern || !event->alias || (!(counter->flags & BX_COUNTER_FIXED) && !umask[0]))
        return;
    bx_buf_f(to, "%s%s%s:%s", bx_cat_z(c, event->alias), umask[0] ? "_" : "", umask,
             bx_pattern_word(c, pattern, unit, counter->index).text);
    likwid_options(to, c, selection);
}

/* ---- a part for each ---- */

/* What counts it on the lowest unit and counter, and other tools' spellings. */
static void encoded(bx_page *to, const bx_catalog *c, const bx_evsel *selection)
{
    bx_buf text = {.whole = &to->to->failed};
    bx_selected s = bx_selected_encoded(c, selection);
    bx_word perf = {""};
    for (size_t i = 0; i < s.regs_n; i++) {
        uint16_t reg = s.regs[i].reg;
        bx_page_row(to, i ? "" : "register", "%s (%s %s) = 0x%llx",
                    bx_register_word(c, reg, s.unit).text,
                    bx_cat_space_name(bx_cat_regs(c)[reg].space),
                    bx_address_word(c, 0, reg, s.unit).text, (unsigned long long)s.regs[i].value);
    }
    if (bx_event_format_perf(c, selection, perf.text, sizeof perf.text))
        bx_page_row(to, "Linux", "%s", perf.text);
    bx_likwid_spelling(&text, c, selection);
    bx_page_row(to, "LIKWID", "%s", bx_buf_text(&text));
    bx_buf_free(&text);
}

static void counters_of(bx_page *to, const bx_catalog *c, const bx_cat_event *event,
                        const bx_cat_umask *u)
{
    bx_cat_event counted = *event;
    if (u->counters)
        counted.counters = u->counters;
    bx_page_row(to, "counters", "%s", bx_counters_word(c, &counted).text);
}

static void part(bx_page *to, const bx_catalog *c, unsigned index, const bx_workload_runs *runs)
{
    const bx_cat_umask *u = &bx_cat_umasks(c)[index];
    const bx_cat_event *event = &bx_cat_events(c)[u->event];
    bx_word name = bx_umask_name_word(c, index);
    bx_evsel selection;
    bx_buf text = {.whole = &to->to->failed};
    bx_page_part(to, name.text, bx_cat_z(c, u->title));
    cautions(&text, c, u, index == event->umask_default);
    bx_page_row(to, "code", "0x%02x, unit mask 0x%02x%s", event->code, u->value,
                bx_buf_text(&text));
    bx_buf_free(&text);
    counters_of(to, c, event, u);
    if (bx_event_parse(c, -1, name.text, strlen(name.text), &selection, NULL) == BX_OK)
        encoded(to, c, &selection);
    bx_page_row(to, "source", "%s", bx_cat_z(c, u->source ? u->source : event->source));
    bx_page_row(to, "note", "%s", bx_cat_z(c, event->note));
    if (runs)
        bx_describe_workloads(to, runs, bx_cat_pmus(c)[event->pmu].cpu, &runs->umasks[index]);
}

void bx_describe_umask_parts(bx_page *to, const bx_catalog *c, unsigned event,
                             const bx_workload_runs *runs)
{
    bx_span umasks = bx_cat_events(c)[event].umasks;
    for (unsigned i = 0; i < umasks.n; i++)
        if (!(bx_cat_umasks(c)[umasks.first + i].flags & BX_UMASK_ALIAS))
            part(to, c, umasks.first + i, runs);
}
