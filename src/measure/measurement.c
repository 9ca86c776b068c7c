/* Determines what is counted: the machine, the events and the work. */
#include "measure/measurement.h"

#include "event/parse/list.h"
#include "event/hint.h"
#include "event/row_name.h"
#include "machine/kernel_events.h"
#include "machine/program/trace/file.h"
#include "measure/default_events.h"
#include "measure/kernel_names.h"
#include "measure/machines.h"
#include "measure/metric_choice.h"
#include "measure/numbers.h"
#include "measure/remarks.h"
#include "measure/recorded.h"
#include "measure/window.h"

#include <string.h>
#include <sys/stat.h>

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

/* Without events and metrics of its own a replay shows the first screen, if the log was made with
 * one. */
static void take_screen(bx_measurement *m, const char *list)
{
    const char **words = bx_arena_get(m->arena, BX_SCREEN_WORDS * sizeof *words);
    if (!words || m->o.events || m->o.metrics)
        return;
    m->measured->screen = words;
    for (bx_str rest = bx_str_of(list); rest.p && m->measured->screen_n < BX_SCREEN_WORDS;)
        words[m->measured->screen_n++] = bx_arena_copy(m->arena, bx_str_cut(&rest, ','));
}

/* Takes the options from a register log. The measurement is repeated as it was recorded; only the
 * requested part is shown. */
static int take_recorded(bx_measurement *m, bx_error *e)
{
    bx_arena *a = m->arena;
    const bx_recorded r = bx_recorded_read(m->machine, a);
    m->events_text = r.events;
    m->measured->subject = r.subject ? r.subject : "";
    int code = bx_recorded_check(&r, m->host.replay, &m->o, e);
    if (code)
        return code;
    m->every = m->o.no_intervals ? 0 : m->o.interval ? m->o.interval / r.interval : 1;
    m->o.interval = r.interval;
    if (m->o.runs <= 1 && r.runs)
        m->o.runs = r.runs;
    m->measured->environment = r.environment;
    m->measured->environment_n = r.environment_n;
    if (r.repeat)
        m->o.passes = BX_PASSES_REPEAT;
    if (r.screen)
        take_screen(m, r.screen);
    const char *words[] = {"# replayed from ", m->host.replay};
    m->measured->note = joined(a, words, sizeof words / sizeof *words, "");
    return a->failed ? bx_out_of_memory(e) : BX_OK;
}

static int describe_machine(bx_measurement *m, bx_error *e)
{
    bx_arena *a = m->arena;
    const bx_machine *machine = m->machine;
    const bx_catalog *c = machine->topology.catalog;
    const char *name = bx_arena_copy(a, bx_str_of(bx_machine_name(machine)));
    *m->measured = (bx_measured){.catalog = c,
                                 .cpu = bx_machine_cpu(machine),
                                 .hz = bx_machine_hz(machine),
                                 .numbers = bx_numbers_of(machine),
                                 .machine = name};
    if (*machine->undocumented)
        m->measured->undocumented = bx_arena_copy(a, bx_str_of(machine->undocumented));
    m->cores = bx_machine_cores(machine);
    if (bx_machine_can(machine)->counts_cycles)
        m->measured->clock = bx_cat_z(c, bx_cat_cpus(c)[m->measured->cpu].clock);
    int code = bx_machine_can(machine)->is_recorded && !m->lent ? take_recorded(m, e) : BX_OK;
    if (code)
        return code;
    const char *because = bx_machine_chosen_because(machine);
    if (because) {
        const char *words[] = {"# counted on a virtual machine, ", name, ": ", because};
        m->measured->note = joined(a, words, sizeof words / sizeof *words, "");
    }
    const char *helper = bx_machine_helper(machine);
    if (helper) {
        const char *words[] = {"# counted through the helper at ", helper};
        m->measured->note = joined(a, words, sizeof words / sizeof *words, "");
    }
    return a->failed ? bx_out_of_memory(e) : BX_OK;
}

