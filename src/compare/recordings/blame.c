#include "compare/recordings/blame.h"

#include "base/printable.h"
#include "compare/recordings/causes_format.h"

#include <string.h>

/* What a condition is about, one after the other: an event, "time", or each event of a metric. */
typedef struct subjects {
    const bx_causes *of;
    const bx_profile_metrics *metrics;
    bx_profile_metric metric; /* of->…: NULL: it is none */
    const char *name;         /* if it is none; NULL: it was taken */
    uint16_t next;            /* operand */
} subjects;

static subjects subjects_of(const bx_causes *c, const bx_profile_metrics *m, const bx_verdict *of)
{
    const bx_saved_value *v = bx_compared_value(of->row);
    subjects s = {.of = c, .metrics = m};
    if (!v->metric || strcmp(v->name, "time_elapsed") == 0) {
        s.name = v->metric ? "time" : v->name;
        return s;
    }
    uint16_t found =
        m->cpu < 0 ? BX_NONE : bx_cat_find_metric(m->catalog, (uint16_t)m->cpu, bx_str_of(v->name));
    if (found == BX_NONE || !bx_profile_metric_find(m, found, &s.metric))
        s.metric = (bx_profile_metric){0};
    return s;
}

/* The next one, an event once; NULL: there are no more. */
static const char *next_subject(subjects *s)
{
    const char *name = s->name;
    s->name = NULL;
    while (!name && s->metric.of && s->next < s->metric.of->operands.n) {
        uint16_t operand = s->metric.operand[s->next];
        bool again = operand >= BX_OPERAND_EVENTS;
        for (uint16_t i = 0; i < s->next; i++)
            again |= s->metric.operand[i] == operand;
        name = again ? NULL : s->metrics->of->event[operand].name;
        s->next++;
    }
    return name;
}

static void add_blame(const bx_causes *c, const char *what, const bool *ranks, bx_buf *to)
{
    char change[BX_CAUSE_SIGNED], all[BX_CAUSE_SIGNED];
    const bx_cause *row = bx_causes_most(c, BX_CAUSE_LINE, ranks);
    if (!row)
        return;
    bx_buf_z(to, to->n ? "; " : "");
    bx_buf_name(to, strcmp(what, "time") == 0 ? "cycles of the cores" : what);
    bx_buf_f(to, " %s of %s by ", bx_cause_signed(bx_causes_change(c, row, ranks), change),
             bx_cause_signed(bx_causes_change(c, NULL, ranks), all));
    bx_cause_label(row, to);
    bx_cause_text(row, to);
}

void bx_causes_blame(const bx_causes *c, const bx_profile_metrics *metrics,
                     const bx_verdict *verdict, bx_buf *to)
{
    subjects s = subjects_of(c, metrics, verdict);
    bool *ranks = bx_arena_get(c->is->arena, c->events + (size_t)1);
    if (!ranks) {
        bx_buf_fail(to);
        return;
    }
    for (const char *name; (name = next_subject(&s));)
        if (bx_causes_choose(c, name, ranks))
            add_blame(c, name, ranks, to);
}

bool bx_causes_sort_for(bx_causes *c, const bx_profile_metrics *metrics, const bx_verdict *verdict)
{
    subjects s = subjects_of(c, metrics, verdict);
    for (const char *name; (name = next_subject(&s));)
        if (bx_causes_sort(c, name))
            return true;
    return false;
}
