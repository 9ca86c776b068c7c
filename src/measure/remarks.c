/* Words the remarks on a measurement. */
#include "measure/remarks.h"

#include "base/bits.h"
#include "base/buf.h"
#include "base/printable.h"
#include "event/event.h"
#include "machine/program/process/surroundings.h"
#include "measure/measurement.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *bx_signal_name(int signal)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
        {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
        {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
        {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"},
        {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == signal)
            return names[i].name;
    return strsignal(signal);
}

static void add_interrupted(const bx_measurement *m, bx_buf *to)
{
    uint64_t runs = m->o.runs;
    if (!m->result->signal)
        return;
    bx_buf_f(to, "interrupted by %s", bx_signal_name(m->result->signal));
    if (runs > 1 && m->result->runs)
        bx_buf_f(to, ": %llu of %llu runs were counted", (unsigned long long)m->result->runs,
                 (unsigned long long)runs);
    else
        bx_buf_f(to, "%s: these are the counts %s", runs > 1 ? " in the first run" : "",
                 m->o.program ? "until the program ended" : "so far");
}

static void add_unreached(const bx_measurement *m, bx_buf *to)
{
    if (!m->result->unreached)
        return;
    bx_buf_f(to, "%s was not reached", m->overflow.name);
    if (m->o.runs > 1)
        bx_buf_f(to, " in %llu of %llu runs", (unsigned long long)m->result->unreached,
                 (unsigned long long)m->o.runs);
    bx_buf_z(to, ": the counts are those at the end of the work");
}

static void add_untraced(const bx_measurement *m, bx_buf *to)
{
    if (m->result->untraced)
        bx_buf_f(to, "not counted, as they cannot be traced: %s", m->result->untraced);
}

static void add_left(const bx_measurement *m, bx_buf *to)
{
    if (m->result->left)
        bx_buf_f(to, "left running when the program ended, and counted until then: %s",
                 m->result->left);
}

/* It says how far the order of the threads' words is the tracer's, not the machine's. */
static void add_waits(const bx_measurement *m, bx_buf *to)
{
    const bx_order_waits *w = &m->result->waits;
    char mean[BX_NUMBER], longest[BX_NUMBER], share[BX_NUMBER];
    if (w->n)
        bx_buf_f(to,
                 "threads waited for what others wrote, although their own clock came first: %llu "
                 "order waits, %s ns on average, %s ns at most, %s%% of their time",
                 (unsigned long long)w->n, bx_number_plain(w->sum / (double)w->n, 1, mean),
                 bx_number_plain(w->longest, 0, longest),
                 bx_number_plain(100 * w->sum / w->time, 2, share));
}

static void add_tracer_says(const bx_measurement *m, bx_buf *to)
{
    if (m->result->tracer_says)
        bx_buf_z(to, m->result->tracer_says);
}

static void add_page_of_limits(const bx_measurement *m, bx_buf *to)
{
    if (m->result->untraced || m->result->tracer_says)
        bx_buf_z(to, "what traced programs cannot do, and what to try: docs/reference/limits.md");
}

static void add_refused_marks(const bx_measurement *m, bx_buf *to)
{
    uint64_t n = m->result->refused_marks;
    if (n)
        bx_buf_f(to, "%llu mark%s of regions refused: another user's process sent %s",
                 (unsigned long long)n, n == 1 ? "" : "s", n == 1 ? "it" : "them");
}

static void add_traced(const bx_measurement *m, bx_buf *to)
{
    if (m->result->traced)
        bx_buf_z(to, m->result->traced);
}

static bool was_entered(const bx_measurement *m, const char *name)
{
    for (size_t i = 0; i < m->result->regions_n; i++)
        if (m->result->regions[i].region.entered &&
            strcmp(m->result->regions[i].region.name, name) == 0)
            return true;
    return false;
}

/* Why a region may have had no entry. */
static void add_why_not_entered(const bx_measure_options *o, const char *name, bx_buf *to)
{
    if (!bx_region_function(name))
        return;
    bx_buf_z(to, o->trace
                     ? ": a trace has the calls of functions that 'boxscore trace --region' named"
                     : ": the program's symbols have no such function, the compiler has inlined "
                       "it, or nothing called it");
}

static void add_regions(const bx_measurement *m, bx_buf *to)
{
    const bx_measure_options *o = &m->o;
    if (o->regions && !m->lent && !m->result->regions_n)
        bx_buf_z(to, "the program has marked no region");
    for (size_t i = 0; i < o->inside_n; i++)
        if (!was_entered(m, o->inside[i])) {
            bx_buf_z(to, to->n ? "; region '" : "region '");
            bx_buf_name(to, o->inside[i]);
            bx_buf_z(to, "' was never entered");
            add_why_not_entered(o, o->inside[i], to);
        }
}

static void add_never_begun(const bx_measurement *m, bx_buf *to)
{
    if (m->result->never_begun)
        bx_buf_z(
            to,
            "counting never began: the work ended before --delay, or --control did not enable it");
}

/* The name in quotes that a reason is about, with the quotes; p NULL: there is none. */
static bx_str subject_of(const char *reason)
{
    const char *open = strchr(reason, '\''), *close = open ? strchr(open + 1, '\'') : NULL;
    return close ? (bx_str){open, (size_t)(close - open) + 1} : (bx_str){NULL, 0};
}

/* Whether two reasons differ in the name only. */
static bool is_same_reason(const char *a, const char *b)
{
    bx_str x = subject_of(a), y = subject_of(b);
    return x.p && y.p && x.p - a == y.p - b && strncmp(a, b, (size_t)(x.p - a)) == 0 &&
           strcmp(x.p + x.n, y.p + y.n) == 0;
}

/* Whether an earlier event has the reason, whose line then names both. */
static bool is_said(const char **reasons, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (reasons[k] && is_same_reason(reasons[k], reasons[i]))
            return true;
    return false;
}

/* Events that the machine lacks: a line for each reason. */
static void add_unsupported(const bx_measurement *m, bx_buf *to)
{
    const char **reasons = m->result->unsupported;
    for (size_t i = 0; reasons && i < m->counted_n; i++) {
        if (!reasons[i] || is_said(reasons, i))
            continue;
        bx_str name = subject_of(reasons[i]);
        size_t before = name.p ? (size_t)(name.p - reasons[i]) + name.n : strlen(reasons[i]);
        bx_buf_f(to, "%snot supported: %.*s", to->n ? "\n " : "", (int)before, reasons[i]);
        for (size_t k = i + 1; k < m->counted_n; k++)
            if (reasons[k] && is_same_reason(reasons[i], reasons[k])) {
                bx_buf_z(to, ", ");
                bx_buf_str(to, subject_of(reasons[k]));
            }
        bx_buf_z(to, reasons[i] + before);
    }
}

/* Whether a count of units includes more than the program or the named CPUs. of_cores: of core
 * PMUs; false: of uncore PMUs. */
static bool has_units(const bx_measurement *m, bool of_cores)
{
    const bx_report *r = &m->result->report;
    for (size_t i = 0; i < r->n; i++) {
        const bx_record *record = &r->records[i];
        if (record->level != BX_RECORD_UNIT || record->cpu != BX_ANY || record->thread ||
            record->unit_number == BX_PROGRAM)
            continue;
        const bx_evsel *event = &r->of->events[record->index];
        bool core = event->pmu != BX_KERNEL &&
                    bx_cat_pmus(r->of->catalog)[event->pmu].scope != BX_SCOPE_PACKAGE;
        if (core == of_cores)
            return true;
    }
    return false;
}

static void add_whole_machine(const bx_measurement *m, bx_buf *to)
{
    const bx_measure_options *o = &m->o;
    bool follows = o->processes || o->threads;
    if ((!follows && !o->cpus) || m->measured->clock)
        return;
    if (has_units(m, false))
        bx_buf_z(to,
                 "counts outside the cores are for the whole machine, not for the program alone");
    if (follows && has_units(m, true))
        bx_buf_f(to, "%scounts of cores are of all that ran there: registers follow no process",
                 to->n ? "\n " : "");
}

/* Whether an event of a core counts levels 1 to 3 alone. */
static bool is_user_only(const bx_measured *m, const bx_evsel *event)
{
    return event->pmu != BX_KERNEL && bx_cat_pmus(m->catalog)[event->pmu].levels &&
           bx_event_levels(m->catalog, event) == BX_LEVEL_USER;
}

/* Models make the kernel's accesses for a program on its core, at the program's level. */
static void add_kernel_accesses(const bx_measurement *m, bx_buf *to)
{
    bool made = m->measured->clock && !m->lent && !m->o.workload && !m->host.no_kernel_accesses;
    for (size_t i = 0; made && i < m->measured->events_n; i++) {
        if (!is_user_only(m->measured, &m->measured->events[i]))
            continue;
        bx_buf_z(
            to,
            "requests and cycles at user level include what the kernel reads and writes for the "
            "program: the model has no other level (--kernel-accesses off)");
        return;
    }
}

/* Whether an event before the i-th has the same caution. */
static bool said_before(const bx_measurement *m, size_t i, bx_cat_text caution)
{
    const bx_cat_event *all = bx_cat_events(m->catalog);
    for (size_t k = 0; k < i; k++)
        if (m->counted[k].pmu != BX_KERNEL && m->counted[k].event != BX_NONE &&
            all[m->counted[k].event].caution == caution)
            return true;
    return false;
}

/* What a reader of the counts must know, each caution once, of events that were chosen by name.
 * Metrics say so on their own pages. */
static void add_cautions(const bx_measurement *m, bx_buf *to)
{
    for (size_t i = 0; m->o.events && !m->o.metrics && i < m->counted_n; i++) {
        const bx_evsel *event = &m->counted[i];
        if (event->pmu == BX_KERNEL || event->event == BX_NONE)
            continue;
        const bx_cat_event *of = &bx_cat_events(m->catalog)[event->event];
        if (of->caution && !said_before(m, i, of->caution))
            bx_buf_f(to, "%s%s: %s", to->n ? "\n " : "", bx_cat_z(m->catalog, of->name),
                     bx_cat_z(m->catalog, of->caution));
    }
}

static void add_imprecise(const bx_measurement *m, bx_buf *to)
{
    char number[BX_NUMBER];
    const bx_record *worst = m->o.precision ? bx_result_widest(m->result) : NULL;
    double width = worst ? bx_running_stats_confidence(&worst->stats) : 0;
    if (width <= m->o.precision)
        return;
    bx_buf_f(to, "after %u runs the interval of ", worst->stats.n);
    bx_buf_name(to, worst->event);
    bx_buf_f(to, " is still +- %s%%", bx_number_plain(width, 2, number));
}

const bx_record *bx_result_widest(const bx_result *r)
{
    const bx_record *widest = NULL;
    double most = -1;
    for (size_t i = 0; i < r->report.of->events_n; i++) {
        const bx_record *record = &r->report.records[r->report.sum_of[i]];
        double width = bx_running_stats_confidence(&record->stats);
        if (bx_record_has_value(record) && width > most) {
            widest = record;
            most = width;
        }
    }
    return widest;
}

/* All remarks, in their order. */
static const struct {
    void (*add)(const bx_measurement *m, bx_buf *to);
    bool unseen; /* it says what the run did not see: 'boxscore diff' does not pass then */
    bool line;   /* on a line of its own */
    bool apart;  /* CSV and JSON have it in a place of its own alone */
} remarks[] = {
    {add_interrupted, .unseen = false}, /* the report has it apart */
    {add_unreached, .unseen = true},
    {add_never_begun, .unseen = true},
    {add_untraced, .unseen = true},
    {add_tracer_says, .unseen = true, .line = true},
    {add_page_of_limits, .line = true},
    {add_left, .unseen = false}, /* the report has it apart */
    {add_waits, .line = true, .apart = true},
    {add_refused_marks, .unseen = true},
    {add_regions, .unseen = true},
    {add_traced, .unseen = false},
    {add_whole_machine, .line = true},
    {add_kernel_accesses, .line = true},
    {add_imprecise, .line = true},
    {add_unsupported, .line = true},
    {add_cautions, .line = true},
};

static void add_remark(bx_result *r, bx_comment remark)
{
    if (r->remarks_n == r->remarks_room) {
        size_t room = 2 * r->remarks_room + 8;
        bx_comment *more = bx_arena_get(&r->arena, room * sizeof *more);
        if (!more)
            return; /* the arena remembers it */
        if (r->remarks_n)
            memcpy(more, r->remarks, r->remarks_n * sizeof *more);
        r->remarks = more;
        r->remarks_room = room;
    }
    r->remarks[r->remarks_n++] = remark;
}

void bx_result_note(void *result, const char *text)
{
    bx_result *r = result;
    const char *copy = bx_arena_copy(&r->arena, bx_str_of(text));
    if (copy)
        add_remark(r, (bx_comment){.text = copy, .line = true});
}

void bx_tell(const bx_listener *to, const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        return;
    to->note(to->context, text);
    free(text);
}

int bx_measurement_remark(const bx_measurement *m, bx_error *e)
{
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++) {
        bx_buf one = {.whole = &m->arena->failed};
        remarks[i].add(m, &one);
        const char *text = one.n ? bx_arena_copy(m->arena, (bx_str){one.p, one.n}) : NULL;
        bx_buf_free(&one);
        if (text)
            add_remark(m->result,
                       (bx_comment){text, remarks[i].unseen, remarks[i].line, remarks[i].apart});
    }
    return m->arena->failed ? bx_out_of_memory(e) : BX_OK;
}

static void make_line(bx_buf *text)
{
    for (size_t i = 0; i < text->n; i++)
        if (text->p[i] == '\n')
            text->p[i] = ';';
}

int bx_result_join_remarks(bx_result *r, size_t n, enum bx_remarks_form form, bx_error *e)
{
    bx_buf text = {.whole = &r->arena.failed};
    const char **unseen = bx_arena_get(&r->arena, (r->remarks_n + 1) * sizeof *unseen);
    if (!unseen)
        return bx_out_of_memory(e);
    r->measured.unseen = unseen;
    r->measured.unseen_n = 0;
    for (size_t i = n; i < r->remarks_n; i++) {
        if (r->remarks[i].apart && form == BX_REMARKS_BESIDE)
            continue;
        bx_buf one = {.whole = &r->arena.failed};
        bx_buf_z(&one, r->remarks[i].text);
        if (text.n)
            bx_buf_z(&text, r->remarks[i].line ? "\n " : "; ");
        bx_buf_add(&text, one.p, one.n);
        make_line(&one);
        if (r->remarks[i].unseen)
            unseen[r->measured.unseen_n++] = bx_arena_copy(&r->arena, (bx_str){one.p, one.n});
        bx_buf_free(&one);
    }
    if (form != BX_REMARKS_LINES)
        make_line(&text);
    r->measured.remark = text.n ? bx_arena_copy(&r->arena, (bx_str){text.p, text.n}) : NULL;
    bx_buf_free(&text);
    return r->arena.failed ? bx_out_of_memory(e) : BX_OK;
}

/* ---- node filters of events, and the packages of the machine ---- */

static void compare_nodes(const bx_listener *to, const bx_topology *t, const bx_evsel *event)
{
    const struct bx_catalog *c = t->catalog;
    bx_span all = bx_cat_pmus(c)[event->pmu].modifiers;
    for (unsigned i = 0; i < all.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[all.first + i];
        uint64_t beyond = event->modifier[i] & ~bx_mask_width(t->packages);
        if (m->flags & BX_MODIFIER_NODES && event->given >> i & 1 && beyond)
            bx_tell(to,
                    "warning: %s=0x%" PRIx64 " names nodes that this machine does not have: "
                    "nothing is counted of 0x%" PRIx64 ", it has 0 to %u",
                    bx_cat_z(c, m->name), event->modifier[i], beyond, t->packages - 1);
    }
}

void bx_note_nodes(const bx_listener *to, const bx_topology *t, const bx_evsel *events, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bx_event_is_valid(t->catalog, &events[i]))
            compare_nodes(to, t, &events[i]);
}
