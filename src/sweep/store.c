/* Writes and reads the file of a sweep. */
#include "sweep/store.h"

#include "base/buf.h"
#include "recording/sqlite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    APPLICATION = 0x62787377, /* "bxsw" */
    VERSION = 1,
};

enum { POINT, SETTING, VALUE, STATEMENTS };

static const char *const statements[STATEMENTS] = {
    [POINT] = "INSERT OR REPLACE INTO point VALUES (?, ?, ?, ?, ?)",
    [SETTING] = "INSERT OR REPLACE INTO setting VALUES (?, ?, ?)",
    [VALUE] = "INSERT OR REPLACE INTO value VALUES (?, ?, ?, ?, ?, ?)",
};

static const char tables[] =
    "CREATE TABLE sweep (key TEXT PRIMARY KEY, value);"
    "CREATE TABLE point (id INTEGER PRIMARY KEY, machine TEXT, state TEXT, message TEXT, "
    "seconds REAL);"
    "CREATE TABLE setting (point INTEGER, key TEXT, value TEXT, PRIMARY KEY (point, key));"
    "CREATE TABLE value (point INTEGER, name TEXT, value, unit TEXT, state TEXT, metric INTEGER, "
    "PRIMARY KEY (point, name));";

const char *const bx_point_states[] = {"done", "refused", "failed"};

struct bx_sweep_store {
    bx_sqlite sqlite;
    struct sqlite3 *db;
    char *path;
    struct sqlite3_stmt *put[STATEMENTS];
};

static int fail_store(const bx_sweep_store *s, const char *why, bx_error *e)
{
    return bx_fail(e, BX_SYSTEM, 0, 0, "the sweep '%.200s' cannot be used: %s", s->path, why);
}

static int fail_sql(const bx_sweep_store *s, bx_error *e)
{
    return fail_store(s, s->db ? s->sqlite.errmsg(s->db) : "out of memory", e);
}

static int run_sql(bx_sweep_store *s, const char *sql, bx_error *e)
{
    return s->sqlite.exec(s->db, sql, NULL, NULL, NULL) == BX_SQLITE_OK ? BX_OK : fail_sql(s, e);
}

int bx_sweep_store_query(bx_sweep_store *s, const char *sql, bx_sweep_row *row, void *context,
                         bx_error *e)
{
    int code = s->sqlite.exec(s->db, sql, row, context, NULL);
    if (code == BX_SQLITE_ABORT)
        return bx_out_of_memory(e);
    return code == BX_SQLITE_OK ? BX_OK : fail_sql(s, e);
}

void bx_sweep_store_close(bx_sweep_store *s)
{
    if (!s)
        return;
    for (unsigned i = 0; i < STATEMENTS; i++)
        if (s->put[i])
            s->sqlite.finalize(s->put[i]);
    if (s->db)
        s->sqlite.close(s->db);
    free(s->path);
    free(s);
}

/* Somebody may read the file while it grows: both wait for each other. */
static int open_database(bx_sweep_store *s, int flags, bx_error *e)
{
    if (s->sqlite.open_v2(s->path, &s->db, flags, NULL) != BX_SQLITE_OK)
        return fail_sql(s, e);
    return run_sql(s, "PRAGMA busy_timeout = 60000", e);
}

static int make_store(const char *path, bx_sweep_store **to, bx_error *e)
{
    bx_sweep_store *s = calloc(1, sizeof *s);
    char *copy = strdup(path);
    if (!s || !copy) {
        free(s);
        free(copy);
        return bx_out_of_memory(e);
    }
    s->path = copy;
    int code = bx_sqlite_load(&s->sqlite, e);
    if (code)
        bx_sweep_store_close(s);
    else
        *to = s;
    return code;
}

/* ---- what a file is ---- */

static int take_whole(void *context, int n, char **value, char **name)
{
    (void)n, (void)name;
    *(long *)context = value[0] ? strtol(value[0], NULL, 10) : 0;
    return 0;
}

static int check_is_sweep(bx_sweep_store *s, bx_error *e)
{
    long application = 0, version = 0;
    int code = bx_sweep_store_query(s, "PRAGMA application_id", take_whole, &application, e);
    if (!code)
        code = bx_sweep_store_query(s, "PRAGMA user_version", take_whole, &version, e);
    if (code)
        return code;
    if (application != APPLICATION)
        fail_store(s, "it is another kind of file", e);
    else if (version != VERSION)
        fail_store(s, "another version of boxscore wrote it", e);
    else
        return BX_OK;
    bx_hint(e, "give the sweep another name, or move this file away");
    return BX_SYSTEM;
}

