/* boxscore-top: counts on a terminal. `boxscore top` starts it with its own arguments. */
#include "cli/commands/commands.h"
#include "cli/commands/top.h"
#include "cli/common/demangle.h"
#include "cli/help/usage.h"
#include "cli/measure/interruption.h"
#include "live/prepare.h"
#include "top/tape.h"
#include "top/terminal.h"
#include "top/view.h"

#include "base/error.h"
#include "report/label.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    FRAME = 500,   /* ms between two pictures, … */
    PLAYED = 100,  /* … of a recording that plays */
    PATIENCE = 20, /* tenths of a second for a program to end by itself */
    KEPT = 600,    /* intervals */
    SERIES = 20000,
    TEXT_WIDTH = 100,
};

/* What the command shows: a measurement, or a recording. */
typedef struct top_run {
    const bx_top_options *o;
    bx_measuring m;
    bx_hottest hottest;
    bx_tape tape;
    bx_top_view view;
    bx_canvas canvas;
    bx_terminal *terminal;
    char state[96], remark[256];
    char *work;
    bool taped;
} top_run;

/* ---- a picture ---- */

static void tell_state(top_run *r)
{
    const bx_measuring *m = &r->m;
    uint64_t shown = 0;
    size_t slot;
    bx_top_slot(&r->view, &shown, &slot);
    const char *ended = r->canvas.utf8 ? "■" : "-", *runs = r->canvas.utf8 ? "●" : "*";
    if (r->o->batch) /* the same, however fast it is */
        snprintf(r->state, sizeof r->state, "interval %" PRIu64, shown + 1);
    else if (r->taped)
        snprintf(r->state, sizeof r->state, "recording");
    else if (!m->ended)
        snprintf(r->state, sizeof r->state, "%s running", runs);
    else if (m->error.code)
        snprintf(r->state, sizeof r->state, "%s failed", ended);
    else
        snprintf(r->state, sizeof r->state, "%s ended, exit status %d", ended, m->status);
    r->view.state = r->state;
    const char *all = r->taped             ? r->tape.remark
                      : m->error.code      ? m->error.message
                      : m->series.obstacle ? m->series.obstacle
                      : m->remarks.n       ? bx_buf_text(&m->remarks)
                                           : NULL;
    snprintf(r->remark, sizeof r->remark, "%.*s", all ? (int)strcspn(all, "\n") : 0,
             all ? all : "");
    r->view.remark = all ? r->remark : NULL;
}

static void choose_lines(top_run *r)
{
    bx_top_view *v = &r->view;
    if (r->taped)
        v->hottest = r->tape.hottest.events ? &r->tape.hottest : NULL;
    else
        v->hottest = r->m.hottest;
    if (v->hottest == &r->hottest)
        r->hottest.wanted = v->selected < v->s->n ? v->s->family[v->selected].event : NULL;
}

/* height 0: as many lines as it needs. */
static void draw_picture(top_run *r, int width, int height)
{
    if (!r->taped)
        pthread_mutex_lock(&r->m.lock);
    choose_lines(r);
    tell_state(r);
    if (bx_canvas_clear(&r->canvas, width, height ? height : bx_top_lines(&r->view, width)))
        bx_top_draw(&r->view, &r->canvas);
    if (!r->taped)
        pthread_mutex_unlock(&r->m.lock);
}

/* ---- without a screen ---- */

static int text_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    long given = columns ? strtol(columns, NULL, 10) : 0;
    if (given >= 20 && given <= 1000)
        return (int)given;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20 ? size.ws_col
                                                                             : TEXT_WIDTH;
}

static bool print_picture(top_run *r, bx_cli *cli)
{
    draw_picture(r, text_width(), 0);
    if (r->canvas.height == 0)
        bx_buf_fail(&cli->out);
    bx_canvas_print(&r->canvas, &cli->out);
    return bx_cli_flush(cli) && fflush(stdout) == 0;
}

static bool print_recording(top_run *r, bx_cli *cli)
{
    uint64_t first = bx_series_first(&r->tape.series), n = r->tape.series.intervals - first;
    uint64_t frames = r->o->frames && r->o->frames < n ? r->o->frames : n;
    bool written = true;
    for (uint64_t i = 0; i < frames && written && !bx_interruption_signal(); i++) {
        r->view.at = first + i;
        if (i)
            bx_buf_z(&cli->out, "\n");
        written = print_picture(r, cli);
    }
    return written;
}

