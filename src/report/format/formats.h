/* The formats of reports, each in the file of its name. */
#ifndef BX_REPORT_FORMAT_FORMATS_H
#define BX_REPORT_FORMAT_FORMATS_H

#include "report/report.h"
#include "report/screen.h"

/* The functions of a format, for those of format.h. All except `lines` may be NULL. */
typedef struct bx_report_format {
    void (*begin)(const bx_report *r, const bx_view *v, bx_buf *to);
    void (*lines)(const bx_report *r, const bx_view *v, bx_buf *to);
    void (*end)(const bx_report *r, const bx_view *v, bx_buf *to);
    void (*finish)(const bx_report *r, const bx_view *v, bx_buf *to);
} bx_report_format;

extern const bx_report_format bx_text_format, bx_csv_format, bx_json_format;
extern const bx_report_format bx_screen_format;  /* text: the first screen */
extern const bx_report_format bx_columns_format; /* text: intervals as rows of a table */

/* A cell of a row of bx_columns_format. */
typedef struct bx_column {
    const char *head, *unit;
    char number[BX_NUMBER];
    const char *text;
    double value;
    bool has_value, scaled;
} bx_column;

/* The cells in their order; *at starts at 0. false: there are no more. */
bool bx_column_next(const bx_report *r, const bx_view *v, size_t *at, bx_column *to);

/* The value of a line of the first screen, or the reason why it has none. */
const char *bx_screen_number(const bx_screen_line *line, char to[BX_NUMBER]);

#endif