int bx_sweep_store_read(const char *path, bx_sweep_store **to, bx_error *e)
{
    bx_sweep_store *s = NULL;
    int code = make_store(path, &s, e);
    if (code)
        return code;
    code = open_database(s, BX_SQLITE_READS, e);
    if (!code)
        code = check_is_sweep(s, e);
    if (code)
        bx_sweep_store_close(s);
    else
        *to = s;
    return code;
}

typedef struct same {
    const char *definition;
    bool is, complete;
} same;

static int compare_definition(void *context, int n, char **value, char **name)
{
    same *what = context;
    (void)n, (void)name;
    what->is = value[0] && strcmp(value[0], what->definition) == 0;
    what->complete = value[1] && *value[1] == '1';
    return 0;
}

/* Whether the file is a part of that sweep. */
static int find_same(bx_sweep_store *s, const bx_sweep_about *about, bool *is, bx_error *e)
{
    same what = {.definition = about->definition};
    int code = check_is_sweep(s, e);
    if (!code)
        code =
            bx_sweep_store_query(s,
                                 "SELECT value, (SELECT value FROM sweep WHERE key = 'complete') "
                                 "FROM sweep WHERE key = 'definition'",
                                 compare_definition, &what, e);
    *is = what.is && (about->again || !what.complete);
    return code;
}

static int move_away(bx_sweep_store *s, bx_error *e)
{
    bx_buf old = {0};
    s->sqlite.close(s->db);
    s->db = NULL;
    bx_buf_f(&old, "%s.old", s->path);
    int code = old.failed                    ? bx_out_of_memory(e)
               : rename(s->path, old.p) == 0 ? BX_OK
                                             : fail_store(s, strerror(errno), e);
    bx_buf_free(&old);
    return code;
}

/* ---- writing ---- */

static int put_about(bx_sweep_store *s, const bx_sweep_about *about, bx_error *e)
{
    struct sqlite3_stmt *put;
    char points[32];
    snprintf(points, sizeof points, "%zu", about->points);
    const char *const rows[][2] = {{"boxscore", BX_VERSION},
                                   {"work", about->work},
                                   {"definition", about->definition},
                                   {"points", points},
                                   {"shows", about->shows}};
    if (s->sqlite.prepare_v2(s->db, "INSERT INTO sweep VALUES (?, ?)", -1, &put, NULL) !=
        BX_SQLITE_OK)
        return fail_sql(s, e);
    bool done = true;
    for (size_t i = 0; done && i < sizeof rows / sizeof *rows; i++) {
        const bx_cell row[] = {bx_cell_text(rows[i][0]), bx_cell_text(rows[i][1])};
        done = bx_sqlite_put(&s->sqlite, put, row, 2);
    }
    s->sqlite.finalize(put);
    return done ? run_sql(s, "INSERT INTO sweep VALUES ('complete', 0)", e) : fail_sql(s, e);
}

static int make_all(bx_sweep_store *s, const bx_sweep_about *about, bx_error *e)
{
    char head[96];
    snprintf(head, sizeof head, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION,
             VERSION);
    int code = open_database(s, BX_SQLITE_CREATES, e);
    if (!code)
        code = run_sql(s, head, e);
    if (!code)
        code = run_sql(s, "BEGIN", e);
    if (!code)
        code = run_sql(s, tables, e);
    if (!code)
        code = put_about(s, about, e);
    return code ? code : run_sql(s, "COMMIT", e);
}

static int prepare_all(bx_sweep_store *s, bx_error *e)
{
    for (unsigned i = 0; i < STATEMENTS; i++)
        if (s->sqlite.prepare_v2(s->db, statements[i], -1, &s->put[i], NULL) != BX_SQLITE_OK)
            return fail_sql(s, e);
    return BX_OK;
}