/* A virtual machine stands still until its interval is printed, so none is left out. */
static bool print_intervals(top_run *r, bx_cli *cli)
{
    bx_measuring *m = &r->m;
    uint64_t seen = 0, printed = 0, most = r->o->frames ? r->o->frames : UINT64_MAX;
    bool written = true;
    while (written && printed < most && !bx_interruption_signal()) {
        bool ended = bx_measuring_ended(m);
        if (!bx_measuring_await(m, &seen, FRAME) && ended)
            break;
        if (seen == printed)
            continue;
        if (printed)
            bx_buf_z(&cli->out, "\n");
        printed = seen;
        written = print_picture(r, cli);
        bx_measuring_allow(m, seen + 1);
    }
    return written;
}

/* ---- the screen ---- */

static void act(top_run *r, enum bx_top_action action)
{
    uint64_t seen = UINT64_MAX;
    if (r->taped || action == BX_TOP_NOTHING)
        return;
    bx_measuring_await(&r->m, &seen, 0);
    bx_measuring_allow(&r->m, action == BX_TOP_GO_ON ? 0 : action == BX_TOP_STEP ? seen + 1 : seen);
}

/* A recording goes on by a row. */
static void play(top_run *r)
{
    bx_top_view *v = &r->view;
    if (!r->taped || v->paused)
        return;
    if (v->at + 1 < v->s->intervals)
        v->at++;
    else
        v->paused = true;
}

static void show_screen(top_run *r)
{
    bool goes_on = true;
    while (goes_on && !bx_interruption_signal()) {
        int width, height, key;
        bx_terminal_size(r->terminal, &width, &height);
        draw_picture(r, width, height);
        bx_terminal_show(r->terminal, &r->canvas);
        bool plays = r->taped && !r->view.paused;
        key = bx_terminal_key(r->terminal, plays ? PLAYED : FRAME);
        if (key < 0)
            play(r);
        if (bx_terminal_is_gone(r->terminal))
            break;
        for (; key >= 0 && goes_on; key = bx_terminal_key(r->terminal, 0)) {
            if (!r->taped)
                pthread_mutex_lock(&r->m.lock);
            enum bx_top_action action = bx_top_take_key(&r->view, key);
            if (!r->taped)
                pthread_mutex_unlock(&r->m.lock);
            goes_on = action != BX_TOP_QUIT;
            if (goes_on)
                act(r, action);
        }
    }
}

/* ---- a run ---- */

static char *work_text(const bx_measuring *m)
{
    bx_buf text = {0};
    if (m->how.replay)
        bx_buf_f(&text, "register log '%s'", m->how.replay);
    if (m->what.workload)
        bx_buf_f(&text, "workload '%s'", m->what.workload);
    if (m->what.trace)
        bx_buf_f(&text, "trace '%s'", m->what.trace);
    for (char *const *word = m->what.program; word && *word; word++)
        bx_buf_f(&text, "%s%s", text.n ? " " : "", *word);
    if (!text.n)
        bx_buf_z(&text, m->what.cpus ? "CPUs " : "all CPUs");
    if (m->what.cpus)
        bx_buf_z(&text, m->what.cpus);
    return text.p;
}

/* A program that does not end when it is asked to is killed, as by a second ^C. */
static void stop_measuring(top_run *r)
{
    uint64_t seen = UINT64_MAX;
    bx_measuring_ask_to_stop(&r->m);
    for (int i = 1; r->m.begun && !bx_measuring_ended(&r->m) && i <= 3 * PATIENCE; i++) {
        bx_measuring_await(&r->m, &seen, 0);
        bx_measuring_await(&r->m, &seen, 100);
        if (i % PATIENCE == 0)
            raise(SIGTERM);
    }
}

