/* Writes a recording. */
#include "recording/recording.h"

#include "base/buf.h"
#include "base/error.h"
#include "recording/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    APPLICATION = 0x62787263, /* "bxrc" */
    VERSION = 1,
};

struct bx_recording_file {
    bx_sqlite sqlite;
    struct sqlite3 *db;
    char *path;
    struct sqlite3_stmt *put[BX_TABLES];
    unsigned columns[BX_TABLES], first[BX_TABLES]; /* first: where the columns are bound */
    bool open;                                     /* a transaction is */
    bx_error error;
};

static int fail_recording(bx_recording_file *f, const char *why)
{
    if (!f->error.code)
        bx_fail(&f->error, BX_SYSTEM, 0, 0, "the recording '%.200s' cannot be written: %s", f->path,
                why);
    return f->error.code;
}

static int execute(bx_recording_file *f, const char *sql)
{
    if (!f->error.code && f->sqlite.exec(f->db, sql, NULL, NULL, NULL) != BX_SQLITE_OK)
        return fail_recording(f, f->sqlite.errmsg(f->db));
    return f->error.code;
}

/* ---- tables ---- */

static int prepare(bx_recording_file *f, enum bx_recording_table table, unsigned columns)
{
    bx_buf sql = {0};
    bx_str names = bx_str_of(bx_recording_tables[table].columns);
    bool has_id = bx_str_starts_fold(names, BX_STR("id INTEGER PRIMARY KEY")); /* it is the rowid */
    bx_buf_f(&sql, "INSERT OR REPLACE INTO %s (%s", bx_recording_tables[table].name,
             has_id ? "" : "rowid, ");
    for (bool next = false; names.p; next = true) {
        bx_str column = bx_str_trim(bx_str_cut(&names, ','));
        bx_buf_z(&sql, next ? ", " : "");
        bx_buf_str(&sql, bx_str_cut(&column, ' '));
    }
    for (unsigned i = 0; table == BX_TABLE_SERIES && i + 2 < columns; i++)
        bx_buf_f(&sql, ", c%u", i + 1);
    bx_buf_z(&sql, has_id ? ") VALUES (" : ") VALUES (?, ");
    for (unsigned i = 0; i < columns; i++)
        bx_buf_z(&sql, i ? ", ?" : "?");
    bx_buf_z(&sql, ")");
    f->columns[table] = columns;
    f->first[table] = has_id ? 1 : 2;
    int code = sql.failed ? fail_recording(f, "out of memory") : f->error.code;
    if (!code && f->sqlite.prepare_v2(f->db, sql.p, -1, &f->put[table], NULL) != BX_SQLITE_OK)
        code = fail_recording(f, f->sqlite.errmsg(f->db));
    bx_buf_free(&sql);
    return code;
}

static int make_table(bx_recording_file *f, enum bx_recording_table table, size_t more)
{
    bx_buf sql = {0};
    bx_buf_f(&sql, "CREATE TABLE %s (%s", bx_recording_tables[table].name,
             bx_recording_tables[table].columns);
    for (size_t i = 0; i < more; i++)
        bx_buf_f(&sql, ", c%zu INTEGER", i + 1);
    bx_buf_z(&sql, ")");
    int code = sql.failed ? fail_recording(f, "out of memory") : execute(f, sql.p);
    bx_buf_free(&sql);
    return code ? code : prepare(f, table, bx_recording_tables[table].n + (unsigned)more);
}

/* A crash of the whole machine may cost the file; that of a process may not. */
static int make_tables(bx_recording_file *f, size_t series)
{
    char sql[200];
    /* Somebody may read the file while it grows: a commit waits for the end of that query. */
    snprintf(sql, sizeof sql,
             "PRAGMA application_id = %d; PRAGMA user_version = %d; PRAGMA synchronous = OFF; "
             "PRAGMA busy_timeout = 60000; BEGIN",
             APPLICATION, VERSION);
    int code = execute(f, sql);
    for (unsigned i = 0; i < BX_TABLES && !code; i++)
        code = make_table(f, (enum bx_recording_table)i, i == BX_TABLE_SERIES ? series : 0);
    f->open = !code;
    return code ? code : execute(f, bx_recording_views);
}

