/* SQLite, loaded when a command needs it: a process that is linked with it starts slower, and most
 * commands have no use for it. */
#ifndef BX_RECORDING_SQLITE_H
#define BX_RECORDING_SQLITE_H

#include <boxscore/boxscore.h>

#include <stdbool.h>
#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;

/* Its codes: https://www.sqlite.org/rescode.html */
enum {
    BX_SQLITE_OK = 0,
    BX_SQLITE_ABORT = 4, /* a row() of exec() did not return 0 */
    BX_SQLITE_NO_MEMORY = 7,
    BX_SQLITE_ROW = 100,
    BX_SQLITE_DONE = 101,
};

/* How a file is opened, by one thread at a time: SQLITE_OPEN_READONLY, SQLITE_OPEN_READWRITE,
 * SQLITE_OPEN_CREATE, each with SQLITE_OPEN_NOMUTEX. */
enum {
    BX_SQLITE_READS = 0x1 | 0x8000,
    BX_SQLITE_WRITES = 0x2 | 0x8000,
    BX_SQLITE_CREATES = 0x2 | 0x4 | 0x8000,
};

/* A value of a row. */
typedef struct bx_cell {
    enum { BX_CELL_NULL, BX_CELL_NUMBER, BX_CELL_REAL, BX_CELL_TEXT } kind;
    int64_t number;
    double real;
    const char *text;
} bx_cell;

static inline bx_cell bx_cell_number(uint64_t number)
{
    return (bx_cell){.kind = BX_CELL_NUMBER, .number = (int64_t)number};
}

static inline bx_cell bx_cell_real(double real)
{
    return (bx_cell){.kind = BX_CELL_REAL, .real = real};
}

/* NULL: as the database's NULL. */
static inline bx_cell bx_cell_text(const char *text)
{
    return (bx_cell){.kind = text ? BX_CELL_TEXT : BX_CELL_NULL, .text = text};
}

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

/* Gives the parameter `at` of a statement. A text must stay until the statement is executed. */
int bx_sqlite_bind(const bx_sqlite *q, struct sqlite3_stmt *to, int at, const bx_cell *cell);

/* Executes a statement whose n parameters are these, and makes it ready for the next row. false: it
 * failed. */
bool bx_sqlite_put(const bx_sqlite *q, struct sqlite3_stmt *to, const bx_cell *cell, unsigned n);

#endif
