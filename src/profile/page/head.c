/* The first screen: what the time is, what rules have found, and where most of it is. */
#include "base/error.h"
#include "profile/format/formats.h"
#include "profile/page/page.h"
#include "report/number.h"

#include <stdlib.h>
#include <string.h>

/* docs/explanation/attribution.md, "Cycles" */
static const struct cause_words {
    const char *name, *words;
} words_of_causes[] = {
    {"issue", "executing instructions"},
    {"wait:l2", "for the core’s own second cache"},
    {"wait:flight", "for a line that is on its way"},
    {"wait:llc", "for the last-level cache"},
    {"wait:core", "for a line that another core has"},
    {"wait:package", "for a line that another package has"},
    {"wait:memory", "for memory"},
    {"wait:remote-memory", "for the memory of another package"},
    {"wait:turn", "for another core that uses the same line"},
    {"wait:tlb", "for page tables"},
    {"wait:kernel", "for the kernel’s accesses"},
    {"wait:buffer", "for a fill buffer"},
    {"wait:stores", "for room in the store buffer"},
    {"wait:lock", "at locked operations, for what was before"},
    {"wait:branch", "after mispredicted branches"},
    {"wait:end", "at the end, for what is on its way"},
    {"wait:fetch", "for instructions"},
    {"wait:data", "for data"},
};

const char *bx_html_words_of(const char *cause)
{
    for (size_t i = 0; i < sizeof words_of_causes / sizeof *words_of_causes; i++)
        if (strcmp(cause, words_of_causes[i].name) == 0)
            return words_of_causes[i].words;
    return "";
}

static int compare_totals(const void *a, const void *b)
{
    const bx_profile_event *x = *(const bx_profile_event *const *)a,
                           *y = *(const bx_profile_event *const *)b;
    return x->total != y->total ? (x->total < y->total ? 1 : -1) : strcmp(x->name, y->name);
}

/* All cycles as one bar, and in words. */
static void add_stack(const bx_profile *p, bx_buf *to)
{
    enum { PARTS_MOST = 64, WORDS_FROM = 10 /* percent of the width */ };
    const bx_profile_event *part[PARTS_MOST];
    size_t n = 0;
    for (uint32_t i = 0; i < p->events && n < PARTS_MOST; i++)
        if (p->event[i].cycles && p->event[i].total > 0)
            part[n++] = &p->event[i];
    if (!n || !p->time)
        return;
    qsort(part, n, sizeof *part, compare_totals);
    bx_buf_z(to, "<ul class=\"stack\">");
    for (size_t i = 0; i < n; i++) {
        double percent = 100.0 * (double)part[i]->total / (double)p->time;
        if (percent < 0.5)
            continue;
        bx_buf_f(to, "<li class=\"%s%s\" style=\"--part:%.1f\" title=\"%s\"><b>",
                 part[i]->wait ? "wait" : "issue", percent < WORDS_FROM ? " narrow" : "", percent,
                 bx_html_words_of(part[i]->name));
        bx_html_text(to, part[i]->wait ? part[i]->name + strlen("wait:") : "issue");
        bx_buf_f(to, " %.0f&nbsp;%%</b> <span>%s</span></li>", percent,
                 bx_html_words_of(part[i]->name));
    }
    bx_buf_z(to, "</ul>\n");
}

static void add_words_of(const bx_profile *p, bx_buf *to)
{
    bx_buf verdict = {.whole = &to->failed};
    const char *lack;
    bx_profile_verdict(p, &verdict);
    bx_buf_z(to, "<header><h1>");
    bx_html_title(p, to);
    bx_buf_z(to, "</h1>\n<p id=\"verdict\">");
    bx_html_text(to, bx_buf_text(&verdict));
    bx_buf_z(to, "</p>\n");
    add_stack(p, to);
    for (unsigned i = 0; (lack = bx_profile_lacks(p, i)); i++) {
        bx_buf_z(to, "<p class=\"lack\">");
        bx_html_text(to, lack);
        bx_buf_z(to, "</p>\n");
    }
    bx_buf_z(to, "</header>\n");
    bx_buf_free(&verdict);
}

/* ---- what rules have found ---- */

static const char *words_of_whole(const bx_profile *p, const char *of)
{
    for (uint32_t i = 0; i < p->events; i++)
        if (strcmp(p->event[i].name, of) == 0)
            return bx_html_label(&p->event[i]) ? bx_html_label(&p->event[i]) : of;
    return strcmp(of, "time") == 0 ? "all cycles" : of;
}

