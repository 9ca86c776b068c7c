/* Records a measurement into a SQLite file (recording/recording.h): counts over time, and on a
 * virtual machine who caused them. docs/reference/recording.md */
#ifndef BX_MEASURE_RECORDING_H
#define BX_MEASURE_RECORDING_H

#include "attribute/costs.h"
#include "machine/program/decode/witness.h"
#include "measure/code_names.h"
#include "measure/measurement.h"
#include "recording/recording.h"

enum { BX_SPANS = 128, BX_RECORDING_EVENTS_MOST = 1024 };

/* A line that has code. Its file's name stays until the binary is closed. */
typedef struct bx_recorded_line {
    const char *file;
    unsigned line;
    size_t binary;
} bx_recorded_line;

typedef struct bx_recording_run {
    /* Set before bx_recording_watch(). */
    const char *path;
    uint64_t interval; /* ns of the machine's time, of a row of the series */
    size_t most_rows;
    bool contexts_off;
    const char *const *allocators; /* as in bx_witness; NULL: no objects */

    bx_recording_file *file; /* NULL: not made yet */
    const bx_measured *measured;
    bx_report names; /* of events and units */
    bx_witness witness;
    bool attributes;     /* the machine is virtual: it tells who causes what */
    bool *told;          /* [events]: which events it tells */
    unsigned line_bytes; /* of its caches */
    uint64_t *total;     /* [events] */
    bool *has_total;     /* [events] */
    size_t readings_n;
    uint64_t *of_series; /* [readings_n]: values at the end of the last row, … */
    uint64_t *of_span;   /* … and of the last span */
    uint64_t *by_span;   /* [readings_n][BX_SPANS] */
    uint64_t start;      /* machine time */
    uint64_t row_began, row_ends, row_length; /* of the series, since `start` */
    unsigned span;                            /* the present one */
    uint64_t span_length;
    uint64_t began, committed, kept; /* ns of a real clock: the begin, the last commit, and that of
                                        all rows */
    size_t codes, contexts;          /* that are in the file */
    bool chains;                     /* the machine tells which waits are of chains */
    bx_code_names code_names;        /* its folder and demangle are set before; files of source
                                        that are not used are in its `refused`, too */
    bx_recorded_line *line;          /* [lines] */
    size_t lines, lines_room;
    uint64_t texts; /* rows of the table source */
    uint64_t rows;  /* of the table cost, without issue and waits */
    bool pending;   /* rows of the series are not committed */
} bx_recording_run;

/* The functions that record a measurement: m->watch. Close *r in any case. */
bx_measure_watch bx_recording_watch(bx_recording_run *r);
void bx_recording_run_end(bx_recording_run *r); /* closes the file */
void bx_recording_run_close(bx_recording_run *r);

/* ---- recording_rows.c ---- */

/* Writes the rows that do not change any more. */
void bx_recording_write_head(bx_recording_run *r);
/* Writes what has changed of all but the series. The totals are up to date. a: NULL: nothing is
 * attributed. */
void bx_recording_write_rows(bx_recording_run *r, struct bx_attribution *a);

/* Writes which core has caused what each unit counted; once, at the end. */
void bx_recording_write_matrix(bx_recording_run *r, const struct bx_attribution *a);

/* ---- recording_names.c ---- */

void bx_recording_write_key(bx_recording_run *r, const char *key, bx_cell value);
/* Writes the code that is no instruction. */
void bx_recording_write_reserved(bx_recording_run *r);
/* Writes what is new of binaries and code, and the objects. The witness is locked. */
void bx_recording_write_names(bx_recording_run *r, const struct bx_attribution *a);

/* ---- recording_source.c ---- */

void bx_recording_note_line(bx_recording_run *r, size_t binary, const char *file, unsigned line);
/* Writes the text of all lines that were noted; once, at the end. */
void bx_recording_write_source(bx_recording_run *r);

#endif