/* The events to count if none were given. */
static const char *default_events(bx_measurement *m)
{
    bx_arena *a = m->arena;
    if (!bx_machine_bus(m->machine))
        m->measured->note = bx_kernel_remark(m->machine, a);
    bx_default_events *found = bx_arena_get(a, sizeof *found);
    if (!found)
        return NULL;
    *found = bx_default_events_of(m->machine, m->host.log_registers != NULL, a);
    m->measured->screen = found->screen;
    m->measured->screen_n = found->screen_n;
    return found->text;
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
static void choose_error(const bx_measurement *m, bx_machine *host, const bx_error *own,
                         bx_error *e)
{
    bx_str part = element_at(m->events_text, own->at);
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
        bx_hint(e, "two measurements: on the machine 'host', and on %s for the others",
                m->measured->machine);
    }
}

/* No machine was named, and the default virtual one lacks an event. If a host's kernel has all the
 * events, they are counted there. */
static int ask_kernel(bx_measurement *m, bx_evsel *events, size_t room, size_t *n,
                      const bx_error *own, bx_error *e)
{
    bx_machine *host;
    bx_error its = {0};
    bx_machine_options options = m->host;
    options.log_registers = NULL; /* nothing is measured yet */
    options.driver = BX_DRIVER_AUTO;
    *e = *own;
    if (m->lent || !bx_machine_chosen_because(m->machine) || m->o.workload || m->overflow.name)
        return e->code;
    if (bx_machine_open_with(m->catalog, "host", &options, &host, &its)) {
        bx_machine_hint_at_sysfs(e);
        if (its.code == BX_NO_MEMORY)
            *e = its;
        return e->code;
    }
    *e = (bx_error){0};
    int code = bx_machine_events_parse(host, m->events_text, events, room, n, &its);
    if (m->host.driver == BX_DRIVER_REGISTERS && !code) {
        bx_fail(e, BX_NO_FIT, own->at, own->len,
                "this is counted by the kernel, and only accesses to registers are recorded");
        bx_hint(e, "leave the register log out");
        bx_machine_close(host);
        return BX_NO_FIT;
    }
    if (!code && bx_kernel_only(events, *n)) {
        bx_machine_close(m->machine);
        m->machine = host;
        return describe_machine(m, e);
    }
    choose_error(m, host, own, &its);
    bx_machine_close(host);
    *e = its;
    return e->code;
}

/* No machine was named, and a kernel has all the events: the host's counts them, if there is one.
 * The model of the default virtual machine counts them otherwise. */
static int prefer_host(bx_measurement *m, bx_evsel *events, size_t room, size_t *n, bx_error *e)
{
    bx_error none = {0}, its = {0};
    bool chosen = !m->lent && bx_machine_chosen_because(m->machine);
    if (!chosen || m->o.workload || m->o.trace || m->o.metrics || m->overflow.name ||
        !bx_machine_only_of_kernels(m->machine, events, *n))
        return BX_OK;
    const bx_machine *before = m->machine;
    size_t found = *n;
    int code = ask_kernel(m, events, room, &found, &none, &its);
    if (m->machine != before || code == BX_NO_MEMORY) {
        *e = its;
        return code;
    }
    return bx_machine_events_parse(m->machine, m->events_text, events, room, n, e);
}

/* The text of all named events. If none are named, the default events are counted. With an overflow
 * or metrics there are no default events: their own events are added later. */
static const char *all_events(bx_measurement *m)
{
    return m->o.events ? m->o.events : m->overflow.name || m->o.metrics ? "" : default_events(m);
}

static int read_overflow(bx_measurement *m, bx_error *e)
{
    bx_measurement_about(m, m->o.until ? "until" : "sample", m->o.until ? m->o.until : m->o.sample);
    return m->about ? bx_overflow_event_read(m->machine, m->about, m->arena, &m->overflow, e)
                    : BX_OK;
}

static void add_overflow(bx_measurement *m, bx_evsel *events, size_t *n)
{
    size_t listed = *n;
    m->overflow_event =
        bx_overflow_event_add(m->machine, &m->overflow, m->arena, events, n, &m->events_text);
    m->measured->events_n = m->o.sample ? listed : *n;
    m->measured->stop = m->overflow.name;
}

/* Room for the events of a list, and for the event of an overflow. */
static bx_evsel *room_for_events(bx_measurement *m, const char *text, size_t *room)
{
    *room = bx_events_most(text) + 1;
    return bx_arena_get(m->arena, *room * sizeof(bx_evsel));
}

