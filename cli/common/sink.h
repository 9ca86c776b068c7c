/* The destination of a report: standard output, standard error, or a file. A file appears when it
 * is complete. A file that users follow while it grows appears with its first line. */
#ifndef BX_CLI_COMMON_SINK_H
#define BX_CLI_COMMON_SINK_H

#include "cli/common/cli.h"

typedef struct bx_sink {
    bx_cli *cli; /* its standard output is used if fd is -1 */
    int fd;
    const char *name;      /* as the user wrote it */
    const char *path;      /* the same with links followed; NULL: not a file */
    bool appends;          /* new text is added to the file's old contents */
    const char *temporary; /* temporary name; NULL: a device or a pipe, written directly */
    bool grows;            /* the file gets its name when something is first written */
    bool array;    /* what is written are objects, one a line: they become elements of an array */
    bool elements; /* the array has some */
} bx_sink;

/* Standard output, or standard error. */
bx_sink bx_sink_standard(bx_cli *cli, bool error);

/* The name "-", which means standard output in place of a file, in each command. */
bool bx_sink_is_standard(const char *path);

/* Takes standard output. The output of programs goes to standard error instead. */
int bx_sink_take_standard(bx_sink *sink, bx_error *e);

/* Opens a file under a temporary name in the same folder, or standard output: "-". An existing file
 * stays until bx_sink_keep(). BX_SYSTEM if it cannot be created. */
int bx_sink_open(bx_cli *cli, const char *path, bx_sink *sink, bx_error *e);

/* Opens a file, or creates it, to append to it. Each write appears at once, so users can follow the
 * file. */
int bx_sink_append(bx_cli *cli, const char *path, bx_sink *sink, bx_error *e);

/* Appends text. BX_SYSTEM if writing fails, for example on a full disk. */
int bx_sink_write(bx_sink *sink, const bx_buf *text, bx_error *e);

/* Ends an array, closes the sink and gives the file its name. BX_SYSTEM as above; the file is then
 * discarded. */
int bx_sink_keep(bx_sink *sink, bx_error *e);

/* Closes the sink without leaving a file. */
void bx_sink_discard(bx_sink *sink);

/* Writes all that there is, and keeps it. path: a file; NULL, "-": standard output. array: it
 * becomes an array, as above. */
int bx_sink_put(bx_cli *cli, const char *path, bool array, const bx_buf *text, bx_error *e);

#endif
