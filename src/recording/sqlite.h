/* SQLite, loaded when a command needs it: a process that is linked with it starts slower, and most
 * commands have no use for it. */
#ifndef BX_RECORDING_SQLITE_H
#define BX_RECORDING_SQLITE_H

#include <boxscore/boxscore.h>

struct sqlite3;
struct sqlite3_stmt;

/* The functions of SQLite that are used: https://www.sqlite.org/c3ref/funclist.html */
typedef struct bx_sqlite {
    int (*open_v2)(const char *path, struct sqlite3 **db, int flags, const char *vfs);
    int (*close)(struct sqlite3 *db);
    int (*exec)(struct sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **),
                void *context, char **error);
    int (*prepare_v2)(struct sqlite3 *db, const char *sql, int n, struct sqlite3_stmt **to,
                      const char **tail);
    int (*bind_int64)(struct sqlite3_stmt *s, int at, long long value);
    int (*bind_double)(struct sqlite3_stmt *s, int at, double value);
    int (*bind_text)(struct sqlite3_stmt *s, int at, const char *text, int n, void (*done)(void *));
    int (*bind_null)(struct sqlite3_stmt *s, int at);
    int (*step)(struct sqlite3_stmt *s);
    int (*column_type)(struct sqlite3_stmt *s, int at);
    long long (*column_int64)(struct sqlite3_stmt *s, int at);
    double (*column_double)(struct sqlite3_stmt *s, int at);
    const unsigned char *(*column_text)(struct sqlite3_stmt *s, int at);
    int (*reset)(struct sqlite3_stmt *s);
    int (*finalize)(struct sqlite3_stmt *s);
    const char *(*errmsg)(struct sqlite3 *db);
    int (*errcode)(struct sqlite3 *db);
} bx_sqlite;

/* BX_NOT_FOUND: boxscore was built without it, or it is not installed; the hint names the package.
 */
int bx_sqlite_load(bx_sqlite *to, bx_error *e);

#endif
