/* A table of a recording: rows by keys, with the counts of each event. */
#ifndef BX_PROFILE_TABLE_H
#define BX_PROFILE_TABLE_H

#include "base/buf.h"
#include "profile/metrics.h"

enum { BX_PROFILE_KEYS_MOST = 10, BX_PROFILE_COLUMNS_MOST = 20 };

/* Where rows come from. */
enum bx_profile_source { BX_FROM_COST, BX_FROM_LINE, BX_FROM_UNIT };

/* What identifies a row: a key has one column, and others that its name needs. */
typedef struct bx_profile_column {
    const char *name; /* in JSON and CSV */
    const char *sql;
    enum { BX_COLUMN_TEXT, BX_COLUMN_NUMBER, BX_COLUMN_HEX } kind;
} bx_profile_column;

typedef struct bx_profile_question {
    bx_str by;                         /* keys, separated by commas */
    const char *sort;                  /* an event, "wait", "time", a metric; NULL: what fits */
    const bx_profile_metrics *metrics; /* NULL: rows are not sorted by metrics */
    uint64_t top;                      /* rows; 0: all */
    const char *function, *object;     /* names or globs; NULL: all */
    const char *source;                /* a path, or its end; NULL: all */
    int64_t thread;                    /* number in its process, … */
    bool has_thread;
    int64_t begin, end; /* cycles, … */
    bool has_span;
    bool children; /* rows by function or by line, with what they have called */
} bx_profile_question;

typedef struct bx_profile_row {
    bx_cell *key;                 /* [columns] */
    int64_t *value, *by_prefetch; /* [events] */
    int64_t *children; /* [events]: value, and that of what was called; NULL: not asked */
    int64_t rank;
    double metric, own_metric; /* by which rows are sorted, and without children; NAN: none */
    bool few;                  /* counts of the metric's events: it stands after the others */
    uint32_t place;            /* in the order of keys */
} bx_profile_row;

/* Who shares a line. */
typedef struct bx_profile_side {
    uint32_t row;
    const char *role, *function, *line, *event;
    int64_t offset, thread, core, count;
} bx_profile_side;

typedef struct bx_profile_table {
    const bx_profile *of;
    enum bx_profile_source source;
    const char *key[BX_PROFILE_KEYS_MOST];
    unsigned keys;
    bx_profile_column column[BX_PROFILE_COLUMNS_MOST];
    unsigned columns;
    bool *has;   /* [events]: events of this table */
    bool *ranks; /* [events]: those by which rows are sorted */
    const char *sort;
    const bx_profile_metrics *metrics;
    const bx_profile_metric *metric; /* by which rows are sorted; NULL: by counts */
    double metric_of_all;            /* of the totals; NAN: it has none */
    uint32_t few;                    /* rows */
    bool has_children;               /* rows have them, and are sorted by them */
    bx_profile_row *row;
    uint32_t room;
    uint32_t rows;         /* that are shown, … */
    uint32_t left;         /* … and those that --top leaves out */
    int64_t *other;        /* [events]: of the total, what no row shows */
    bx_profile_side *side; /* of shared lines, by row */
    uint32_t sides;
} bx_profile_table;

/* Reads a table. Errors of the question have the span in its text: that of --by. */
int bx_profile_tabulate(bx_profile *p, const bx_profile_question *question, bx_profile_table *to,
                        bx_error *e);

/* ---- for the files of this folder: rows.c ---- */

/* Adds a row without counts; key: [columns]. false: out of memory. */
bool bx_profile_add_row(bx_profile *p, bx_profile_table *t, const bx_cell *key);

/* ---- question.c ---- */

/* How a table is read. */
typedef struct bx_profile_sql {
    bool sums;             /* from the sums of code and objects; else … */
    bx_buf inner, columns; /* … these rows are added up first, by `keys` numbers, … */
    unsigned keys;
    bool moved;   /* … from temp.moved */
    bx_buf outer; /* columns of the table, then event, count, by prefetch */
} bx_profile_sql;

/* Reads the keys into *to, and writes the SQL. Free its buffers in any case. */
int bx_profile_question_sql(const bx_profile_question *q, bx_profile_table *to, bx_profile_sql *sql,
                            bx_error *e);
/* The events by which rows are sorted: to->sort and to->ranks. */
int bx_profile_question_sort(const bx_profile_question *q, bx_profile_table *to, bx_error *e);

#endif
