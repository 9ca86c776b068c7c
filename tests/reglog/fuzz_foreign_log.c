/* Other tools' logs, and words of a register and its value: an access that is accepted is written
 * and read again as the same line of a register log. Every reader gets every text. */
#include "fuzz/fuzz.h"
#include "reglog/foreign.h"
#include "reglog/register_word.h"

#include <stdlib.h>
#include <string.h>

static void check_access(const bx_log_access *a)
{
    bx_buf line = {0}, again = {0};
    bx_reglog_access read;
    bool any = false;
    bx_reglog_line(&line, &a->access);
    FUZZ_MUST(line.n && strchr(line.p, '\n') == line.p + line.n - 1);
    FUZZ_MUST(bx_reglog_parse((bx_str){line.p, line.n - 1}, &read, &any, NULL) == BX_OK && any);
    bx_reglog_line(&again, &read);
    FUZZ_MUST(again.n == line.n && memcmp(again.p, line.p, line.n) == 0);
    bx_buf_free(&again);
    bx_buf_free(&line);
}

static void read_as(enum bx_log_kind kind, bx_str text)
{
    bx_log_reader *r = calloc(1, sizeof *r);
    FUZZ_MUST(r);
    r->kind = kind;
    while (text.p) {
        bx_str line = bx_str_cut(&text, '\n');
        bx_error e = {0};
        int code = bx_log_line(r, line, &e);
        fuzz_check_error(&e, code, line.n + 1);
        FUZZ_MUST(r->n <= BX_LOG_ACCESSES && r->files <= BX_LOG_FILES &&
                  r->variables <= BX_LOG_VARIABLES);
        for (size_t i = 0; !code && i < r->n; i++)
            check_access(&r->access[i]);
    }
    free(r);
}

static void read_word(bx_str text, unsigned cpu)
{
    bx_raw raw;
    bx_error e = {0};
    int code = bx_register_word_parse(bx_catalog_builtin(), cpu, text, &raw, &e);
    fuzz_check_error(&e, code, text.n + 1);
    FUZZ_MUST(code || raw.space <= BX_SPACE_MMIO);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_exact(data, size);
    bx_str all = {text, size}, first = all;
    read_as(bx_log_kind_of(all), all);
    for (unsigned kind = BX_LOG_OWN; kind <= BX_LOG_SCRIPT; kind++)
        read_as((enum bx_log_kind)kind, all);
    read_word(bx_str_cut(&first, '\n'), (unsigned)(size % bx_catalog_cpus(bx_catalog_builtin())));
    free(text);
    return 0;
}
