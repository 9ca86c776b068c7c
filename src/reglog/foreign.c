/* Recognises whose log a text is, and reads its lines. */
#include "reglog/foreign_internal.h"

#include "base/error.h"

#include <string.h>

static const struct {
    const char *name;
    bool (*is)(bx_str line);
    int (*read)(bx_log_reader *r, bx_str line, bx_error *e);
} kinds[] = {
    [BX_LOG_OWN] = {"register log", NULL, NULL},
    [BX_LOG_KERNEL_TRACE] = {"kernel trace", bx_log_is_kernel_trace, bx_log_kernel_trace},
    [BX_LOG_LIKWID] = {"debug output of LIKWID", bx_log_is_likwid, bx_log_likwid},
    [BX_LOG_STRACE] = {"output of strace", bx_log_is_strace, bx_log_strace},
    [BX_LOG_SCRIPT] = {"shell script", bx_log_is_script, bx_log_script},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool is_own(bx_str line)
{
    bx_reglog_access a;
    bool any = false;
    return bx_reglog_parse(line, &a, &any, NULL) == BX_OK && any;
}

enum bx_log_kind bx_log_kind_of(bx_str text)
{
    while (text.p) {
        bx_str line = bx_str_cut(&text, '\n');
        if (is_own(line))
            return BX_LOG_OWN;
        for (unsigned i = BX_LOG_OWN + 1; i < KINDS; i++)
            if (kinds[i].is(line))
                return (enum bx_log_kind)i;
    }
    return BX_LOG_OWN;
}

const char *bx_log_kind_name(enum bx_log_kind kind)
{
    return kinds[kind].name;
}

int bx_log_line(bx_log_reader *r, bx_str line, bx_error *e)
{
    r->n = 0;
    if (r->kind != BX_LOG_OWN)
        return bx_str_trim(line).n ? kinds[r->kind].read(r, line, e) : BX_OK;
    bool any = false;
    r->access[0] = (bx_log_access){.every_cpu = false};
    int code = bx_reglog_parse(line, &r->access[0].access, &any, e);
    r->n = !code && any;
    return code;
}

/* ---- for the readers ---- */

bool bx_log_add(bx_log_reader *r, const bx_log_access *a)
{
    if (r->n == BX_LOG_ACCESSES)
        return false;
    r->access[r->n++] = *a;
    return true;
}

int bx_log_refuse(bx_str line, bx_str part, bx_error *e, const char *what, const char *hint)
{
    size_t from = part.p ? (size_t)(part.p - line.p) : line.n;
    bx_fail(e, BX_BAD_INPUT, from, part.n ? part.n : 1, "%s", what);
    bx_hint(e, "%s", hint);
    return BX_BAD_INPUT;
}

ptrdiff_t bx_log_behind(bx_str s, size_t from, const char *what)
{
    size_t n = strlen(what);
    for (size_t i = from; i + n <= s.n; i++)
        if (memcmp(s.p + i, what, n) == 0)
            return (ptrdiff_t)(i + n);
    return -1;
}

bx_str bx_log_word(bx_str *rest)
{
    size_t from = 0, to;
    while (from < rest->n && bx_is_blank(rest->p[from]))
        from++;
    for (to = from; to < rest->n && !bx_is_blank(rest->p[to]);)
        to++;
    bx_str word = bx_str_sub(*rest, from, to - from);
    *rest = bx_str_sub(*rest, to, rest->n - to);
    return word;
}

bool bx_log_hex(bx_str s, uint64_t *value)
{
    char c_notation[2 + 16] = "0x";
    if (s.n == 0 || s.n > 16 || bx_digit_value(s.p[0]) > 15)
        return false;
    memcpy(c_notation + 2, s.p, s.n);
    return bx_str_u64((bx_str){c_notation, 2 + s.n}, value);
}