/* Takes the names of rows from the texts of the events in the list. false: out of memory. */
static bool name_rows(bx_measurement *m, const char *text)
{
    const bx_measured *measured = m->measured;
    const char **names = bx_arena_get(m->arena, (measured->events_n + 1) * sizeof *names);
    bx_str whole = bx_str_of(text);
    for (size_t i = 0; names && i < measured->events_n; i++) {
        const bx_evsel *event = &measured->events[i];
        bx_str name =
            bx_event_row_name(measured->catalog, event, bx_str_sub(whole, event->at, event->len));
        names[i] = name.p ? bx_arena_copy(m->arena, name) : NULL;
    }
    m->measured->names = names;
    return names && !m->arena->failed;
}

/* Chooses the recorded events that are named in a replay. */
static int choose_recorded(bx_measurement *m, bx_error *e)
{
    bx_arena *a = m->arena;
    const char *text = m->o.events;
    size_t n = 0, room;
    bx_evsel *events = room_for_events(m, text, &room);
    uint16_t *recorded = bx_arena_get(a, room * sizeof *recorded);
    if (a->failed)
        return bx_out_of_memory(e);
    bx_measurement_about(m, "events", text);
    int code = bx_machine_events_parse(m->machine, text, events, room, &n, e);
    if (!code && n == 0)
        code = bx_fail(e, BX_BAD_INPUT, 0, 0, "there are no events to show");
    for (size_t i = 0; i < n && !code; i++) {
        code = bx_machine_unit_exists(m->machine, &events[i], e);
        if (!code)
            code = bx_recorded_find(m, &events[i], &recorded[i], e);
    }
    m->measured->events = events;
    m->measured->events_n = n;
    m->recorded = recorded;
    return !code && !name_rows(m, text) ? bx_out_of_memory(e) : code;
}

/* Whether events that do not fit at once are multiplexed through registers. They are not if the
 * kernel counts them, in groups of its own, or if each pass has its own run. */
static bool takes_turns(const bx_measurement *m)
{
    bool banks = m->o.passes == BX_PASSES_AUTO && bx_machine_has_banks(m->machine);
    return !banks && m->o.passes != BX_PASSES_REPEAT && !bx_machine_kernel_may_count(m->machine);
}

/* Appends the events of the metrics to those that were named; a register log has all the events
 * that there are. */
static int add_metrics(bx_measurement *m, bool replayed, bx_evsel **events, size_t *n, bx_error *e)
{
    bx_arena *a = m->arena;
    bx_metric_choice metrics;
    if (!m->o.metrics)
        return BX_OK;
    bx_measurement_about(m, "metrics", m->o.metrics);
    int code = bx_metric_choice_read(m->machine, m->about, a, &metrics, e);
    if (code)
        return code;
    m->measured->metrics = metrics.asked;
    if (replayed)
        return BX_OK;
    return bx_metric_choice_add(m->machine, &metrics, takes_turns(m), a, events, n, &m->events_text,
                                e);
}

static int read_events(bx_measurement *m, bx_error *e)
{
    bx_arena *a = m->arena;
    bool replayed = m->events_text; /* then the register log has the events */
    if (!replayed)
        m->events_text = all_events(m);
    size_t n = 0, room;
    bx_evsel *events = room_for_events(m, m->events_text, &room);
    if (a->failed)
        return bx_out_of_memory(e);
    bx_measurement_about(m, "events", m->events_text);
    bx_error own = {0};
    int code = m->o.events || *m->events_text
                   ? bx_machine_events_parse(m->machine, m->events_text, events, room - 1, &n, &own)
                   : BX_OK;
    code = code ? ask_kernel(m, events, room, &n, &own, e) : prefer_host(m, events, room, &n, e);
    if (!code)
        code = add_metrics(m, replayed, &events, &n, e);
    if (code)
        return code;
    bx_measurement_about(m, "events", m->events_text);
    m->measured->events = events;
    m->measured->events_n = n;
    if (m->overflow.name)
        add_overflow(m, events, &n);
    m->counted = events;
    m->counted_n = n;
    if (!name_rows(m, m->events_text))
        return bx_out_of_memory(e);
    if (replayed && m->o.events && (code = choose_recorded(m, e)))
        return code;
    bx_note_nodes(&m->listener, &m->machine->topology, events, n);
    m->measured->kernel = bx_kernel_report_events(m->machine, events, n, a);
    return m->measured->kernel ? BX_OK : bx_out_of_memory(e);
}

