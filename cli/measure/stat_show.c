/* Writes the results of `boxscore stat`. */
#include "cli/measure/stat.h"

#include "base/printable.h"
#include "event/event.h"
#include "seam/signal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int write_part(bx_stat *s, void (*part)(const bx_report *, const bx_view *, bx_buf *),
                      bx_error *e)
{
    bx_buf text = {0};
    part(&s->report, &s->view, &text);
    int code = bx_sink_write(&s->sink, &text, e);
    bx_buf_free(&text);
    return code;
}

int bx_stat_open_report(bx_stat *s, const bx_reading *readings, size_t n, bx_error *e)
{
    if (s->opened)
        return BX_OK;
    s->opened = true;
    return bx_report_open(&s->report, &s->measurement.measured, readings, n, e);
}

static int begin_intervals(bx_stat *s, const bx_reading *readings, size_t n, bx_error *e)
{
    if (s->before)
        return BX_OK;
    s->before = bx_arena_get(&s->cli->arena, (n + 1) * sizeof *s->before);
    if (!s->before)
        return bx_out_of_memory(e);
    int code = bx_stat_open_report(s, readings, n, e);
    return code ? code : write_part(s, bx_report_begin, e);
}

int bx_stat_show_interval(void *context, const bx_readings *now, bx_error *e)
{
    bx_stat *s = context;
    size_t n = now->n;
    int code = begin_intervals(s, now->list, n, e);
    bx_reading *grown = code ? NULL : malloc((n + 1) * sizeof *grown);
    if (!grown)
        return code ? code : bx_out_of_memory(e);
    for (size_t i = 0; i < n; i++)
        grown[i] = bx_reading_since(&now->list[i], &s->before[i]);
    bx_report_clear(&s->report);
    bx_report_add(&s->report, grown, now->time - s->reported);
    free(grown);
    memcpy(s->before, now->list, n * sizeof *now->list);
    s->reported = now->time;
    s->view.at = (double)now->at / s->report.of->hz;
    return write_part(s, bx_report_lines, e);
}

/* signal(7) */
static const char *name_of(int signal)
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

void bx_stat_report_killed(bx_stat *s, int signal)
{
    if (signal && signal != s->killed_by)
        bx_cli_note("%s%s%s was killed by signal %d (%s)", s->measurement.program ? "'" : "",
                    s->measurement.program ? s->measurement.program[0] : "the traced program",
                    s->measurement.program ? "'" : "", signal, name_of(signal));
    if (signal == SIGSYS && signal != s->killed_by && !s->measurement.tracer_says)
        bx_cli_note(
            "SIGSYS comes from a sandbox (seccomp) that forbids a system call, perhaps one of "
            "the tracer: let it answer with an error, or run boxscore outside");
    s->killed_by = signal;
}

static void add_interrupted(const bx_stat *s, bx_buf *to)
{
    uint64_t runs = s->measurement.o.runs;
    if (!s->signal)
        return;
    bx_buf_f(to, "interrupted by %s", name_of(s->signal));
    if (runs > 1 && s->runs)
        bx_buf_f(to, ": %llu of %llu runs were counted", (unsigned long long)s->runs,
                 (unsigned long long)runs);
    else
        bx_buf_f(to, "%s: these are the counts %s", runs > 1 ? " in the first run" : "",
                 s->measurement.program ? "until the program ended" : "so far");
}

static void add_unreached(const bx_stat *s, bx_buf *to)
{
    const bx_measurement *m = &s->measurement;
    if (!s->unreached)
        return;
    bx_buf_f(to, "%s was not reached", m->overflow.name);
    if (m->o.runs > 1)
        bx_buf_f(to, " in %llu of %llu runs", (unsigned long long)s->unreached,
                 (unsigned long long)m->o.runs);
    bx_buf_z(to, ": the counts are those at the end of the work");
}

static void add_untraced(const bx_stat *s, bx_buf *to)
{
    if (s->measurement.untraced)
        bx_buf_f(to, "not counted, as they cannot be traced: %s", s->measurement.untraced);
}

static void add_left(const bx_stat *s, bx_buf *to)
{
    if (s->measurement.left)
        bx_buf_f(to, "left running when the program ended, and counted until then: %s",
                 s->measurement.left);
}

