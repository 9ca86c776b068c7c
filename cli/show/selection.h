/* An event selection on one counter of one unit, as `encode` and `decode` show it. The JSON is a
 * contract: docs/commands.md. */
#ifndef BX_CLI_SHOW_SELECTION_H
#define BX_CLI_SHOW_SELECTION_H

#include "base/json.h"
#include "catalog/catalog.h"

typedef struct bx_selected {
    bx_evsel event;
    unsigned unit;
    int counter; /* -1: it has no number, being a fixed or free-running one */
    bx_regvalue regs[1 + BX_EXTRAS];
    size_t regs_n;
    uint16_t read; /* register that is only read: of a free-running counter; else BX_NONE */
    uint32_t seen; /* mask over regs: each of their fields is shown */
} bx_selected;

/* The event on the lowest unit and counter that it can be on. */
bx_selected bx_selected_encoded(const bx_catalog *c, const bx_evsel *event);

/* An event of a reading: registers have the values that were read, those that are not in the
 * reading what the event needs of them. */
bx_selected bx_selected_decoded(const bx_catalog *c, const bx_decoded *decoded, const bx_raw *raw,
                                size_t raws);

enum { BX_SELECTED_COLUMN = 13 }; /* where the text beside the labels begins */
void bx_selected_text(bx_buf *to, const bx_catalog *c, const bx_selected *s);
void bx_selected_json(bx_json *j, const bx_catalog *c, const bx_selected *s);

/* A register of a unit with its value, on a line. */
void bx_register_text(bx_buf *to, const bx_catalog *c, uint16_t reg, unsigned unit, uint64_t value);

/* The fields of a register's value, a line each. */
void bx_fields_text(bx_buf *to, const bx_catalog *c, uint16_t reg, uint64_t value);

#endif
