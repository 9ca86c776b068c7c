/* Where a report goes: standard output, standard error, or a file that appears whole or not at
 * all. */
#ifndef BX_CLI_COMMON_SINK_H
#define BX_CLI_COMMON_SINK_H

#include "cli/common/cli.h"

typedef struct bx_sink {
    bx_cli *cli; /* its standard output is meant, if fd is -1 */
    int fd;
    const char *name;      /* as it was given */
    const char *path;      /* the same with links followed; NULL: not a file */
    const char *temporary; /* its name until then; NULL: a device or a pipe, written directly */
} bx_sink;

/* Standard output, or standard error. */
bx_sink bx_sink_standard(bx_cli *cli, bool error);

/* A file, under a temporary name in the same folder. What stands there already stays until
 * bx_sink_keep(). BX_SYSTEM if it cannot be made. */
int bx_sink_open(bx_cli *cli, const char *path, bx_sink *sink, bx_error *e);

/* Appends text. BX_SYSTEM when it cannot be written, such as on a full disk. */
int bx_sink_write(bx_sink *sink, const bx_buf *text, bx_error *e);

/* Ends it: the file is given its name. BX_SYSTEM as above; the file is then discarded. */
int bx_sink_keep(bx_sink *sink, bx_error *e);

/* Ends it: nothing is left of a file. */
void bx_sink_discard(bx_sink *sink);

#endif
