/* Determines what `boxscore stat` counts: the machine, the events and the work. */
#include "cli/show/kernel_events.h"
#include "cli/measure/recorded.h"
#include "cli/measure/stat.h"

#include "event/hint.h"
#include "machine/kernel_events.h"
#include "machine/machine.h"

#include <string.h>

static const char *joined(bx_arena *a, const char *const *words, size_t n, const char *between)
{
    bx_buf text = {0};
    for (size_t i = 0; i < n; i++) {
        bx_buf_z(&text, i ? between : "");
        bx_buf_z(&text, words[i]);
    }
    const char *copy = bx_arena_copy(a, (bx_str){text.p, text.n});
    a->failed |= text.failed;
    bx_buf_free(&text);
    return copy;
}

static const char *joined_texts(bx_arena *a, const bx_texts *texts, const char *between)
{
    return joined(a, (const char *const *)texts->text, texts->n, between);
}

/* The events that the CPU's catalogue file recommends. */
static const char *picks(const bx_cli *cli, int cpu, bx_arena *a)
{
    bx_span span = bx_cat_cpus(cli->catalog)[cpu].defaults;
    const char **words = bx_arena_get(a, (span.n + 1u) * sizeof *words);
    for (unsigned i = 0; words && i < span.n; i++)
        words[i] = bx_cat_z(cli->catalog, bx_cat_picks(cli->catalog)[span.first + i].event);
    return words ? joined(a, words, span.n, ",") : NULL;
}

/* Options that were not given are those of the recording. */
static void take_recorded(bx_stat *s, const bx_machine *m)
{
    bx_arena *a = &s->cli->arena;
    const bx_recorded r = bx_recorded_read(m, a);
    s->job.events_text = r.events;
    s->view.subject = r.subject ? r.subject : "";
    if (!s->own.interval)
        s->own.interval = r.interval;
    if (s->own.repeat == 1 && r.runs)
        s->own.repeat = r.runs;
    if (r.repeat)
        s->own.passes = BX_STAT_REPEAT;
    const char *words[] = {"# replayed from ", s->o->host.replay};
    s->view.note = joined(a, words, sizeof words / sizeof *words, "");
}

static int describe_machine(bx_stat *s)
{
    bx_arena *a = &s->cli->arena;
    const bx_machine *m = s->machine;
    s->view.note = NULL;
    s->view.clock = NULL;
    const char *name = bx_arena_copy(a, bx_str_of(bx_machine_name(m)));
    s->job.machine = s->view.machine = name;
    s->job.host = &s->o->host;
    s->source.cpu = bx_machine_cpu(m);
    s->source.hz = bx_machine_hz(m);
    if (bx_machine_is_virtual(m))
        s->view.clock =
            bx_cat_z(s->cli->catalog, bx_cat_cpus(s->cli->catalog)[s->source.cpu].clock);
    if (bx_machine_is_replayed(m))
        take_recorded(s, m);
    const char *because = bx_machine_chosen_because(m);
    if (because) {
        const char *words[] = {"# counted on a virtual machine, ", name, ": ", because};
        s->view.note = joined(a, words, sizeof words / sizeof *words, "");
    }
    if (m->host.helper) {
        const char *words[] = {"# counted through the helper at ", m->host.helper_socket};
        s->view.note = joined(a, words, sizeof words / sizeof *words, "");
    }
    return a->failed ? BX_NO_MEMORY : BX_OK;
}

/* The events to count if none were given. */
static const char *default_events(bx_stat *s)
{
    bx_arena *a = &s->cli->arena;
    if (bx_machine_bus(s->machine))
        return picks(s->cli, s->source.cpu, a);
    s->view.note = bx_kernel_remark(s->machine, a);
    return bx_kernel_picks(s->machine, a);
}

/* The element of the list that contains the error. */
static bx_str element_at(const char *text, size_t at)
{
    bx_str whole = bx_str_of(text);
    size_t from = 0, to = 0;
    bool slashes = false;
    for (; to < whole.n; to++) {
        char ch = whole.p[to];
        slashes ^= ch == '/';
        if (slashes || !strchr(",{}", ch))
            continue;
        if (to >= at)
            break;
        from = to + 1;
    }
    return bx_str_trim(bx_str_sub(whole, from, to - from));
}

