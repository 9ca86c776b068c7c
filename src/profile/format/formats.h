/* What a recording shows, as text, CSV and JSON. Each function appends to *to and sets its
 * `failed` if memory runs out. */
#ifndef BX_PROFILE_FORMAT_FORMATS_H
#define BX_PROFILE_FORMAT_FORMATS_H

#include "base/buf.h"
#include "profile/calls.h"
#include "profile/table.h"

/* 80 columns; lines are longer only where a name is. */
void bx_profile_text(const bx_profile_table *t, bx_buf *to);

/* A line for each row, then `(left out)`: columns of the keys, then one for each event, then the
 * parts of these that prefetchers caused. */
void bx_profile_csv(const bx_profile_table *t, const char *separator, bx_buf *to);

/* One object. */
void bx_profile_json(const bx_profile_table *t, bx_buf *to);

/* ---- exports: calls and costs; the order of the table's rows names the events ---- */

/* All events of the table. */
void bx_profile_callgrind(const bx_calls *c, const bx_profile_table *t, bx_buf *to);

/* Those by which rows are sorted. */
void bx_profile_folded(const bx_calls *c, const bx_profile_table *t, bx_buf *to);

#endif
