/* Reads structs of options of any version. */
#include "base/options.h"

#include "base/error.h"

#include <string.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int check_rest(const unsigned char *bytes, size_t known, size_t size, const char *name,
                      bx_error *e)
{
    for (size_t i = known; i < size; i++) {
        if (!bytes[i])
            continue;
        bx_fail(e, BX_BAD_INPUT, 0, 0,
                "%s has options that this library (%s) does not know: byte %zu is not 0", name,
                BX_VERSION, i);
        if (e && !e->hint[0])
            bx_hint(e, "leave out what is newer than that, or install a newer boxscore");
        return BX_BAD_INPUT;
    }
    return BX_OK;
}

int bx_options_read(void *to, size_t known, size_t first, const void *given, const char *name,
                    bx_error *e)
{
    enum { MOST = 4096 };
    size_t size = 0;
    memset(to, 0, known);
    if (!given)
        return BX_OK;
    memcpy(&size, given, sizeof size);
    if (size > MOST) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "%s.size is %zu: no version of it is so large", name, size);
        if (e && !e->hint[0])
            bx_hint(e, "set it to sizeof(%s), and all that is not used to 0", name);
        return BX_BAD_INPUT;
    }
    memcpy(to, given, smaller(size ? size : first, known));
    return check_rest(given, known, size, name, e);
}