/* Chooses the error to report: the virtual machine's, *own, or the kernel's, *e. */
static void choose_error(bx_stat *s, bx_machine *host, const bx_error *own, bx_error *e)
{
    bx_str part = element_at(s->job.events_text, own->at);
    if (!bx_machine_kernel_knows(host, part)) {
        bool is_pmu = bx_str_find(part, '/', 0) >= 0;
        bool is_kernels = e->code == BX_NOT_FOUND && !bx_hint_is_likeness(own) &&
                          (is_pmu || bx_hint_is_likeness(e));
        *e = is_kernels ? *e : *own;
    } else if (e->code == BX_OK || e->code == BX_NO_ACCESS) {
        *e = (bx_error){0};
        bx_fail(e, BX_NO_FIT, own->at, part.n,
                "this machine's kernel counts '%s', but not all of the others",
                bx_quote(part).text);
        bx_hint(e, "two measurements: --machine host, and --machine %s for the others",
                s->view.machine);
    }
}

/* No machine was named, and the default virtual one lacks an event. If a host's kernel has all the
 * events, they are counted there. */
static int ask_kernel(bx_stat *s, bx_evsel *events, size_t room, size_t *n, const bx_error *own,
                      bx_error *e)
{
    bx_machine *host;
    bx_error its = {0};
    bx_machine_options options = s->o->host;
    options.record = NULL; /* nothing is measured yet */
    options.driver = BX_DRIVER_AUTO;
    *e = *own;
    if (!bx_machine_chosen_because(s->machine) || s->o->workloads.n)
        return e->code;
    if (bx_machine_open_with(s->cli->catalog, "host", &options, &host, NULL)) {
        bx_machine_hint_at_sysfs(e);
        return e->code;
    }
    *e = (bx_error){0};
    int code = bx_machine_events_parse(host, s->job.events_text, events, room, n, &its);
    if (s->o->host.driver == BX_DRIVER_REGISTERS && !code) {
        bx_fail(e, BX_NO_FIT, own->at, own->len,
                "this is counted by the kernel, and only accesses to registers are recorded");
        bx_hint(e, "leave --record out");
        bx_machine_close(host);
        return BX_NO_FIT;
    }
    if (!code && bx_kernel_only(events, *n)) {
        bx_machine_close(s->machine);
        s->machine = host;
        return describe_machine(s) ? bx_out_of_memory(e) : BX_OK;
    }
    choose_error(s, host, own, &its);
    bx_machine_close(host);
    *e = its;
    return e->code;
}

int bx_stat_events(bx_stat *s, bx_error *e)
{
    bx_arena *a = &s->cli->arena;
    const bx_texts *given = &s->o->events;
    if (given->n || !s->job.events_text) /* else the recording has it */
        s->job.events_text = given->n ? joined_texts(a, given, ",") : default_events(s);
    size_t room = 1;
    for (const char *p = s->job.events_text; p && *p; p++)
        room += *p == ',';
    bx_evsel *events = bx_arena_get(a, room * sizeof *events);
    if (a->failed)
        return bx_out_of_memory(e);
    size_t n;
    s->about = s->job.events_text;
    bx_error own = {0};
    int code = bx_machine_events_parse(s->machine, s->job.events_text, events, room, &n, &own);
    if (code)
        code = ask_kernel(s, events, room, &n, &own, e);
    if (code)
        return code;
    s->source.events = s->job.events = events;
    s->source.events_n = s->job.events_n = n;
    s->source.kernel = bx_kernel_report_events(s->machine, events, n, a);
    return s->source.kernel ? BX_OK : bx_out_of_memory(e);
}

int bx_stat_notes(bx_stat *s, bx_error *e)
{
    const bx_recorded r = {
        .events = s->job.events_text,
        .subject = s->view.subject,
        .interval = s->o->interval,
        .runs = s->o->repeat,
        .repeat = s->o->passes == BX_STAT_REPEAT,
    };
    s->own.host.notes = bx_recorded_notes(&r, &s->cli->arena);
    return s->own.host.notes ? BX_OK : bx_out_of_memory(e);
}

int bx_stat_open_machine(bx_stat *s, bx_error *e)
{
    s->about = s->o->machine;
    bx_machine_options host = s->o->host;
    host.record = NULL; /* nothing is measured yet */
    int code = bx_machine_open_with(s->cli->catalog, s->o->machine, &host, &s->machine, e);
    if (!code && describe_machine(s))
        code = bx_out_of_memory(e);
    return code;
}

int bx_stat_work(bx_stat *s, const bx_texts *operands, bx_error *e)
{
    bx_arena *a = &s->cli->arena;
    const char *quote = "'";
    if (s->o->workloads.n) {
        s->job.workload = s->o->workloads.text[0];
        const char *words[] = {"workload '", s->job.workload, quote};
        s->view.subject = joined(a, words, 3, "");
    } else {
        const char *words[] = {quote, joined_texts(a, operands, " "), quote};
        s->view.subject = words[1] ? joined(a, words, 3, "") : NULL;
        s->job.program = operands->text;
    }
    return a->failed ? bx_out_of_memory(e) : BX_OK;
}
