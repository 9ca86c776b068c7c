/* A recording: what a program caused on a machine, as a SQLite file. docs/reference/recording.md
 * has its tables. Rows are written in transactions, so the file is whole when its writer is killed.
 */
#ifndef BX_RECORDING_RECORDING_H
#define BX_RECORDING_RECORDING_H

#include "recording/sqlite.h"

#include <stddef.h>

enum bx_recording_table {
    BX_TABLE_RUN,
    BX_TABLE_EVENT,
    BX_TABLE_BINARY,
    BX_TABLE_CODE,
    BX_TABLE_INLINED,
    BX_TABLE_SOURCE,
    BX_TABLE_CONTEXT,
    BX_TABLE_OBJECT,
    BX_TABLE_THREAD,
    BX_TABLE_SPAN,
    BX_TABLE_COST,
    BX_TABLE_UNIT_COST,
    BX_TABLE_CORE_UNIT,
    BX_TABLE_LINE,
    BX_TABLE_SERIES_COLUMN,
    BX_TABLE_SERIES,
    BX_TABLES,
};

typedef struct bx_recording_file bx_recording_file;

/* Makes the file with all tables. An older file of that name is renamed: an older recording is
 * never overwritten. series: number of columns of the table `series`. */
int bx_recording_new(const char *path, size_t series, bx_recording_file **f, bx_error *e);

/* Writes a row. row: its rowid, and a row with that number is replaced; 0: it is added. Errors are
 * reported by the next bx_recording_commit(). */
void bx_recording_put(bx_recording_file *f, enum bx_recording_table table, uint64_t row,
                      const bx_cell *cell);
void bx_recording_clear(bx_recording_file *f, enum bx_recording_table table);

/* Rows since the last call become part of the file together. */
int bx_recording_commit(bx_recording_file *f, bx_error *e);

/* Closes the file, without what was not committed; NULL is fine. */
void bx_recording_close(bx_recording_file *f);

/* ---- tables.c ---- */

/* The columns of a table, for CREATE TABLE, and their number; of `series` without c1, c2 … */
typedef struct bx_table_columns {
    const char *name, *columns;
    unsigned n;
} bx_table_columns;
extern const bx_table_columns bx_recording_tables[BX_TABLES];
extern const char bx_recording_views[];

#endif
