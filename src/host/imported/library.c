/* Imported catalogues for programs that use the library. */
#include "host/imported/store.h"

#include "event/hint.h"

#include <boxscore/boxscore.h>

int bx_catalog_open_imported(const char *cpu, const bx_catalog **c, bx_error *e)
{
    bx_imported found;
    if (!cpu)
        return bx_missing(e, "CPU");
    if (!c)
        return bx_missing(e, "place for the catalogue");
    int code = bx_imported_open(bx_catalog_builtin(), bx_str_of(cpu), &found, e);
    if (code == BX_NOT_FOUND) {
        bx_fail(e, BX_NOT_FOUND, 0, 0, "no CPU '%s' was imported", bx_quote(bx_str_of(cpu)).text);
        bx_hint(e, "boxscore import perfmon DIR, and boxscore import --list");
    }
    if (code == BX_OK)
        *c = found.catalog;
    return code;
}

void bx_catalog_close(const bx_catalog *c)
{
    if (!c || c == bx_catalog_builtin())
        return;
    const bx_stored *head = (const bx_stored *)(const void *)c - 1; /* as store.c maps it */
    bx_imported_close(&(bx_imported){c, head, sizeof *head + head->size});
}
