/* Puts the page together. Scripts, style and all data are inside of it, and its policy forbids to
 * load anything. */
#include "profile/page/page.h"

#include "base/error.h"
#include "profile/format/formats.h"

#include <string.h>

/* Files of this folder, which the build turns into arrays. */
#define EMBEDDED(name)                                                                             \
    extern const unsigned char bx_html_##name[];                                                   \
    extern const size_t bx_html_##name##_size
EMBEDDED(page_css);
EMBEDDED(page_js);
EMBEDDED(tables_js);
EMBEDDED(time_js);
EMBEDDED(flame_js);
EMBEDDED(machine_js);

static void add_file_text(bx_buf *to, const unsigned char *file, size_t n)
{
    bx_buf_add(to, (const char *)file, n);
}

static void add_page_head(const bx_profile *p, bx_buf *to)
{
    bx_buf_z(to, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                 "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
                 "form-action 'none'\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                 "<meta name=\"color-scheme\" content=\"light dark\">\n"
                 "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
    bx_html_title(p, to);
    bx_buf_z(to, "</title>\n<style>\n");
    add_file_text(to, bx_html_page_css, bx_html_page_css_size);
    bx_buf_z(to, "</style></head>\n<body><main>\n");
}

/* What scripts draw is not there without them. */
static void add_places_of_drawings(bx_buf *to)
{
    bx_buf_z(to,
             "<noscript><p class=\"soft\">Scripts are off: the tables below have the whole run, "
             "without the diagram, the time and the flame graph.</p></noscript>\n"
             "<div class=\"two\" id=\"drawings\" hidden>\n"
             "<section class=\"box\" id=\"machine\"><h2>Where the traffic goes</h2></section>\n"
             "<section class=\"box\" id=\"time\"><h2>When</h2></section>\n</div>\n"
             "<div id=\"controls\" hidden></div>\n");
}

/* ---- how much of the recording it has ---- */

static void add_shown(const bx_profile *p, const bx_html_shown *s, bx_buf *to)
{
    bx_buf_z(to, "<p id=\"shown\" class=\"soft\">");
    if (!p->tells_who)
        bx_buf_z(to, "This page has all counts; hardware does not tell who causes them.");
    else if (s->least >= 1)
        bx_buf_f(to, "This page has all %llu rows of the recording: 100 %% of each event.",
                 (unsigned long long)s->rows);
    else {
        bx_buf_f(
            to,
            "This page has at most %u bytes, so cheap rows are merged. %.1f %% of all cycles "
            "keep their code, data, thread, time and calls, and at least %.1f %% of each event. "
            "Code, data and thread keep %.1f %% of the cycles, and at least %.1f %% of each "
            "event (least: ",
            (unsigned)BX_HTML_MOST, 100 * s->time, 100 * s->least, 100 * s->time_who,
            100 * s->least_who);
        bx_html_text(to, s->least_event);
        bx_buf_z(to, "). The rest is in the rows “(not on this page)”. boxscore report shows all.");
    }
    bx_buf_z(to, "</p>\n");
}

static void add_scripts(const bx_buf *data, bx_buf *to)
{
    bx_buf_z(to, "<script type=\"application/json\" id=\"data\">{");
    bx_buf_add(to, bx_buf_text(data), data->n);
    bx_buf_z(to, "\"version\":1}</script>\n<script>\n'use strict';\n");
    add_file_text(to, bx_html_page_js, bx_html_page_js_size);
    add_file_text(to, bx_html_tables_js, bx_html_tables_js_size);
    add_file_text(to, bx_html_time_js, bx_html_time_js_size);
    add_file_text(to, bx_html_flame_js, bx_html_flame_js_size);
    add_file_text(to, bx_html_machine_js, bx_html_machine_js_size);
    bx_buf_z(to, "start();\n</script>\n</body></html>\n");
}

/* ---- the whole ---- */

typedef struct page_parts {
    bx_buf tables, excerpts, data, head;
} page_parts;

static int make_parts(bx_html *page, const bx_html_sources *sources, page_parts *parts, bx_error *e)
{
    bx_profile *p = page->of;
    bx_profile_table lines = {.rows = 0}, shared = {.rows = 0};
    int code = bx_calls_read(p, false, &page->calls, e);
    if (!code)
        code = bx_html_tables(page, &parts->tables, &lines, &shared, e);
    if (!code)
        code = bx_html_data(page, &parts->data, e);
    if (!code)
        code = bx_html_series(page, &parts->data, e);
    if (code)
        return code;
    bx_html_excerpts(page, &lines, &shared, sources, &parts->excerpts, &parts->data);
    add_page_head(p, &parts->head);
    code = bx_html_first_screen(page, &shared, &parts->head, e);
    add_places_of_drawings(&parts->head);
    return code;
}

static int join_parts(bx_html *page, page_parts *parts, bx_buf *to, bx_error *e)
{
    enum { REST = 6000 }; /* what is added around the parts */
    bx_html_shown shown;
    size_t from = to->n,
           scripts = bx_html_page_js_size + bx_html_tables_js_size + bx_html_time_js_size +
                     bx_html_flame_js_size + bx_html_machine_js_size,
           used =
               parts->head.n + parts->tables.n + parts->excerpts.n + parts->data.n + scripts + REST;
    int code = used >= BX_HTML_MOST
                   ? bx_fail(e, BX_BAD_INPUT, 0, 0, "the recording does not fit into a page")
                   : bx_html_cells_write(page, BX_HTML_MOST - used, &parts->data, &shown, e);
    if (code)
        return code;
    bx_buf_add(to, bx_buf_text(&parts->head), parts->head.n);
    bx_buf_z(to, "<div id=\"tables\">\n");
    bx_buf_add(to, bx_buf_text(&parts->tables), parts->tables.n);
    bx_buf_z(to, "</div>\n");
    if (parts->excerpts.n) {
        bx_buf_z(to, "<section id=\"sources\"><h2>Source</h2>\n");
        bx_buf_add(to, parts->excerpts.p, parts->excerpts.n);
        bx_buf_z(to, "</section>\n");
    }
    bx_buf_z(to, "<footer>");
    add_shown(page->of, &shown, to);
    bx_buf_z(to, "<p class=\"soft\">Made by boxscore ");
    bx_html_text(to, bx_profile_fact_text(page->of, "boxscore"));
    bx_buf_z(to, ". It loads nothing from elsewhere.</p></footer>\n</main>\n");
    add_scripts(&parts->data, to);
    if (parts->data.failed || parts->head.failed || parts->tables.failed ||
        parts->excerpts.failed || to->failed)
        return bx_out_of_memory(e);
    return to->n - from <= BX_HTML_MOST
               ? BX_OK
               : bx_fail(e, BX_BAD_INPUT, 0, 0, "the recording does not fit into a page");
}

int bx_profile_html(bx_profile *p, const bx_profile_table *sorted, const bx_html_sources *sources,
                    bx_buf *to, bx_error *e)
{
    bx_html page = {.of = p,
                    .sort = sorted    ? sorted->sort
                            : p->time ? "time"
                                      : NULL,
                    .first = p->events};
    for (uint32_t i = 0; sorted && i < p->events && page.first == p->events; i++)
        page.first = sorted->ranks[i] && !p->event[i].cycles ? i : p->events;
    page_parts parts = {.tables = {0}};
    int code = make_parts(&page, sources, &parts, e);
    if (!code)
        code = bx_html_cells_read(&page, e);
    if (!code)
        code = join_parts(&page, &parts, to, e);
    bx_html_cells_free(page.cells);
    bx_buf_free(&parts.tables);
    bx_buf_free(&parts.excerpts);
    bx_buf_free(&parts.data);
    bx_buf_free(&parts.head);
    return code;
}
