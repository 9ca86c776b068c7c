/* Writes the results of `boxscore stat`. */
#include "cli/measure/stat.h"

static int write_part(bx_stat *s, const bx_result *r,
                      void (*part)(const bx_report *, const bx_view *, bx_buf *), bx_error *e)
{
    bx_buf text = {0};
    part(&r->report, &s->view, &text);
    int code = bx_sink_write(&s->sink, &text, e);
    bx_buf_free(&text);
    return code;
}

int bx_stat_show_interval(void *context, const bx_result *interval, bx_error *e)
{
    bx_stat *s = context;
    bx_progress_erase(&s->progress);
    int code = s->begun ? BX_OK : write_part(s, interval, bx_report_begin, e);
    s->begun = true;
    s->view.at = interval->at;
    s->view.incomplete = interval->partial && s->view.sampled;
    return code ? code : write_part(s, interval, bx_report_lines, e);
}

static int show_all(bx_stat *s, const bx_result *r, bx_error *e)
{
    int code = write_part(s, r, bx_report_begin, e);
    if (!code)
        code = write_part(s, r, bx_report_lines, e);
    return code ? code : write_part(s, r, bx_report_end, e);
}

/* Shows the regions. For a region that several threads have entered, also shows each thread: if it
 * has only one, that has the same counts. */
static int show_regions(bx_stat *s, bx_error *e)
{
    int code = BX_OK;
    unsigned threads = 0;
    for (size_t i = 0; i < s->result->regions_n && !code; i++) {
        const bx_result *r = &s->result->regions[i];
        threads = r->region.thread ? threads : r->region.threads;
        s->view.region = &r->region;
        if (!r->region.thread || threads > 1)
            code = show_all(s, r, e);
    }
    s->view.region = NULL;
    return code;
}

/* Adds remarks to the report. If it is CSV or JSON, they are also said on standard error. */
static int add_remarks(bx_stat *s, bx_error *e)
{
    bx_result *r = s->result;
    bool text = s->view.format == BX_FORMAT_TEXT;
    int code = bx_measurement_remark(&s->measurement, e);
    if (!code)
        code = bx_result_join_remarks(r, 0, text && !s->view.interval, e);
    if (!code && r->measured.remark && !text)
        bx_cli_note("%s", r->measured.remark);
    return code;
}

int bx_stat_show(bx_stat *s, bx_error *e)
{
    int code = add_remarks(s, e);
    if (!code && !s->view.interval)
        code = show_all(s, s->result, e);
    if (!code && s->view.regions)
        code = show_regions(s, e);
    if (!code && s->result->opened)
        code = write_part(s, s->result, bx_report_finish, e);
    return code;
}
