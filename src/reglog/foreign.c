/* Recognises whose log a text is, and reads its lines. */
#include "reglog/foreign_internal.h"

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
