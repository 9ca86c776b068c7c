/* An open recording: for the files that read it. */
#ifndef BX_RECORDING_OPENED_H
#define BX_RECORDING_OPENED_H

#include "recording/reader.h"
#include "recording/sqlite.h"

struct bx_recording_reader {
    bx_sqlite sqlite;
    struct sqlite3 *db;
    struct sqlite3_stmt *asked;
    char *path;
    bx_error error;
};

/* Keeps the first error, with SQLite's words. */
int bx_recording_fail(bx_recording_reader *r, int code);

#endif
