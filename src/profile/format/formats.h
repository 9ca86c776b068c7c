/* What a recording shows, as text, CSV and JSON. Each function appends to *to and sets its
 * `failed` if memory runs out. */
#ifndef BX_PROFILE_FORMAT_FORMATS_H
#define BX_PROFILE_FORMAT_FORMATS_H

#include "base/buf.h"
#include "profile/calls.h"
#include "profile/table.h"

/* 80 columns; lines are longer only where a name is. */
void bx_profile_text(const bx_profile_table *t, bx_buf *to);

/* What the time is, after "WORK on MACHINE: ". */
void bx_profile_verdict(const bx_profile *p, bx_buf *to);

/* A line for each row, then `(left out)`: columns of the keys, then one for each event, then the
 * parts of these that prefetchers caused. */
void bx_profile_csv(const bx_profile_table *t, const char *separator, bx_buf *to);

/* One object. */
void bx_profile_json(const bx_profile_table *t, bx_buf *to);

/* The source file of a row of a table by line, if it is the file's first row; else empty. */
bx_str bx_profile_file(const bx_profile_table *t, uint32_t row);

/* Lines of a source file around those that have counts, and the counts. */
void bx_profile_annotated(const bx_profile_table *t, bx_str file, bx_str text, bx_buf *to);

/* The columns of a line with counts, and of one without (NULL), and their heading. */
void bx_profile_counted(const bx_profile_table *t, const bx_profile_row *row, bx_buf *to);
void bx_profile_counted_heading(const bx_profile_table *t, bx_str of, bx_buf *to);

/* ---- exports: calls and costs; the order of the table's rows names the events ---- */

/* All events of the table. */
void bx_profile_callgrind(const bx_calls *c, const bx_profile_table *t, bx_buf *to);

/* All events, that by which rows are sorted first; labels for object, thread and process. The calls
 * have been read with data. */
void bx_profile_pprof(const bx_calls *c, const bx_profile_table *t, bx_buf *to);

/* Those by which rows are sorted. */
void bx_profile_folded(const bx_calls *c, const bx_profile_table *t, bx_buf *to);

#endif