/* Adds an additional first line, or adds to that line. */
static void add_note(bx_measurement *m, const char *text, const char *reason)
{
    const char *before = m->measured->note;
    const char *words[] = {before ? before : "# ", before ? "; " : "", text, reason};
    m->measured->note = joined(m->arena, words, sizeof words / sizeof *words, "");
}

/* Takes the command from the head of a trace file. Each run opens the file again. */
static int take_trace(bx_measurement *m, bx_error *e)
{
    bx_arena *a = m->arena;
    bx_trace_file *file;
    struct stat about = {0};
    if (stat(m->o.trace, &about) == 0 && !S_ISREG(about.st_mode)) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "'%s' is no regular file: a trace is read more than once",
                m->o.trace);
        bx_hint(e, "copy it to a file first");
        return BX_BAD_INPUT;
    }
    int code = bx_trace_file_open(m->o.trace, &file, e);
    if (code)
        return code;
    m->trace_bytes = (uint64_t)about.st_size;
    const bx_tracefile_head *head = bx_tracefile_reader_head(bx_trace_file_reader(file));
    const char *command = joined(a, (const char *const *)head->argument, head->arguments, " ");
    const char *words[] = {"trace '", m->o.trace, "' of '", command ? command : "", "'"};
    m->measured->subject = joined(a, words, sizeof words / sizeof *words, "");
    bx_trace_file_close(file);
    return a->failed ? bx_out_of_memory(e) : BX_OK;
}

/* Makes the subject "'PROGRAM', inside region 'a' or 'b'". */
static void add_inside(bx_measurement *m)
{
    bx_arena *a = m->arena;
    const char *names = joined(a, m->o.inside, m->o.inside_n, "' or '");
    const char *words[] = {m->measured->subject, ", inside region '", names, "'"};
    if (m->o.inside_n && !a->failed)
        m->measured->subject = joined(a, words, sizeof words / sizeof *words, "");
}

/* Makes the subject "process id '12' while 'PROGRAM' runs". The program only determines the
 * time. */
static void add_attached(bx_measurement *m)
{
    bx_arena *a = m->arena;
    if (!bx_attach_is_work(&m->o))
        return;
    const char *words[] = {bx_attach_subject(&m->o, a), " while ", m->measured->subject, " runs"};
    if (!a->failed)
        m->measured->subject = joined(a, words, sizeof words / sizeof *words, "");
}

/* Reads the options about time, and about running processes. */
static int read_span(bx_measurement *m, bx_error *e)
{
    bx_measure_options *o = &m->o;
    bx_measurement_about(m, NULL, NULL);
    if (o->delay && strcmp(o->delay, "-1") == 0) {
        m->delay = UINT64_MAX;
    } else if (o->delay && !bx_time_read(bx_str_of(o->delay), &m->delay)) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "delay cannot be '%s'", bx_quote(bx_str_of(o->delay)).text);
        bx_hint(e, "whole milliseconds, or with a unit: 500us; -1 waits for control");
        return BX_BAD_INPUT;
    }
    if (o->control && bx_machine_can(m->machine)->counts_cycles) {
        bx_fail(e, BX_NO_ACCESS, 0, 0,
                "control would cut a virtual machine's counts at chance times");
        bx_hint(e, "regions that the program marks are exact");
        return BX_NO_ACCESS;
    }
    int code = o->control ? bx_control_open(&m->control, o->control, &m->listener, e) : BX_OK;
    return code ? code : bx_attach_read(m->machine, o, m->arena, &m->attach, e);
}

static int refuse_regions(const char *because, bx_error *e)
{
    return bx_fail(e, BX_NO_ACCESS, 0, 0, "lackey sees no regions, and traces because %s", because);
}

