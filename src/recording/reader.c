#include "recording/opened.h"

#include "base/buf.h"
#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    IS_INTEGER = 1,
    IS_REAL = 2,
    IS_NULL = 5,
    APPLICATION = 0x62787263, /* "bxrc" */
    VERSION = 1,
};

int bx_recording_fail(bx_recording_reader *r, int code)
{
    if (!r->error.code && (!r->db || r->sqlite.errcode(r->db) == BX_SQLITE_NO_MEMORY))
        bx_out_of_memory(&r->error);
    if (!r->error.code)
        bx_fail(&r->error, code, 0, 0, "the recording '%.200s' cannot be read: %s", r->path,
                r->sqlite.errmsg(r->db));
    return r->error.code;
}

/* ---- questions ---- */

static void end_question(bx_recording_reader *r)
{
    if (r->asked)
        r->sqlite.finalize(r->asked);
    r->asked = NULL;
}

int bx_recording_ask(bx_recording_reader *r, const char *sql, const bx_cell *given, unsigned n,
                     bx_error *e)
{
    end_question(r);
    r->error = (bx_error){0};
    if (r->sqlite.prepare_v2(r->db, sql, -1, &r->asked, NULL) != BX_SQLITE_OK) {
        bx_recording_fail(r, BX_BAD_INPUT);
        *e = r->error;
        return e->code;
    }
    for (unsigned i = 0; i < n; i++)
        bx_sqlite_bind(&r->sqlite, r->asked, (int)i + 1, &given[i]);
    return BX_OK;
}

static bx_cell take_column(bx_recording_reader *r, int at)
{
    int type = r->sqlite.column_type(r->asked, at);
    if (type == IS_NULL)
        return (bx_cell){0};
    if (type == IS_INTEGER)
        return (bx_cell){.kind = BX_CELL_NUMBER, .number = r->sqlite.column_int64(r->asked, at)};
    if (type == IS_REAL)
        return bx_cell_real(r->sqlite.column_double(r->asked, at));
    const char *text = (const char *)r->sqlite.column_text(r->asked, at);
    if (!text)
        bx_out_of_memory(&r->error);
    return bx_cell_text(text);
}

bool bx_recording_next(bx_recording_reader *r, bx_cell *to, unsigned n)
{
    int code = r->asked && !r->error.code ? r->sqlite.step(r->asked) : BX_SQLITE_DONE;
    if (code == BX_SQLITE_ROW)
        for (unsigned i = 0; i < n; i++)
            to[i] = take_column(r, (int)i);
    else if (code != BX_SQLITE_DONE)
        bx_recording_fail(r, BX_BAD_INPUT);
    return code == BX_SQLITE_ROW && !r->error.code;
}

int bx_recording_answered(bx_recording_reader *r, bx_error *e)
{
    end_question(r);
    if (r->error.code)
        *e = r->error;
    return r->error.code;
}

/* ---- the file ---- */

static int refuse_file(const char *path, const char *why, bx_error *e)
{
    bx_fail(e, BX_BAD_INPUT, 0, 0, "'%.200s' is no recording: %s", path, why);
    bx_hint(e, "boxscore record -o FILE -- PROGRAM writes one");
    return e->code;
}

static int check_path(const char *path, bx_error *e)
{
    struct stat is;
    if (stat(path, &is) != 0) {
        bx_fail(e, bx_code_of(errno), 0, 0, "cannot read '%.200s': %s", path, strerror(errno));
        bx_hint(e, "boxscore record -o FILE -- PROGRAM writes one");
        return e->code;
    }
    return S_ISREG(is.st_mode) ? BX_OK : refuse_file(path, "it is not a regular file", e);
}

/* A recording whose writer was killed has a journal beside it, which SQLite applies first: it must
 * be allowed to write for that. "./": SQLite has names that are no files, such as ":memory:". */
static int open_file(bx_recording_reader *r)
{
    bx_buf name = {0};
    bx_buf_f(&name, "%s%s", *r->path == '/' ? "" : "./", r->path);
    int code = name.failed ? bx_out_of_memory(&r->error) : BX_OK;
    if (!code && r->sqlite.open_v2(name.p, &r->db, BX_SQLITE_WRITES, NULL) != BX_SQLITE_OK) {
        r->sqlite.close(r->db);
        r->db = NULL;
        if (r->sqlite.open_v2(name.p, &r->db, BX_SQLITE_READS, NULL) != BX_SQLITE_OK)
            code = bx_recording_fail(r, BX_SYSTEM);
    }
    bx_buf_free(&name);
    return code;
}

static int64_t ask_number(bx_recording_reader *r, const char *sql, bx_error *e)
{
    bx_cell cell = {0};
    if (!bx_recording_ask(r, sql, NULL, 0, e))
        bx_recording_next(r, &cell, 1);
    bx_recording_answered(r, e);
    return cell.number;
}

/* The schema is the file's: nothing in it may call functions that have effects. */
static int check_head(bx_recording_reader *r, bx_error *e)
{
    ask_number(r, "PRAGMA busy_timeout = 60000", e); /* ms: for a commit, if it grows */
    ask_number(r, "PRAGMA trusted_schema = OFF", e);
    ask_number(r, "PRAGMA temp_store = MEMORY", e); /* what is sorted stays there */
    ask_number(r, "PRAGMA cache_size = -65536", e); /* KiB */
    int64_t application = ask_number(r, "PRAGMA application_id", e);
    if (e->code == BX_NO_MEMORY)
        return e->code;
    if (e->code) {
        *e = (bx_error){0};
        return refuse_file(r->path, "it is not a database of SQLite", e);
    }
    if (application != APPLICATION)
        return refuse_file(r->path, "it is another database", e);
    int64_t version = ask_number(r, "PRAGMA user_version", e);
    if (!e->code && version != VERSION) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "the recording '%.200s' has version %lld, not %d", r->path,
                (long long)version, VERSION);
        bx_hint(e, "record again, or read it with the boxscore that wrote it");
    }
    ask_number(r, "PRAGMA query_only = ON", e);
    ask_number(r, "BEGIN", e); /* all that is read is of one commit */
    return e->code;
}

int bx_recording_open(const char *path, bx_recording_reader **to, bx_error *e)
{
    bx_recording_reader *r = calloc(1, sizeof *r);
    if (!r || !(r->path = strdup(path))) {
        free(r);
        return bx_out_of_memory(e);
    }
    int code = check_path(path, e);
    if (!code)
        code = bx_sqlite_load(&r->sqlite, e);
    if (!code && (code = open_file(r)))
        *e = r->error;
    if (!code)
        code = check_head(r, e);
    if (code) {
        bx_recording_leave(r);
        return code;
    }
    *to = r;
    return BX_OK;
}

void bx_recording_leave(bx_recording_reader *r)
{
    if (!r)
        return;
    end_question(r);
    if (r->db)
        r->sqlite.close(r->db);
    free(r->path);
    free(r);
}