static void prepare_run(top_run *r, bx_cli *cli, const bx_texts *program)
{
    static const bx_measure_signals signals = {bx_interruption_signal, bx_interruption_ends,
                                               bx_interruption_pass_on};
    bx_measuring_prepare(&r->m, cli, &r->o->live, program);
    r->m.most = SERIES;
    r->m.keeps = KEPT;
    r->m.signals = &signals;
    r->m.allowed = r->o->batch;
    r->hottest = (bx_hottest){.demangle = bx_demangle, .always = r->o->batch};
    r->m.hottest = r->m.what.program || r->m.what.trace ? &r->hottest : NULL;
    r->view.s = &r->m.series;
    r->work = work_text(&r->m);
    r->view.work = r->work ? r->work : "";
}

static int open_source(top_run *r, bx_cli *cli, const bx_texts *program, bx_error *e)
{
    r->taped = r->o->input;
    bx_interruption_catch();
    if (r->taped) {
        r->view.s = &r->tape.series;
        r->view.is_recording = r->view.paused = true;
        int code = bx_tape_read(cli->catalog, r->o->input, &r->tape, e);
        r->view.work = r->tape.work ? r->tape.work : r->o->input;
        return code;
    }
    prepare_run(r, cli, program);
    return cli->arena.failed ? bx_out_of_memory(e) : bx_measuring_start(&r->m, e);
}

static int show(top_run *r, bx_cli *cli, const bx_texts *program, bx_error *e)
{
    int code = r->o->batch ? BX_OK : bx_terminal_take(&r->terminal, e);
    if (!code)
        code = open_source(r, cli, program, e);
    if (code)
        return code;
    if (r->o->batch)
        return (r->taped ? print_recording(r, cli) : print_intervals(r, cli)) ? BX_OK
                                                                              : BX_EXIT_ERROR;
    code = bx_terminal_begin(r->terminal, e);
    if (!code)
        show_screen(r);
    bx_terminal_end(r->terminal);
    r->terminal = NULL;
    return code;
}

/* What the measurement did not see: after the screen, where it stays to be read. */
static void tell_remarks(top_run *r)
{
    char *rest = r->m.remarks.p;
    for (char *line; rest && (line = strsep(&rest, "\n"));)
        if (*line)
            bx_cli_note("%s", line);
    if (r->m.series.obstacle && r->o->batch)
        bx_cli_note("%s", r->m.series.obstacle);
}

static int status_of(const top_run *r, bool ended, int signalled)
{
    if (signalled && !ended)
        return 128 + signalled;
    return ended && !r->taped ? r->m.status : BX_EXIT_OK;
}

static int run_screen(bx_cli *cli, const bx_top_options *o, const bx_texts *program)
{
    top_run r = {.o = o, .view = {.at = BX_TOP_LAST, .batch = o->batch}};
    bx_error e = {0};
    setlocale(LC_CTYPE, "");
    r.canvas.utf8 = !o->ascii && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    int code = show(&r, cli, program, &e), signalled = bx_interruption_signal();
    bx_terminal_end(r.terminal);
    bool ended = r.m.begun && bx_measuring_ended(&r.m);
    if (r.m.begun && !ended)
        stop_measuring(&r);
    if (!e.code && ended && r.m.error.code)
        e = r.m.error;
    tell_remarks(&r);
    int status = e.code ? bx_cli_error(&e, NULL) : code ? code : status_of(&r, ended, signalled);
    bx_measuring_stop(&r.m);
    bx_tape_free(&r.tape);
    bx_top_free(&r.view);
    bx_canvas_free(&r.canvas);
    free(r.work);
    return status;
}

int main(int argc, char *argv[])
{
    bx_cli cli = {.catalog = bx_catalog_builtin(), .commands = bx_commands};
    bx_top_options o;
    bx_arguments arguments;
    bx_error e = {0};
    (void)argc;
    int status = BX_EXIT_OK;
    if (!argv[0]) {
        status = BX_EXIT_USAGE;
    } else if (bx_options_parse(&bx_command_top, argv + 1, &o, &arguments, &cli.arena, &e)) {
        bx_cli_error(&e, NULL);
        status = BX_EXIT_USAGE;
    } else if (arguments.help) {
        bx_usage_command(&cli.out, &bx_command_top);
        bx_cli_flush(&cli);
    } else {
        status = run_screen(&cli, &o, &arguments.operands);
    }
    bx_buf_free(&cli.out);
    bx_arena_free(&cli.arena);
    return status;
}
