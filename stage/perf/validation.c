#include "stage/perf/validation.h"

#include "base/str.h"
#include "event/foreign_names.h"

#include <errno.h>
#include <string.h>

/* The words of the attr as an event selection of one unit. */
static int read_words(const bx_staged_scene *s, bx_staged_event *e, const bx_source *source)
{
    const struct perf_event_attr *a = &e->want.attr;
    const uint64_t words[] = {a->config, a->config1, a->config2};
    const bx_topology *t = s->sources->t;
    bx_buf text = {0};
    bx_error ignored = {0};
    bx_source_spell(s->sources, source, words, &text);
    if (source->of_cpus && a->exclude_kernel != a->exclude_user)
        bx_buf_z(&text, a->exclude_kernel ? "u" : "k");
    int why = text.failed ? ENOMEM : 0;
    if (!why && bx_event_parse(t->catalog, t->cpu, text.p, text.n, &e->event, &ignored) != BX_OK)
        why = EINVAL;
    bx_buf_free(&text);
    return why;
}

int bx_staged_select(const bx_staged_scene *s, bx_staged_event *e)
{
    const bx_topology *t = s->sources->t;
    const bx_source *source = bx_source_of_type(s->sources, e->want.attr.type);
    int why = source ? bx_attr_check_counting(&e->want, source->of_cpus) : ENOENT;
    if (!why && e->want.cpu >= (int64_t)t->packages * t->cores)
        why = EINVAL;
    if (!why && source->of_cpus && e->want.attr.exclude_kernel && e->want.attr.exclude_user)
        why = EINVAL; /* nothing would be left to count */
    if (!why)
        why = read_words(s, e, source);
    if (why)
        return why;
    e->box = bx_staged_box_of(s->boxes, source, (unsigned)e->want.cpu);
    if (!source->of_cpus) /* counted by the package's first CPU, whoever asks */
        e->want.cpu = (int64_t)e->box->package * t->cores;
    e->event.package = (int16_t)e->box->package;
    e->event.unit = (int16_t)source->unit;
    if (source->of_cpus) {
        e->event.package = (int16_t)(e->box->package / t->cores);
        e->event.unit = (int16_t)(e->box->package % t->cores);
    }
    return bx_machine_produces(s->machine, &e->event) ? 0 : EOPNOTSUPP;
}

int bx_staged_enter(const bx_staged_scene *s, bx_staged_event *e, bx_staged_event *leader)
{
    if (leader &&
        (leader->leader != leader || leader->want.cpu != e->want.cpu || e->want.attr.pinned ||
         e->want.attr.exclusive || (leader->box && e->box && leader->box != e->box)))
        return EINVAL;
    bx_staged_box *before = leader ? leader->box : NULL;
    bx_staged_join(e, leader);
    if (e->host >= 0 || bx_staged_box_fits(s->boxes, e->leader))
        return 0;
    bx_staged_leave(e);
    if (leader && !before)
        bx_staged_unbox(leader);
    return EINVAL;
}

int bx_staged_generic(const bx_staged_scene *s, bx_open_want *want)
{
    static const char *const names[] = {
        [PERF_COUNT_HW_CPU_CYCLES] = "cpu-cycles",
        [PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
        [PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
        [PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
        [PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branch-instructions",
        [PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
        [PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
    };
    const bx_source *source = bx_source_of_type(s->sources, PERF_TYPE_RAW);
    uint64_t number = want->attr.config, words[3] = {0};
    if (!source || number >= sizeof names / sizeof *names)
        return ENOENT;
    bx_str terms =
        bx_kernel_terms(s->sources->t->catalog, source->pmu[0], bx_str_of(names[number]));
    if (!terms.p || !bx_source_words(s->sources, source, terms, words))
        return ENOENT;
    want->attr.type = PERF_TYPE_RAW;
    want->attr.config = words[0];
    return 0;
}
