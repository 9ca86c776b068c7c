/* Errors as values. */
#include "base/error.h"

#include "base/printable.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bx_error *bx_error_new(void)
{
    return calloc(1, sizeof(bx_error));
}

void bx_error_free(bx_error *e)
{
    free(e);
}

void bx_error_clear(bx_error *e)
{
    if (!e)
        return;
    *e = (bx_error){0};
}

int bx_error_code(const bx_error *e)
{
    if (!e)
        return BX_OK;
    return e->code;
}

size_t bx_error_at(const bx_error *e)
{
    if (!e)
        return 0;
    return e->at;
}

size_t bx_error_length(const bx_error *e)
{
    if (!e)
        return 0;
    return e->len;
}

const char *bx_error_in(const bx_error *e)
{
    if (!e)
        return "";
    return e->in ? e->in : "";
}

const char *bx_error_message(const bx_error *e)
{
    if (!e)
        return "";
    return e->message;
}

const char *bx_error_hint(const bx_error *e)
{
    if (!e)
        return "";
    return e->hint;
}

int bx_fail(bx_error *e, int code, size_t at, size_t len, const char *format, ...)
{
    if (e && e->code != BX_OK)
        e->later = true;
    else if (e) {
        va_list args;
        va_start(args, format);
        vsnprintf(e->message, sizeof e->message, format, args);
        va_end(args);
        bx_printable(e->message, strlen(e->message));
        e->code = code;
        e->at = at;
        e->len = len;
        e->in = NULL;
        e->hint[0] = '\0';
    }
    return code;
}

void bx_fail_as(bx_error *e, const bx_error *failure)
{
    if (e && e->code != BX_OK)
        e->later = true;
    else if (e)
        *e = *failure;
}

int bx_out_of_memory(bx_error *e)
{
    return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
}

int bx_missing(bx_error *e, const char *what)
{
    bx_fail(e, BX_BAD_INPUT, 0, 0, "no %s was given: the argument is NULL", what);
    bx_hint(e, "boxscore.h says what the function takes");
    return BX_BAD_INPUT;
}

int bx_code_of(int err)
{
    return err == ENOMEM ? BX_NO_MEMORY : BX_SYSTEM;
}

void bx_hint(bx_error *e, const char *format, ...)
{
    if (e && !e->later) {
        va_list args;
        va_start(args, format);
        vsnprintf(e->hint, sizeof e->hint, format, args);
        va_end(args);
        bx_printable(e->hint, strlen(e->hint));
    }
}

bool bx_hint_at_size(bx_error *e, bx_str size)
{
    uint64_t bytes;
    bx_str meant = bx_str_sub(size, 0, size.n ? size.n - 1 : 0);
    if (meant.n < 2 || bx_lower(size.p[meant.n]) != 'b' || !bx_is_letter(meant.p[meant.n - 1]) ||
        !bx_str_size(meant, &bytes))
        return false;
    bx_hint(e, "write %.*s for powers of 1024: with a B some mean powers of 1000",
            BX_QUOTED(meant));
    return true;
}

void bx_error_shift(bx_error *e, size_t by)
{
    if (e && e->code != BX_OK)
        e->at += by;
}