static void add_tracer_says(const bx_stat *s, bx_buf *to)
{
    if (s->measurement.tracer_says)
        bx_buf_z(to, s->measurement.tracer_says);
}

static void add_refused_marks(const bx_stat *s, bx_buf *to)
{
    uint64_t n = s->measurement.refused_marks;
    if (n)
        bx_buf_f(to, "%llu mark%s of regions refused: another user's process sent %s",
                 (unsigned long long)n, n == 1 ? "" : "s", n == 1 ? "it" : "them");
}

static void add_traced(const bx_stat *s, bx_buf *to)
{
    if (s->measurement.traced)
        bx_buf_z(to, s->measurement.traced);
}

static bool was_entered(const bx_stat *s, const char *name)
{
    for (size_t i = 0; i < s->regions_n; i++)
        if (s->regions[i].entered && strcmp(s->regions[i].name, name) == 0)
            return true;
    return false;
}

static void add_regions(const bx_stat *s, bx_buf *to)
{
    const bx_measurement_options *o = &s->measurement.o;
    if (o->regions && !s->regions_n)
        bx_buf_z(to, "the program has marked no region");
    for (size_t i = 0; i < o->inside.n; i++)
        if (!was_entered(s, o->inside.text[i])) {
            bx_buf_z(to, to->n ? "; region '" : "region '");
            bx_buf_name(to, o->inside.text[i]);
            bx_buf_z(to, "' was never entered");
        }
}

static void add_never_begun(const bx_stat *s, bx_buf *to)
{
    if (s->never_begun)
        bx_buf_z(
            to,
            "counting never began: the work ended before --delay, or --control did not enable it");
}

/* Events that the machine lacks, each with its reason on a line of its own. */
static void add_unsupported(const bx_stat *s, bx_buf *to)
{
    const bx_measurement *m = &s->measurement;
    for (size_t i = 0; m->unsupported && i < m->counted_n; i++)
        if (m->unsupported[i])
            bx_buf_f(to, "%snot supported: %s", to->n ? "\n " : "", m->unsupported[i]);
}

/* Whether a count of units includes more than the program or the named CPUs. of_cores: of core
 * PMUs; false: of uncore PMUs. */
