/* Where a recording goes: a database needs a file. For standard output, it is made in a temporary
 * folder and copied at the end. */
#ifndef BX_CLI_MEASURE_RECORDED_OUTPUT_H
#define BX_CLI_MEASURE_RECORDED_OUTPUT_H

#include "cli/common/sink.h"

typedef struct bx_recorded_output {
    const char *path;    /* of the database */
    const char *folder;  /* NULL: it stays where it is */
    const char *journal; /* what SQLite writes beside it meanwhile */
    bx_sink sink;
} bx_recorded_output;

/* output: a path, or "-". Then the program's own output goes to standard error. */
int bx_recorded_output_begin(bx_cli *cli, const char *output, bx_recorded_output *to, bx_error *e);
/* The database is closed. copies: it is whole, and wanted. */
int bx_recorded_output_end(bx_recorded_output *to, bool copies, bx_error *e);

#endif