/* ---- the file ---- */

/* An older file becomes PATH.old; what is no regular file is left alone. */
static int move_older(bx_recording_file *f)
{
    struct stat is;
    bx_buf old = {0};
    if (lstat(f->path, &is) != 0)
        return errno == ENOENT ? BX_OK : fail_recording(f, strerror(errno));
    if (!S_ISREG(is.st_mode))
        return fail_recording(f, "it is not a regular file");
    bx_buf_f(&old, "%s.old", f->path);
    int code = old.failed ? fail_recording(f, "out of memory") : BX_OK;
    if (!code && rename(f->path, old.p) != 0)
        code = fail_recording(f, strerror(errno));
    bx_buf_free(&old);
    return code;
}

/* Nobody else may have made it meanwhile. */
static int make_file(bx_recording_file *f)
{
    int fd = open(f->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return fail_recording(f, strerror(errno));
    close(fd);
    if (f->sqlite.open_v2(f->path, &f->db, BX_SQLITE_CREATES, NULL) != BX_SQLITE_OK)
        return fail_recording(f, f->db ? f->sqlite.errmsg(f->db) : "out of memory");
    return BX_OK;
}

int bx_recording_new(const char *path, size_t series, bx_recording_file **to, bx_error *e)
{
    bx_recording_file *f = calloc(1, sizeof *f);
    if (!f || !(f->path = strdup(path))) {
        free(f);
        return bx_out_of_memory(e);
    }
    int code = bx_sqlite_load(&f->sqlite, &f->error);
    if (!code)
        code = move_older(f);
    if (!code)
        code = make_file(f);
    if (!code)
        code = make_tables(f, series);
    if (code) {
        *e = f->error;
        bx_recording_close(f);
        return code;
    }
    *to = f;
    return BX_OK;
}

static bool begins(bx_recording_file *f)
{
    if (!f->open && !f->error.code)
        f->open = execute(f, "BEGIN") == BX_OK;
    return !f->error.code;
}

void bx_recording_put(bx_recording_file *f, enum bx_recording_table table, uint64_t row,
                      const bx_cell *cell)
{
    struct sqlite3_stmt *to = f->put[table];
    if (!begins(f))
        return;
    const bx_cell number = row ? bx_cell_number(row) : (bx_cell){0};
    if (f->first[table] > 1)
        bx_sqlite_bind(&f->sqlite, to, 1, &number);
    for (unsigned i = 0; i < f->columns[table]; i++)
        bx_sqlite_bind(&f->sqlite, to, (int)(f->first[table] + i), &cell[i]);
    int code = f->sqlite.step(to);
    f->sqlite.reset(to);
    if (code != BX_SQLITE_DONE)
        fail_recording(f, f->sqlite.errmsg(f->db));
}

void bx_recording_clear(bx_recording_file *f, enum bx_recording_table table)
{
    char sql[64];
    snprintf(sql, sizeof sql, "DELETE FROM %s", bx_recording_tables[table].name);
    if (begins(f))
        execute(f, sql);
}

int bx_recording_commit(bx_recording_file *f, bx_error *e)
{
    if (f->open)
        execute(f, "COMMIT");
    f->open = false;
    if (f->error.code)
        *e = f->error;
    return f->error.code;
}

void bx_recording_close(bx_recording_file *f)
{
    if (!f)
        return;
    for (unsigned i = 0; i < BX_TABLES; i++)
        if (f->put[i])
            f->sqlite.finalize(f->put[i]);
    if (f->db)
        f->sqlite.close(f->db);
    free(f->path);
    free(f);
}