static bool has_units(const bx_stat *s, bool of_cores)
{
    const bx_report *r = &s->report;
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

static void add_whole_machine(const bx_stat *s, bx_buf *to)
{
    const bx_attach_options *o = &s->measurement.o.attach;
    bool follows = o->processes || o->threads;
    if ((!follows && !o->cpus) || s->report.of->clock)
        return;
    if (has_units(s, false))
        bx_buf_z(to,
                 "counts outside the cores are for the whole machine, not for the program alone");
    if (follows && has_units(s, true))
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
static void add_kernel_accesses(const bx_stat *s, bx_buf *to)
{
    const bx_measurement *m = &s->measurement;
    bool made = m->measured.clock && !m->workload && !m->o.host.no_kernel_accesses;
    for (size_t i = 0; made && i < m->measured.events_n; i++) {
        if (!is_user_only(&m->measured, &m->measured.events[i]))
            continue;
        bx_buf_z(
            to,
            "requests and cycles at user level include what the kernel reads and writes for the "
            "program: the model has no other level (--kernel-accesses off)");
        return;
    }
}

static void add_imprecise(const bx_stat *s, bx_buf *to)
{
    char number[BX_NUMBER];
    const bx_record *worst = s->wanted ? bx_stat_widest(s) : NULL;
    double width = worst ? bx_running_stats_confidence(&worst->stats) : 0;
    if (width <= s->wanted)
        return;
    bx_buf_f(to, "after %u runs the interval of ", worst->stats.n);
    bx_buf_name(to, worst->event);
    bx_buf_f(to, " is still +- %s%%", bx_number_plain(width, 2, number));
}

const bx_record *bx_stat_widest(const bx_stat *s)
{
    const bx_record *widest = NULL;
    double most = -1;
    for (size_t i = 0; i < s->report.of->events_n; i++) {
        const bx_record *record = &s->report.records[s->report.sum_of[i]];
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
    void (*add)(const bx_stat *s, bx_buf *to);
    bool unseen; /* it says what the run did not see: 'boxscore diff' does not pass then */
    bool line;   /* on a line of its own */
} remarks[] = {
    {add_interrupted, .unseen = false}, /* the report has it apart */
    {add_unreached, .unseen = true},     {add_never_begun, .unseen = true},
    {add_untraced, .unseen = true},      {add_tracer_says, .unseen = true, .line = true},
    {add_left, .unseen = false}, /* the report has it apart */
    {add_refused_marks, .unseen = true}, {add_regions, .unseen = true},
    {add_traced, .unseen = false},       {add_whole_machine, .line = true},
    {add_kernel_accesses, .line = true}, {add_imprecise, .line = true},
    {add_unsupported, .line = true},
};
enum { REMARKS = sizeof remarks / sizeof *remarks };

static void make_line(bx_buf *text)
{
    for (size_t i = 0; i < text->n; i++)
        if (text->p[i] == '\n')
            text->p[i] = ';';
}

static void collect_remarks(bx_stat *s, const char **unseen, bx_buf *to)
{
    bx_measured *m = &s->measurement.measured;
    for (size_t i = 0; i < REMARKS; i++) {
        bx_buf one = {.whole = &to->failed};
        remarks[i].add(s, &one);
        if (one.n) {
            if (to->n)
                bx_buf_z(to, remarks[i].line ? "\n " : "; ");
            bx_buf_add(to, one.p, one.n);
            make_line(&one);
            if (remarks[i].unseen)
                unseen[m->unseen_n++] = bx_arena_copy(&s->cli->arena, (bx_str){one.p, one.n});
        }
        bx_buf_free(&one);
    }
}

int bx_stat_add_remarks(bx_stat *s, bx_error *e)
{
    bx_buf text = {0};
    bx_measured *m = &s->measurement.measured;
    const char **unseen = bx_arena_get(&s->cli->arena, REMARKS * sizeof *unseen);
    if (!unseen)
        return bx_out_of_memory(e);
    m->unseen = unseen;
    m->unseen_n = 0;
    collect_remarks(s, unseen, &text);
    if (text.n == 0 && !text.failed)
        return BX_OK;
    bool alone = s->view.format == BX_FORMAT_TEXT && !s->view.interval; /* a line each */
    if (!alone)
        make_line(&text);
    const char *says = text.failed ? NULL : bx_arena_copy(&s->cli->arena, (bx_str){text.p, text.n});
    bx_buf_free(&text);
    m->remark = says;
    if (says && s->view.format != BX_FORMAT_TEXT)
        bx_cli_note("%s", says);
    return says && !s->cli->arena.failed ? BX_OK : bx_out_of_memory(e);
}

int bx_stat_show_all(bx_stat *s, bx_error *e)
{
    int code = write_part(s, bx_report_begin, e);
    if (!code)
        code = write_part(s, bx_report_lines, e);
    return code ? code : write_part(s, bx_report_end, e);
}

static int show_region(bx_stat *s, const bx_region *region, bx_error *e)
{
    s->view.region = region;
    bx_report_clear(&s->report);
    bx_report_add(&s->report, region->readings, region->time);
    return bx_stat_show_all(s, e);
}

/* If a region has only one thread, that thread has the same counts, and is not shown. */
int bx_stat_show_regions(bx_stat *s, bx_error *e)
{
    bx_running_stats elapsed = s->report.elapsed;
    int code = BX_OK;
    unsigned threads = 0;
    for (size_t i = 0; i < s->regions_n && !code; i++) {
        const bx_region *region = &s->regions[i];
        threads = region->thread ? threads : region->threads;
        if (!region->thread || threads > 1)
            code = show_region(s, region, e);
    }
    s->view.region = NULL;
    s->report.elapsed = elapsed;
    return code;
}

int bx_stat_finish(bx_stat *s, bx_error *e)
{
    s->measurement.measured.interrupted = s->signal ? name_of(s->signal) : NULL;
    s->measurement.measured.left = s->measurement.left;
    if (s->view.interval)
        s->report.elapsed = (bx_running_stats){.n = 1, .mean = (double)s->reported};
    return write_part(s, bx_report_finish, e);
}