int bx_sweep_store_open(const char *path, const bx_sweep_about *about, bx_sweep_store **to,
                        bool *resumed, bx_error *e)
{
    struct stat is;
    bx_sweep_store *s = NULL;
    bool there = lstat(path, &is) == 0, same_one = false;
    int code = make_store(path, &s, e);
    if (code)
        return code;
    if (there && !S_ISREG(is.st_mode))
        code = fail_store(s, "it is not a regular file", e);
    if (!code && there)
        code = open_database(s, BX_SQLITE_CREATES, e);
    if (!code && there)
        code = find_same(s, about, &same_one, e);
    if (!code && there && !same_one)
        code = move_away(s, e);
    if (!code && !same_one)
        code = make_all(s, about, e);
    if (!code)
        code = prepare_all(s, e);
    if (code) {
        bx_sweep_store_close(s);
        return code;
    }
    *resumed = same_one;
    *to = s;
    return BX_OK;
}

static bool put_point(bx_sweep_store *s, const bx_point_outcome *o)
{
    const bx_cell row[] = {bx_cell_number(o->number + 1), bx_cell_text(o->machine),
                           bx_cell_text(bx_point_states[o->state]), bx_cell_text(o->message),
                           bx_cell_real(o->seconds)};
    return bx_sqlite_put(&s->sqlite, s->put[POINT], row, 5);
}

static bool put_setting(bx_sweep_store *s, const bx_point_outcome *o, size_t i)
{
    const bx_cell row[] = {bx_cell_number(o->number + 1), bx_cell_text(o->keys[i]),
                           bx_cell_text(o->values[i])};
    return bx_sqlite_put(&s->sqlite, s->put[SETTING], row, 3);
}

static bool put_value(bx_sweep_store *s, const bx_point_outcome *o, const bx_saved_value *v)
{
    bool fits = v->whole && v->count <= INT64_MAX;
    const bx_cell row[] = {bx_cell_number(o->number + 1),
                           bx_cell_text(v->name),
                           v->missing ? bx_cell_text(NULL)
                           : fits     ? bx_cell_number(v->count)
                                      : bx_cell_real(v->value),
                           bx_cell_text(v->unit),
                           bx_cell_text(v->missing  ? v->missing
                                        : v->scaled ? "scaled"
                                                    : "counted"),
                           bx_cell_number(v->metric)};
    return bx_sqlite_put(&s->sqlite, s->put[VALUE], row, 6);
}

int bx_sweep_store_put(bx_sweep_store *s, const bx_point_outcome *o, bx_error *e)
{
    int code = run_sql(s, "BEGIN", e);
    if (code)
        return code;
    bool done = put_point(s, o);
    for (size_t i = 0; done && i < o->settings; i++)
        done = put_setting(s, o, i);
    for (size_t i = 0; done && o->saved && i < o->saved->n; i++)
        done = put_value(s, o, &o->saved->values[i]);
    return done ? run_sql(s, "COMMIT", e) : fail_sql(s, e);
}

static int take_count(void *context, int n, char **value, char **name)
{
    (void)name;
    bool *whole = context;
    *whole = n == 1 && value[0] && strcmp(value[0], "3") == 0;
    return 0;
}

static int attach_part(bx_sweep_store *s, const char *path, bx_error *e)
{
    bx_buf sql = {0};
    bx_buf_z(&sql, "ATTACH '");
    for (const char *c = path; *c; c++) {
        bx_buf_add(&sql, c, 1);
        if (*c == '\'')
            bx_buf_z(&sql, "'");
    }
    bx_buf_z(&sql, "' AS part");
    int code = sql.failed ? bx_out_of_memory(e) : run_sql(s, sql.p, e);
    bx_buf_free(&sql);
    return code;
}

/* A part that a task has only begun has no tables, or not all: then it has no outcomes. */
int bx_sweep_store_merge(bx_sweep_store *s, const char *path, bx_error *e)
{
    bool whole = false;
    if (access(path, F_OK) != 0)
        return BX_OK;
    int code = attach_part(s, path, e);
    if (!code)
        code = bx_sweep_store_query(s,
                                    "SELECT count(*) FROM part.sqlite_master WHERE name IN "
                                    "('point', 'setting', 'value')",
                                    take_count, &whole, e);
    if (!code && whole)
        code = run_sql(s,
                       "BEGIN;"
                       "INSERT OR REPLACE INTO point SELECT * FROM part.point;"
                       "INSERT OR REPLACE INTO setting SELECT * FROM part.setting;"
                       "INSERT OR REPLACE INTO value SELECT * FROM part.value;"
                       "COMMIT",
                       e);
    return code ? code : run_sql(s, "DETACH part", e);
}

int bx_sweep_store_complete(bx_sweep_store *s, bx_error *e)
{
    return run_sql(s, "UPDATE sweep SET value = 1 WHERE key = 'complete'", e);
}
