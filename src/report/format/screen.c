/* The first screen: at most ten lines of 80 columns, in the order and form of `perf stat`. */
#include "base/printable.h"
#include "report/advice.h"
#include "report/format/formats.h"
#include "report/format/text_parts.h"
#include "report/screen.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, VALUE = 18, UNIT = 4, WORD = 18, BESIDE = 7 };
/* With several runs the columns are narrower, and their deviation is after them. */
enum { VALUE_OF_RUNS = 15, BESIDE_OF_RUNS = 6 };

/* ---- the title ---- */

/* A real processor that a machine string names: "virtual:skl,part=i7-6700k". */
typedef struct part {
    char title[48];   /* "Core i7-6700K"; "": none is named */
    char machine[64]; /* the string without it */
} part;

static part part_of(const bx_measured *of)
{
    static const char key[] = ",part=";
    part p = {.title = ""};
    const char *at = strstr(of->machine, key);
    snprintf(p.machine, sizeof p.machine, "%s", of->machine);
    if (!at || of->cpu < 0 || strlen(of->machine) >= sizeof p.machine)
        return p;
    const char *name = at + sizeof key - 1;
    size_t n = strcspn(name, ",");
    bx_span parts = bx_cat_cpus(of->catalog)[of->cpu].parts;
    for (unsigned i = 0; i < parts.n; i++) {
        const bx_cat_preset *preset = &bx_cat_presets(of->catalog)[parts.first + i];
        bx_str title = bx_cat_str(of->catalog, preset->title);
        if (!bx_str_eq_fold((bx_str){name, n}, bx_cat_str(of->catalog, preset->name)) ||
            bx_str_starts_fold(title, BX_STR("no ")))
            continue;
        title = bx_str_cut(&title, ',');
        snprintf(p.title, sizeof p.title, "%.*s", (int)title.n, title.p);
        snprintf(p.machine + (at - of->machine), sizeof p.machine - (size_t)(at - of->machine),
                 "%s", name + n);
    }
    return p;
}

/* "on a Core i7-6700K (virtual:skl)", "on two Xeon X (virtual:ivbep)", "on virtual:skl". */
static void add_machine(const bx_measured *of, bx_buf *to)
{
    const part p = part_of(of);
    bool several = bx_str_starts_fold(bx_str_of(p.title), BX_STR("two ")) ||
                   bx_str_starts_fold(bx_str_of(p.title), BX_STR("four "));
    if (*p.title)
        bx_buf_f(to, " on %s%s (", several ? "" : "a ", p.title);
    else
        bx_buf_z(to, " on ");
    bx_buf_name(to, *p.title ? p.machine : of->machine);
    bx_buf_z(to, *p.title ? ")" : "");
}

/* The characters from the `first` on, `n` of them. */
static void add_characters(bx_str text, size_t first, size_t n, bx_buf *to)
{
    for (size_t i = 0; text.n && i < first + n; i++) {
        bx_str character = bx_next_printable(&text);
        if (i >= first)
            bx_buf_str(to, character);
    }
}

/* Adds the text, without its middle if it is longer than `room`. */
static void add_cut(const char *text, size_t room, bx_buf *to)
{
    static const char dots[] = "...";
    bx_buf whole = {.whole = &to->failed};
    bx_buf_name(&whole, text);
    size_t n = bx_text_width(bx_buf_text(&whole));
    bx_str printable = bx_str_of(bx_buf_text(&whole));
    if (n <= room) {
        bx_buf_str(to, printable);
    } else {
        size_t kept = room - (sizeof dots - 1), behind = kept / 2;
        add_characters(printable, 0, kept - behind, to);
        bx_buf_z(to, dots);
        add_characters(printable, n - behind, behind, to);
    }
    bx_buf_free(&whole);
}

/* What is longer than the line loses its middle: first the subject, then the machine. */
static void add_title(const bx_report *r, bx_buf *to)
{
    static const char before[] = " Performance counter stats for ";
    enum { BEFORE = sizeof before - 1, LEAST = 15 /* of the subject */ };
    bx_buf machine = {.whole = &to->failed};
    add_machine(r->of, &machine);
    size_t n = bx_text_width(bx_buf_text(&machine)), most = WIDTH - BEFORE - LEAST - 1;
    n = n < most ? n : most;
    bx_buf_z(to, "\n");
    bx_buf_z(to, before);
    add_cut(r->of->subject, WIDTH - BEFORE - n - 1, to);
    add_cut(bx_buf_text(&machine), n, to);
    bx_buf_z(to, ":\n");
    bx_buf_free(&machine);
}

/* Adds a line of words, with this character between them, as lines of at most 80 columns. */
static void add_wrapped(bx_str line, char between, const char *before, bx_buf *to)
{
    size_t column = 0;
    while (line.p) {
        bx_str word = bx_str_cut(&line, between);
        if (column && column + 1 + word.n > WIDTH) {
            bx_buf_z(to, "\n");
            column = 0;
        }
        bx_buf_z(to, column ? " " : before);
        column += column ? 1 : strlen(before);
        bx_buf_printable(to, word);
        column += word.n;
    }
    bx_buf_z(to, "\n");
}

