#include "base/error.h"

#include "base/printable.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int bx_fail(bx_error *e, int code, size_t at, size_t len, const char *format, ...)
{
    if (e && e->code == BX_OK) {
        va_list args;
        va_start(args, format);
        vsnprintf(e->message, sizeof e->message, format, args);
        va_end(args);
        bx_printable(e->message, strlen(e->message));
        e->code = code;
        e->at = at;
        e->len = len;
        e->hint[0] = '\0';
    }
    return code;
}

int bx_out_of_memory(bx_error *e)
{
    return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
}

int bx_code_of(int err)
{
    return err == ENOMEM ? BX_NO_MEMORY : BX_SYSTEM;
}

void bx_hint(bx_error *e, const char *format, ...)
{
    if (e) {
        va_list args;
        va_start(args, format);
        vsnprintf(e->hint, sizeof e->hint, format, args);
        va_end(args);
        bx_printable(e->hint, strlen(e->hint));
    }
}

void bx_error_shift(bx_error *e, size_t by)
{
    if (e && e->code != BX_OK)
        e->at += by;
}
