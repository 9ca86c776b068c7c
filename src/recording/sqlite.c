/* Loads SQLite. It stays loaded to the end of the process. */
#include "recording/sqlite.h"

#include "base/error.h"

int bx_sqlite_bind(const bx_sqlite *q, struct sqlite3_stmt *to, int at, const bx_cell *cell)
{
    if (cell->kind == BX_CELL_NUMBER)
        return q->bind_int64(to, at, cell->number);
    if (cell->kind == BX_CELL_REAL)
        return q->bind_double(to, at, cell->real);
    if (cell->kind == BX_CELL_TEXT)
        return q->bind_text(to, at, cell->text, -1, NULL);
    return q->bind_null(to, at);
}

bool bx_sqlite_put(const bx_sqlite *q, struct sqlite3_stmt *to, const bx_cell *cell, unsigned n)
{
    bool bound = true;
    for (unsigned i = 0; i < n; i++)
        bound &= bx_sqlite_bind(q, to, (int)i + 1, &cell[i]) == BX_SQLITE_OK;
    bool done = bound && q->step(to) == BX_SQLITE_DONE;
    q->reset(to);
    return done;
}

#if BX_HAS_SQLITE
#include <dlfcn.h>
#include <sqlite3.h>
#include <string.h>

_Static_assert(sizeof(sqlite3_int64) == sizeof(long long), "bind_int64 takes it");

static const char library[] = "libsqlite3.so.0";

/* dlsym() returns an object's address, which POSIX lets stand for a function's. */
static bool find(void *in, const char *name, void *to)
{
    void *found = dlsym(in, name);
    memcpy(to, &found, sizeof found);
    return found;
}

int bx_sqlite_load(bx_sqlite *to, bx_error *e)
{
    void *in = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    bool all =
        in && find(in, "sqlite3_open_v2", &to->open_v2) && find(in, "sqlite3_close", &to->close) &&
        find(in, "sqlite3_exec", &to->exec) && find(in, "sqlite3_prepare_v2", &to->prepare_v2) &&
        find(in, "sqlite3_bind_int64", &to->bind_int64) &&
        find(in, "sqlite3_bind_double", &to->bind_double) &&
        find(in, "sqlite3_bind_text", &to->bind_text) &&
        find(in, "sqlite3_bind_null", &to->bind_null) && find(in, "sqlite3_step", &to->step) &&
        find(in, "sqlite3_reset", &to->reset) && find(in, "sqlite3_finalize", &to->finalize) &&
        find(in, "sqlite3_column_type", &to->column_type) &&
        find(in, "sqlite3_column_int64", &to->column_int64) &&
        find(in, "sqlite3_column_double", &to->column_double) &&
        find(in, "sqlite3_column_text", &to->column_text) &&
        find(in, "sqlite3_errmsg", &to->errmsg) && find(in, "sqlite3_errcode", &to->errcode);
    if (all)
        return BX_OK;
    const char *why = in ? "it is too old" : dlerror();
    /* The loader has no other way to say that memory ran out. */
    if (!why || strstr(why, "cannot create") || strcasestr(why, "cannot allocate"))
        return bx_out_of_memory(e);
    bx_fail(e, BX_NOT_FOUND, 0, 0, "SQLite is needed, and cannot be loaded: %s", why);
    bx_hint(e, "apt-get install libsqlite3-0");
    return BX_NOT_FOUND;
}

#else
int bx_sqlite_load(bx_sqlite *to, bx_error *e)
{
    *to = (bx_sqlite){0};
    bx_fail(e, BX_NOT_FOUND, 0, 0, "SQLite is needed, and boxscore was built without it");
    bx_hint(e, "apt-get install libsqlite3-dev, then build boxscore again");
    return BX_NOT_FOUND;
}
#endif
