/* Checks an event against the machine's PMUs, and a group against the counters of its box. */
#include "stage/perf/validation.h"

#include "base/str.h"
#include "event/foreign_names.h"

#include <errno.h>
#include <string.h>

/* Spells the config words of the attr as an event of the source. */
static void spell(const bx_validation *v, const bx_staged_event *e, const bx_event_source *source,
                  bx_buf *to)
{
    const struct perf_event_attr *a = &e->request.attr;
    const uint64_t words[] = {a->config, a->config1, a->config2};
    bx_event_source_spell(v->sources, source, words, to);
    if (source->of_cpus && a->exclude_kernel != a->exclude_user)
        bx_buf_z(to, a->exclude_kernel ? "u" : "k");
}

/* Parses the config words of the attr as an event of the source. */
static int read_words(const bx_validation *v, bx_staged_event *e, const bx_event_source *source)
{
    const bx_topology *t = v->sources->t;
    bx_buf text = {0};
    bx_error ignored = {0};
    spell(v, e, source, &text);
    int err = text.failed ? ENOMEM : 0;
    if (!err && bx_event_parse(t->catalog, t->cpu, text.p, text.n, &e->event, &ignored) != BX_OK)
        err = EINVAL;
    bx_buf_free(&text);
    return err;
}

int bx_validate_event(const bx_validation *v, bx_staged_event *e)
{
    const bx_topology *t = v->sources->t;
    const bx_event_source *source = bx_event_source_of_type(v->sources, e->request.attr.type);
    int err = !source           ? ENOENT
              : source->of_cpus ? bx_attr_check_core(&e->request)
                                : bx_attr_check_uncore(&e->request);
    if (!err && e->request.cpu >= (int64_t)t->packages * t->cores)
        err = EINVAL;
    if (!err && source->of_cpus && e->request.attr.exclude_kernel && e->request.attr.exclude_user)
        err = EINVAL; /* nothing would be left to count */
    if (!err)
        err = read_words(v, e, source);
    if (err)
        return err;
    e->never_counts = source->of_cpus && bx_attr_is_of_task(&e->request);
    if (e->never_counts) /* it has no box */
        return 0;
    e->box = bx_staged_box_of(v->boxes, source, (unsigned)e->request.cpu);
    if (!source->of_cpus) /* Linux moves it to the package's first CPU */
        e->request.cpu = (int64_t)e->box->package * t->cores;
    e->event.package = (int16_t)e->box->package;
    e->event.unit = (int16_t)source->unit;
    if (source->of_cpus) {
        e->event.package = (int16_t)(e->box->package / t->cores);
        e->event.unit = (int16_t)(e->box->package % t->cores);
    }
    e->never_counts = !bx_machine_produces(v->machine, &e->event);
    return e->never_counts && !bx_attr_may_lead(&e->request) ? EOPNOTSUPP : 0;
}

/* The kernel's events of a program as perf spells them. */
static const char *software_name(uint64_t config)
{
    static const char *const names[] = {
        [PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
        [PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
        [PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
        [PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
        [PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
        [PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
        [PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
        [PERF_COUNT_SW_ALIGNMENT_FAULTS] = "alignment-faults",
        [PERF_COUNT_SW_EMULATION_FAULTS] = "emulation-faults",
    };
    return config < sizeof names / sizeof *names ? names[config] : NULL;
}

static int spell_software(const bx_staged_event *e, bx_buf *to)
{
    const struct perf_event_attr *a = &e->request.attr;
    const char *name = software_name(a->config);
    if (!name)
        return EOPNOTSUPP;
    bx_buf_z(to, name);
    if (a->exclude_kernel != a->exclude_user)
        bx_buf_z(to, a->exclude_kernel ? ":u" : ":k");
    return 0;
}

int bx_validate_of_program(const bx_validation *v, bx_staged_event *e)
{
    const struct perf_event_attr *a = &e->request.attr;
    const bx_event_source *source = bx_event_source_of_type(v->sources, a->type);
    bx_buf text = {0};
    int err = a->exclude_kernel && a->exclude_user ? EINVAL : 0;
    if (!err && a->type == PERF_TYPE_SOFTWARE)
        err = spell_software(e, &text);
    else if (!err &&
             !(source && source->of_cpus)) /* Linux: no unit outside the cores counts tasks */
        err = source ? EINVAL : EOPNOTSUPP;
    else if (!err && !(err = read_words(v, e, source)))
        spell(v, e, source, &text);
    if (!err && source && !bx_machine_produces(v->machine, &e->event))
        err = EOPNOTSUPP;
    if (!err && !text.failed)
        e->of_program = strdup(text.p);
    bx_buf_free(&text);
    return err || e->of_program ? err : ENOMEM;
}

int bx_validate_group(const bx_validation *v, bx_staged_event *e, bx_staged_event *leader)
{
    if (leader && e->never_counts)
        return EOPNOTSUPP;
    if (leader && !leader->of_program != !e->of_program)
        return EINVAL;
    if (leader && (leader->leader != leader || leader->request.cpu != e->request.cpu ||
                   e->request.attr.pinned || e->request.attr.exclusive ||
                   (leader->box && e->box && leader->box != e->box) ||
                   (leader->signalled && e->signalled && leader->signalled != e->signalled)))
        return EINVAL;
    bx_staged_box *before = leader ? leader->box : NULL;
    bx_staged_join(e, leader);
    if (e->host >= 0 || e->of_program || e->signalled || bx_staged_box_fits(v->boxes, e->leader))
        return 0;
    bx_staged_leave(e);
    if (leader && !before)
        bx_staged_unbox(leader);
    return EINVAL;
}

int bx_validate_generic(const bx_validation *v, bx_open_request *request, bool of_program)
{
    int err = of_program ? 0 : bx_attr_check_core(request);
    if (err)
        return err;
    const bx_event_source *source = bx_event_source_of_type(v->sources, PERF_TYPE_RAW);
    const char *name = bx_attr_generic_name(request->attr.config);
    uint64_t words[3] = {0};
    if (!source || !name)
        return ENOENT;
    bx_str terms = bx_kernel_terms(v->sources->t->catalog, source->pmu[0], bx_str_of(name));
    if (!terms.p || !bx_event_source_words(v->sources, source, terms, words))
        return ENOENT;
    request->attr.type = PERF_TYPE_RAW;
    request->attr.config = words[0];
    return 0;
}
