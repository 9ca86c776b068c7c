/* Who made the difference, in words and tables. Each function appends to *to and sets its `failed`
 * if memory runs out. */
#ifndef BX_COMPARE_RECORDINGS_CAUSES_FORMAT_H
#define BX_COMPARE_RECORDINGS_CAUSES_FORMAT_H

#include "base/buf.h"
#include "compare/recordings/causes.h"
#include "report/number.h"

typedef struct bx_causes_how {
    bool all;              /* also rows that have not changed, and not only the largest changes */
    const char *separator; /* of CSV */
} bx_causes_how;

void bx_causes_text(const bx_causes *c, const bx_causes_how *how, bx_buf *to);
void bx_causes_markdown(const bx_causes *c, const bx_causes_how *how, bx_buf *to);

/* One object a line: a row with all its events that have changed. */
void bx_causes_json(const bx_causes *c, const bx_causes_how *how, bx_buf *to);

/* The columns of bx_compare_csv(): `where` is the row, `what` the event. */
void bx_causes_csv(const bx_causes *c, const bx_causes_how *how, bx_buf *to);

/* ---- words ---- */

enum { BX_CAUSE_SIGNED = BX_NUMBER + 1 };

/* "+1,234", "-5", "0"; returns `to`. */
const char *bx_cause_signed(int64_t change, char to[BX_CAUSE_SIGNED]);

/* "copy, copy.c:12 (was copy.c:10)", "new: (stack)" */
void bx_cause_label(const bx_cause *row, bx_buf *to);

/* ": to[i] = from[i];", or nothing. */
void bx_cause_text(const bx_cause *row, bx_buf *to);

#endif