static void add_page_card(const bx_profile *p, uint32_t number, bx_buf *to)
{
    const bx_finding *f = &p->finding[number];
    bx_buf_f(to,
             "<li class=\"card\" data-finding=\"%u\"><b>%.0f&nbsp;%%</b> <span class=\"soft\">of ",
             number, 100 * f->share);
    bx_html_text(to, words_of_whole(p, f->of));
    bx_buf_z(to, "</span>\n<h3>cause: ");
    bx_html_text(to, f->rule);
    bx_buf_z(to, "</h3><p>");
    bx_html_text(to, f->text);
    bx_buf_z(to, "</p><p class=\"gain\">");
    bx_html_text(to, f->gain);
    bx_buf_z(to, "</p></li>\n");
}

enum { CARDS_MOST = 24 };

static void add_findings_of(const bx_profile *p, bx_buf *to)
{
    for (uint32_t i = 0; i < p->findings && i < CARDS_MOST; i++)
        add_page_card(p, i, to);
}

/* ---- where most of it is: no cause, but where to look ---- */

static int64_t total_ranked(const bx_profile_table *t)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < t->of->events; i++)
        sum += t->ranks[i] ? t->of->event[i].total : 0;
    return sum;
}

/* What the share of a card is of: cycles where it is one of waits. */
static int64_t whole_of(const bx_profile_table *t)
{
    return strcmp(t->sort, "wait") == 0 ? t->of->time : total_ranked(t);
}

static const char *text_of(const bx_cell *cell)
{
    return cell->kind == BX_CELL_TEXT ? cell->text : NULL;
}

/* What else this line has of this data: all columns of which it is a part. */
static void add_also(const bx_html *page, const bx_profile_table *t, const bx_profile_row *row,
                     bx_buf *to)
{
    const bx_profile *p = page->of;
    const bx_profile_event *most = NULL;
    int64_t waits = 0, count = 0, cycles = 0;
    for (uint32_t i = 0; i < p->events; i++) {
        cycles += p->event[i].cycles ? row->value[i] : 0;
        if (p->event[i].wait) {
            waits += row->value[i];
            most = row->value[i] > count ? &p->event[i] : most;
            count = row->value[i] > count ? row->value[i] : count;
        }
    }
    const char *comma = "Of all ";
    bx_buf_z(to, "<p class=\"soft\">");
    if (p->time)
        bx_buf_f(to, "It takes %.1f&nbsp;%% of all cycles. ",
                 100.0 * (double)cycles / (double)p->time);
    if (most)
        bx_buf_f(to, "%.0f&nbsp;%% of its cycles are waits, most of them (%.0f&nbsp;%%) %s. ",
                 100.0 * (double)waits / (double)cycles, 100.0 * (double)count / (double)waits,
                 bx_html_words_of(most->name));
    for (unsigned i = 0; i < page->columns; i++) {
        const bx_profile_event *event = &p->event[page->column[i]];
        if (t->ranks[page->column[i]] || 200 * row->value[page->column[i]] < event->total)
            continue;
        bx_buf_z(to, comma);
        comma = ", ";
        bx_html_text(to, page->label[i]);
        bx_buf_f(to, " %.0f&nbsp;%%",
                 100.0 * (double)row->value[page->column[i]] / (double)event->total);
    }
    bx_buf_z(to, "</p>");
}

static void add_hot_card(const bx_html *page, const bx_profile_table *t, uint32_t at,
                         const char *label, bx_buf *to)
{
    const bx_profile_row *row = &t->row[at];
    const char *place = text_of(&row->key[1]), *object = text_of(&row->key[2]);
    const char *end = place ? strrchr(place, '/') : NULL;
    const char *kind = text_of(&row->key[3]);
    bx_buf_f(to, "<li class=\"card hot\" data-function=\"");
    bx_html_text(to, text_of(&row->key[0]));
    bx_buf_z(to, "\" data-place=\"");
    bx_html_text(to, place);
    bx_buf_z(to, "\" data-object=\"");
    bx_html_text(to, object);
    bx_buf_f(to, "\"><b>%.0f&nbsp;%%</b> <span class=\"soft\">of all ",
             100.0 * (double)row->rank / (double)whole_of(t));
    bx_html_text(to, label);
    bx_buf_z(to, "</span>\n<h3>");
    bx_html_text(to, text_of(&row->key[0]));
    bx_buf_z(to, place ? ", " : "");
    bx_html_text(to, end ? end + 1 : place);
    bx_buf_z(to, "</h3><p>");
    if (object && kind && strcmp(kind, "none") != 0) {
        bx_buf_z(to, "data: ");
        bx_html_text(to, kind);
        bx_buf_z(to, " <code>");
        bx_html_text(to, object);
        bx_buf_z(to, "</code>");
    }
    bx_buf_z(to, "</p>");
    add_also(page, t, row, to);
    bx_buf_z(to, "</li>\n");
}

