/* Register logs: a line that is accepted is written and read again as the same access. Every log is
 * explained in whole lines of text. */
#include "explain/explain.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static bool same(const bx_reglog_access *a, const bx_reglog_access *b)
{
    return a->at.space == b->at.space && a->at.width == b->at.width && a->at.cpu == b->at.cpu &&
           a->at.offset == b->at.offset && a->write == b->write && a->faulted == b->faulted &&
           a->timed == b->timed && a->err == b->err && a->value == b->value && a->time == b->time;
}

static void check_written(const bx_reglog_access *access)
{
    bx_buf line = {0};
    bx_reglog_access again;
    bool any = false;
    bx_reglog_line(&line, access);
    FUZZ_MUST(line.n && strchr(line.p, '\n') == line.p + line.n - 1);
    FUZZ_MUST(bx_reglog_parse((bx_str){line.p, line.n - 1}, &again, &any, NULL) == BX_OK && any);
    FUZZ_MUST(same(access, &again));
    bx_buf_free(&line);
}

static void check_explained(const bx_buf *text)
{
    FUZZ_MUST(!text->failed && (!text->n || text->p[text->n - 1] == '\n'));
}

static void read_lines(bx_explain *x, bx_str text)
{
    while (text.p) {
        bx_str line = bx_str_cut(&text, '\n');
        bx_reglog_access access;
        bx_error e = {0};
        bx_buf said = {0};
        bool any = false;
        int code = bx_reglog_parse(line, &access, &any, &e);
        fuzz_check_error(&e, code, line.n + 1); /* past the end if something is missing there */
        if (code || !any)
            continue;
        check_written(&access);
        bx_explain_access(x, &access, &said);
        check_explained(&said);
        bx_buf_free(&said);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bx_catalog *c = bx_catalog_builtin();
    char *text = fuzz_exact(data, size);
    bx_topology t;
    bx_error e = {0};
    bx_buf end = {0};
    int code = bx_reglog_machine(c, (bx_str){text, size}, &t, &e);
    fuzz_check_error(&e, code, size + 1);
    if (code)
        FUZZ_MUST(bx_topology_parse(c, BX_STR("virtual:skl"), &t, NULL) == BX_OK);
    bx_explain *x = bx_explain_new(&t, size & 1, NULL);
    FUZZ_MUST(x);
    read_lines(x, (bx_str){text, size});
    bx_explain_end(x, &end);
    check_explained(&end);
    bx_buf_free(&end);
    bx_explain_free(x);
    free(text);
    return 0;
}
