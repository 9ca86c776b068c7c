/* What a measurement did not see, and what its user should know. */
#ifndef BX_MEASURE_REMARKS_H
#define BX_MEASURE_REMARKS_H

#include "base/error.h"
#include "topology/topology.h"

struct bx_measurement;

typedef struct bx_comment {
    const char *text; /* lines */
    bool unseen;      /* it says what the run lacks: `boxscore diff` does not pass then */
    bool line;        /* on a line of its own */
    bool apart;       /* CSV and JSON have a place of its own for it */
} bx_comment;

enum bx_remarks_form {
    BX_REMARKS_LINES,    /* with a line for each that asks for it */
    BX_REMARKS_ONE_LINE, /* all in one line */
    BX_REMARKS_BESIDE,   /* the same, without what CSV and JSON have apart */
};

/* Gets what has to be said while the measurement goes on. */
typedef struct bx_listener {
    void (*note)(void *context, const char *text);
    void *context;
} bx_listener;

void bx_tell(const bx_listener *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A bx_listener.note that adds to the remarks of the result, `context`. */
void bx_result_note(void *result, const char *text);

/* Adds the remarks on a measurement that has ended to its result. */
int bx_measurement_remark(const struct bx_measurement *m, bx_error *e);

/* Makes the remarks from the n-th on the one of the report. */
int bx_result_join_remarks(bx_result *r, size_t n, enum bx_remarks_form form, bx_error *e);

/* The signal's name: "SIGINT". */
const char *bx_signal_name(int signal);

/* The event whose confidence interval is the widest; NULL: none has a value. */
const struct bx_record *bx_result_widest(const bx_result *r);

/* Says of each event with a filter for nodes that the machine does not have that it counts nothing
 * of them. */
void bx_note_nodes(const bx_listener *to, const bx_topology *t, const bx_evsel *events, size_t n);

#endif
