/* A recording as one HTML page, without a network: docs/reference/report-page.md. Here: what the
 * files of the folder share, and the page itself. */
#ifndef BX_PROFILE_PAGE_PAGE_H
#define BX_PROFILE_PAGE_PAGE_H

#include "profile/calls.h"
#include "profile/table.h"

enum {
    BX_HTML_MOST = 2000000, /* bytes */
    BX_HTML_COLUMNS_MOST = 6,
    BX_HTML_NAME_MOST = 240, /* bytes of a name; of a longer one the middle is left out */
};

/* Reads a source file; false: it cannot be read. Paths are the recording's, so anybody's. */
typedef struct bx_html_sources {
    bool (*read)(void *context, const char *path, bx_buf *to);
    void *context;
} bx_html_sources;

/* Appends the page. The findings of *p were found. sorted: a table whose order names what shares
 * are of at first; NULL: all cycles. */
int bx_profile_html(bx_profile *p, const bx_profile_table *sorted, const bx_html_sources *sources,
                    bx_buf *to, bx_error *e);

/* ---- for the files of this folder ---- */

typedef struct bx_html_cells bx_html_cells;

typedef struct bx_html {
    bx_profile *of;
    const char *sort; /* of tables: "time", "wait", an event; NULL: the first event */
    uint32_t first;   /* the event of `sort`; of->events: it is none */
    bx_calls calls;
    uint32_t column[BX_HTML_COLUMNS_MOST]; /* events that the tables show */
    const char *label[BX_HTML_COLUMNS_MOST];
    unsigned columns;
    bx_html_cells *cells;
} bx_html;

/* text.c: a name as a string of JSON in a script, and as text of HTML. */
void bx_html_string(bx_buf *to, const char *name);
void bx_html_text(bx_buf *to, const char *name);
void bx_html_json(bx_buf *to, bx_str text); /* the same as a string, as long as it is */
/* What was recorded, as text of HTML. */
void bx_html_title(const bx_profile *p, bx_buf *to);
/* An event's name without its PMU. */
const char *bx_html_short_name(const bx_profile_event *event);

/* tables.c: plain words for an event, such as "memory reads"; NULL: there are none. */
const char *bx_html_label(const bx_profile_event *event);

/* head.c: verdict, findings, the dearest places. After the tables, which choose the columns. */
int bx_html_first_screen(bx_html *page, const bx_profile_table *shared, bx_buf *to, bx_error *e);
/* What cycles of a cause are spent for; empty: not known. */
const char *bx_html_words_of(const char *cause);

/* cells.c: who caused what, when. Reads all rows of costs; frees them. */
int bx_html_cells_read(bx_html *page, bx_error *e);
void bx_html_cells_free(bx_html_cells *c);

/* How much of the events' totals has kept what, from 0 to 1. */
typedef struct bx_html_shown {
    uint64_t rows, rows_of;
    double time, least;         /* keeps all: of all cycles, of the event with the least */
    double time_who, least_who; /* keeps code, object and thread */
    const char *least_event;
} bx_html_shown;

/* cells_text.c: appends members of a JSON object in at most `most` bytes. */
int bx_html_cells_write(const bx_html *page, size_t most, bx_buf *to, bx_html_shown *shown,
                        bx_error *e);

/* data.c, series.c: members of the JSON object, each with a comma after it. */
int bx_html_data(bx_html *page, bx_buf *to, bx_error *e);
int bx_html_series(bx_html *page, bx_buf *to, bx_error *e);

/* tables.c: HTML that is there without scripts. *lines is the table of lines, for excerpts. */
int bx_html_tables(bx_html *page, bx_buf *to, bx_profile_table *lines, bx_profile_table *shared,
                   bx_error *e);

/* excerpts.c: source lines around those of the tables; a member of the JSON object. */
void bx_html_excerpts(const bx_html *page, const bx_profile_table *lines,
                      const bx_profile_table *shared, const bx_html_sources *sources, bx_buf *html,
                      bx_buf *json);

#endif