static size_t words_of(char *const *argv)
{
    size_t n = 0;
    while (argv[n])
        n++;
    return n;
}

/* The program is what is counted, or only determines the time. */
static int take_program(bx_measurement *m, bx_error *e)
{
    bx_arena *a = m->arena;
    char *const *argv = m->o.program;
    const char *line = joined(a, (const char *const *)argv, words_of(argv), " ");
    const char *words[] = {"'", line ? line : "", "'"};
    m->measured->subject = joined(a, words, sizeof words / sizeof *words, "");
    add_inside(m);
    add_attached(m);
    const char *because = argv[0] ? bx_machine_lackey_because(m->machine, argv[0]) : NULL;
    if (because && (m->o.regions || m->o.inside_n))
        return refuse_regions(because, e);
    const bx_surroundings shown = bx_machine_surroundings(m->machine);
    if (!because && !bx_host_has_features(&shown))
        add_note(m, "counts will differ from those on other hosts: this one's CPU lacks ",
                 shown.features);
    if (because)
        add_note(m,
                 "traced with Valgrind's lackey, slowly, and without branches, misaligned "
                 "references and instruction mix: ",
                 because);
    return a->failed ? bx_out_of_memory(e) : BX_OK;
}

static int take_work(bx_measurement *m, bx_error *e)
{
    if (m->o.trace)
        return take_trace(m, e);
    if (m->o.program)
        return take_program(m, e);
    if (m->o.workload) {
        const char *words[] = {"workload '", m->o.workload, "'"};
        m->measured->subject = joined(m->arena, words, sizeof words / sizeof *words, "");
    } else {
        m->measured->subject = bx_attach_is_work(&m->o) ? bx_attach_subject(&m->o, m->arena) : "";
    }
    return m->arena->failed ? bx_out_of_memory(e) : BX_OK;
}

/* Makes the notes for the head of a register log, from events and work. The machine is closed here,
 * and opened again with the notes. */
static int set_notes(bx_measurement *m, bx_error *e)
{
    const bx_recorded r = {
        .events = m->events_text,
        .screen = m->measured->screen_n
                      ? joined(m->arena, m->measured->screen, m->measured->screen_n, ",")
                      : NULL,
        .subject = m->measured->subject,
        .lackey = m->o.program ? bx_machine_lackey_because(m->machine, m->o.program[0]) : NULL,
        .interval = m->o.interval,
        .runs = m->o.runs ? m->o.runs : 1,
        .repeat = m->o.passes == BX_PASSES_REPEAT,
        .environment = m->measured->environment,
        .environment_n = m->measured->environment_n,
        .shown = m->o.program ? bx_machine_surroundings(m->machine) : (bx_surroundings){0},
    };
    m->notes = bx_recorded_notes(&r, m->arena);
    bx_measurement_close(m);
    return m->notes ? BX_OK : bx_out_of_memory(e);
}

static int open_machine(bx_measurement *m, bx_error *e)
{
    bx_machine_options host = m->host;
    host.log_registers = NULL; /* nothing is measured yet */
    bx_measurement_about(m, "machine", m->spec);
    return bx_machine_open_with(m->catalog, m->spec, &host, &m->machine, e);
}

int bx_measurement_open(bx_measurement *m, bx_error *e)
{
    m->arena = &m->result->arena;
    m->measured = &m->result->measured;
    m->every = 1;
    int code = m->lent ? BX_OK : open_machine(m, e);
    if (!code)
        code = describe_machine(m, e);
    if (!code)
        code = read_overflow(m, e);
    if (!code)
        code = read_events(m, e);
    if (!code)
        code = read_span(m, e);
    if (!code && !m->host.replay)
        code = take_work(m, e);
    if (!code && !m->lent) /* its options are not known */
        bx_measurement_environment(m);
    if (!code && m->host.log_registers)
        code = set_notes(m, e);
    return code;
}

void bx_measurement_close(bx_measurement *m)
{
    if (m->machine && !m->lent) { /* nothing has been measured on it */
        bx_machine_drop_log(m->machine);
        bx_machine_close(m->machine);
    }
    m->machine = NULL;
    if (m->o.control)
        bx_control_close(&m->control);
}
