/* Metrics in a file, for node_exporter's textfile collector. */
#ifndef BX_SERVE_TEXTFILE_H
#define BX_SERVE_TEXTFILE_H

#include "live/measuring.h"

/* Writes the present state under another name and renames it: a reader never sees a part. */
int bx_textfile_write(bx_measuring *m, const char *path, bx_error *e);

#endif
