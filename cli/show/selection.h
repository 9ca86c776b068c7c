/* Shows an event selection on one counter of one unit, for `encode` and `decode`. The JSON is
 * specified in docs/reference/output.md. */
#ifndef BX_CLI_SHOW_SELECTION_H
#define BX_CLI_SHOW_SELECTION_H

#include "base/json.h"
#include "catalog/catalog.h"
#include "cli/show/kernel_words.h"
#include "event/decode/decode.h"

typedef struct bx_selected {
    bx_evsel event;
    unsigned unit;
    int counter; /* -1: a fixed or free-running counter */
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t regs_n;
    uint16_t read;                 /* register of a counter without a control; else BX_NONE */
    uint32_t seen;                 /* mask over regs: those whose fields are all shown */
    const bx_kernel_words *kernel; /* where a kernel puts it; NULL: no kernel was named */
} bx_selected;

/* The event on its lowest possible unit and counter. */
bx_selected bx_selected_encoded(const bx_catalog *c, const bx_evsel *event);

/* A decoded event. Registers have the values that were read; one that was not read has the value
 * that the event needs. */
bx_selected bx_selected_decoded(const bx_catalog *c, const bx_decoded *decoded, const bx_raw *raw,
                                size_t raws);

enum { BX_SELECTED_COLUMN = 13 }; /* column of the text beside labels */
void bx_selected_text(bx_buf *to, const bx_catalog *c, const bx_selected *s);
void bx_selected_json(bx_json *j, const bx_catalog *c, const bx_selected *s);

/* Writes a unit's register and its value on a line. */
void bx_register_text(bx_buf *to, const bx_catalog *c, uint16_t reg, unsigned unit, uint64_t value);

/* Writes the fields of a register's value, a line each. */
void bx_fields_text(bx_buf *to, const bx_catalog *c, uint16_t reg, uint64_t value);

#endif
