/* Writes a whole result. */
#include "measure/save.h"

#include "base/error.h"
#include "host/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void write_all(const bx_result *r, const bx_view *v, bx_buf *to)
{
    bx_report_begin(&r->report, v, to);
    bx_report_lines(&r->report, v, to);
    bx_report_end(&r->report, v, to);
}

/* For a region that several threads have entered, also writes each thread: if there is only one, it
 * has the same counts. */
static void write_regions(const bx_result *r, bx_view *v, bx_buf *to)
{
    unsigned threads = 0;
    for (size_t i = 0; i < r->regions_n; i++) {
        const bx_region *region = &r->regions[i].region;
        threads = region->thread ? threads : region->threads;
        v->region = region;
        if (!region->thread || threads > 1)
            write_all(&r->regions[i], v, to);
    }
    v->region = NULL;
}

void bx_result_write(const bx_result *r, bx_view *v, bx_buf *to)
{
    if (!r->opened)
        return;
    if (!v->interval)
        write_all(r, v, to);
    if (v->regions)
        write_regions(r, v, to);
    bx_report_finish(&r->report, v, to);
}

static int write_file(const char *file, bx_str text)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int failed = fd < 0 ? errno : bx_file_write(fd, text.p, text.n);
    if (fd >= 0 && close(fd) && !failed)
        failed = errno;
    return failed;
}

int bx_result_save(const bx_result *r, const char *file, bx_error *e)
{
    if (!r)
        return bx_missing(e, "result");
    if (!file)
        return bx_missing(e, "file");
    if (!r->opened || !r->report.of->environment)
        return bx_fail(e, BX_BAD_INPUT, 0, 0,
                       "only the result of a whole measurement by bx_measure() can be saved");
    bx_buf text = {0};
    bx_view v = {
        .format = BX_FORMAT_JSON, .repeated = r->report.elapsed.n > 1, .regions = r->regions_n > 0};
    bx_result_write(r, &v, &text);
    int failed = text.failed ? ENOMEM : write_file(file, (bx_str){text.p, text.n});
    bx_buf_free(&text);
    return failed ? bx_fail(e, bx_code_of(failed), 0, 0, "'%s' cannot be written: %s", file,
                            strerror(failed))
                  : BX_OK;
}