/* A row that an earlier card has, by its names. */
static bool has_card(const bx_profile_table *const *earlier, const uint32_t *row, unsigned n,
                     const bx_profile_row *is)
{
    for (unsigned i = 0; i < n; i++) {
        bool same = true;
        for (unsigned k = 0; k < 3; k++)
            same &= bx_same_text(text_of(&earlier[i]->row[row[i]].key[k]), text_of(&is->key[k]));
        if (same)
            return true;
    }
    return false;
}

/* A finding says more of the same function and data. */
static bool has_finding(const bx_profile *p, const bx_profile_row *is)
{
    const char *function = text_of(&is->key[0]), *object = text_of(&is->key[2]);
    for (uint32_t i = 0; i < p->findings; i++) {
        const bx_finding *f = &p->finding[i];
        if (f->function && function && strcmp(f->function, function) == 0 &&
            bx_same_text(f->object, object))
            return true;
    }
    return false;
}

enum { HOT_CARDS_MOST = 8, HOT_QUESTIONS = 1 + BX_HTML_COLUMNS_MOST, HOT_ROWS = 3 };

/* Of all waits and of each column, what has at least a tenth. */
static int add_hot_cards(bx_html *page, bx_buf *to, bx_error *e)
{
    bx_profile *p = page->of;
    bx_profile_table t[HOT_QUESTIONS];
    const bx_profile_table *shown[HOT_CARDS_MOST];
    uint32_t row[HOT_CARDS_MOST];
    unsigned n = 0;
    for (unsigned i = 0; i < 1 + page->columns; i++) {
        bx_profile_question question = {.by = BX_STR("function,line,object"), .top = HOT_ROWS};
        question.sort = i ? p->event[page->column[i - 1]].name : "wait";
        if (!i && !p->time)
            continue;
        int code = bx_profile_tabulate(p, &question, &t[i], e);
        if (code)
            return code;
        for (uint32_t k = 0; k < t[i].rows && k < (i ? 2 : HOT_ROWS) && n < HOT_CARDS_MOST; k++) {
            if (10 * t[i].row[k].rank < total_ranked(&t[i]) || t[i].row[k].rank <= 0 ||
                has_card(shown, row, n, &t[i].row[k]) || has_finding(p, &t[i].row[k]))
                continue;
            add_hot_card(page, &t[i], k, i ? page->label[i - 1] : "cycles: waits", to);
            shown[n] = &t[i];
            row[n++] = k;
        }
    }
    return BX_OK;
}

/* Scripts add a button that leads to the table. */
static void add_shared_words(const bx_html *page, const bx_profile_table *shared, bx_buf *to)
{
    char digits[BX_NUMBER];
    const bx_profile *p = page->of;
    uint32_t event = 0;
    while (event < p->events && (!shared->rows || !shared->ranks[event]))
        event++;
    if (event == p->events || p->event[event].total <= 0)
        return;
    uint64_t lines = shared->rows + (uint64_t)shared->left;
    bx_buf_f(
        to,
        "<p class=\"moved\">%s cache line%s moved between cores. The first has %.0f&nbsp;%% of ",
        bx_number_whole(lines, digits), lines == 1 ? "" : "s",
        100.0 * (double)shared->row[0].rank / (double)p->event[event].total);
    const char *label = bx_html_label(&p->event[event]);
    bx_html_text(to, label ? label : bx_html_short_name(&p->event[event]));
    bx_buf_z(to, ". </p>\n");
}

int bx_html_first_screen(bx_html *page, const bx_profile_table *shared, bx_buf *to, bx_error *e)
{
    add_words_of(page->of, to);
    if (!page->of->tells_who)
        return BX_OK;
    bx_buf_z(to, "<section id=\"causes\"><h2>Causes that rules have found, and the largest parts"
                 "</h2>\n<ul class=\"cards\">\n");
    add_findings_of(page->of, to);
    int code = add_hot_cards(page, to, e);
    bx_buf_z(to, "</ul>");
    if (!page->of->findings)
        bx_buf_z(to, "<p>No rule has found a cause.</p>\n");
    if (page->of->findings > CARDS_MOST)
        bx_buf_f(to, "<p>%u more causes, with less: boxscore report</p>",
                 page->of->findings - CARDS_MOST);
    add_shared_words(page, shared, to);
    bx_buf_z(to, "</section>\n");
    return code;
}
