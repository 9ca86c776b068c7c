/* Writes the results of `boxscore stat`. */
#include "cli/measure/stat.h"

#include "measure/save.h"

#include <stdlib.h>
#include <string.h>

static int write_text(bx_stat *s, bx_buf *text, bx_error *e)
{
    int code = bx_sink_write(&s->sink, text, e);
    bx_buf_free(text);
    return code;
}

int bx_stat_show_interval(void *context, const bx_result *interval, bx_error *e)
{
    bx_stat *s = context;
    bx_buf text = {0};
    bx_progress_erase(&s->progress);
    s->view.at = interval->at;
    s->view.incomplete = interval->partial && s->view.sampled;
    if (!s->begun)
        bx_report_begin(&interval->report, &s->view, &text);
    s->begun = true;
    bx_report_lines(&interval->report, &s->view, &text);
    if (s->terminal >= 0 && !interval->partial) /* a shorter interval has less */
        bx_spark_add(&s->spark, &interval->report, &s->view);
    return write_text(s, &text, e);
}

/* Adds remarks to the report. If it is CSV or JSON, they are also said on standard error. */
static int add_remarks(bx_stat *s, bx_error *e)
{
    bx_result *r = s->result;
    bool is_text = s->view.format == BX_FORMAT_TEXT;
    int code = bx_measurement_remark(&s->measurement, e);
    if (!code)
        code = bx_result_join_remarks(r, 0,
                                      !is_text           ? BX_REMARKS_BESIDE
                                      : s->view.interval ? BX_REMARKS_ONE_LINE
                                                         : BX_REMARKS_LINES,
                                      e);
    if (!code && r->measured.remark && !is_text)
        bx_cli_note("%s", r->measured.remark);
    return code;
}

/* Whether texts of this locale are UTF-8: the first of these variables that is set says so. */
static bool has_blocks(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *value = NULL;
    for (size_t i = 0; i < 3 && !(value && *value); i++)
        value = getenv(names[i]);
    return value && (strstr(value, "UTF-8") || strstr(value, "utf8"));
}

int bx_stat_show(bx_stat *s, bx_error *e)
{
    bx_buf text = {0};
    int code = add_remarks(s, e);
    if (code)
        return code;
    if (s->terminal >= 0)
        bx_spark_write(&s->spark, bx_progress_columns(s->terminal) - 1, has_blocks(), &text);
    bx_result_write(s->result, &s->view, &text);
    return write_text(s, &text, e);
}