static void add_begin(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (r->of->note)
        add_wrapped(bx_str_sub(bx_str_of(r->of->note), strlen("# "), SIZE_MAX), ' ', "# ", to);
    add_title(r, to);
    if (v->repeated)
        bx_buf_f(to, " +- is the 95 %% confidence interval of the mean of %u runs\n", r->elapsed.n);
    bx_text_undocumented(r, " ", to);
    bx_text_drivers(r, " ", to);
    bx_buf_z(to, "\n");
}

/* ---- the lines ---- */

/* Two decimals, as perf has them, unless they would hide the number. */
static const char *short_number(double value, char to[BX_NUMBER])
{
    bool hides = value > 0 && value < 0.01;
    return hides || value >= 1000 ? bx_number_figure(value, to) : bx_number_plain(value, 2, to);
}

const char *bx_screen_number(const bx_screen_line *line, char to[BX_NUMBER])
{
    return line->instead ? line->instead
           : line->whole ? bx_number_whole((uint64_t)(line->value + 0.5), to)
                         : short_number(line->value, to);
}

static void add_line(const bx_screen_line *line, const bx_view *v, bx_buf *to)
{
    char number[BX_NUMBER];
    size_t begin = to->n;
    bx_text_right(to, bx_screen_number(line, number), v->repeated ? VALUE_OF_RUNS : VALUE);
    bx_buf_z(to, " ");
    bx_text_left(to, line->unit, UNIT);
    bx_buf_z(to, " ");
    bool more = line->beside_unit || line->whole_machine || v->repeated;
    bx_text_left(to, line->word, more ? WORD : 0);
    if (line->beside_unit) {
        bx_buf_z(to, " # ");
        bx_text_right(to, short_number(line->beside, number),
                      v->repeated ? BESIDE_OF_RUNS : BESIDE);
        bx_buf_f(to, " %s", line->beside_unit);
    }
    if (line->whole_machine)
        bx_buf_z(to, line->beside_unit ? ", whole machine" : " # of the whole machine");
    if (v->repeated && line->stats && line->stats->n > 1) {
        enum { DEVIATION = 9 }; /* " +- 0.12%" */
        size_t taken = to->n - begin;
        bx_text_pad(to, taken + DEVIATION < WIDTH ? WIDTH - DEVIATION - taken : 0);
        bx_buf_z(to, " +-");
        bx_text_right(to, bx_number_plain(bx_running_stats_confidence(line->stats), 2, number), 5);
        bx_buf_z(to, "%");
    }
    bx_text_trim(to);
    bx_buf_z(to, "\n");
}

/* "cycles: 52 % memory, 48 % base" */
static void add_stack(const bx_report *r, bx_buf *to)
{
    bx_screen_part parts[BX_SCREEN_PARTS];
    size_t n = bx_screen_stack(r, parts);
    bx_buf line = {.whole = &to->failed};
    for (size_t i = 0; i < n; i++)
        bx_buf_f(&line, "%s%u %% %s", i ? ",\n" : "cycles: ", parts[i].percent, parts[i].name);
    if (n) {
        bx_buf_z(to, "\n");
        add_wrapped((bx_str){line.p, line.n}, '\n', "     ", to);
    }
    bx_buf_free(&line);
}

/* Names the lines whose values are estimates. */
static void add_scaled(const bx_report *r, bx_buf *to)
{
    bx_buf names = {.whole = &to->failed};
    bx_screen_line line;
    for (size_t i = 0; i < r->of->screen_n; i++)
        if (bx_screen_line_of(r, i, &line) && line.scaled && !line.instead)
            bx_buf_f(&names, "%s%s",
                     names.n ? ", " : "Counted in parts of the time, and scaled: ", line.word);
    if (names.n) {
        bx_buf_z(&names, ". Their errors: --all");
        bx_buf_z(to, "\n");
        add_wrapped((bx_str){names.p, names.n}, ' ', "     ", to);
    }
    bx_buf_free(&names);
}

static void add_lines(const bx_report *r, const bx_view *v, bx_buf *to)
{
    bx_screen_line line;
    for (size_t i = 0; i < r->of->screen_n; i++)
        if (bx_screen_line_of(r, i, &line))
            add_line(&line, v, to);
    add_stack(r, to);
    add_scaled(r, to);
}

/* ---- the end ---- */

static void add_end(const bx_report *r, const bx_view *v, bx_buf *to)
{
    char number[BX_NUMBER];
    bx_buf_z(to, r->of->remark ? "\n" : "");
    for (bx_str rest = bx_str_of(r->of->remark ? r->of->remark : ""); r->of->remark && rest.p;)
        add_wrapped(bx_str_trim(bx_str_cut(&rest, '\n')), ' ', " ", to);
    bx_buf_z(to, "\n     ");
    if (bx_advice(r, to))
        bx_buf_z(to, "\n     ");
    bx_buf_z(to, "More: -M GROUP (boxscore list --metrics), --all\n\n");
    bx_text_right(to, bx_number_plain(r->elapsed.mean / r->of->hz, 9, number), VALUE);
    bx_buf_z(to, " seconds time elapsed");
    bx_buf_z(to, r->of->clock ? " (virtual time)" : "");
    if (v->repeated)
        bx_buf_f(to, "  ( +-%s%% )",
                 bx_number_plain(bx_running_stats_confidence(&r->elapsed), 2, number));
    bx_buf_z(to, "\n\n");
}

const bx_report_format bx_screen_format = {
    .begin = add_begin,
    .lines = add_lines,
    .end = add_end,
};
