/* Intel's event files (github.com/intel/perfmon) as a catalogue: the same blob as that of the
 * notation. Its PMUs have no registers: their events are selected by Linux's terms
 * (BX_EVENT_TERMS). */
#ifndef BX_PERFMON_PERFMON_H
#define BX_PERFMON_PERFMON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "catalog/catalog.h"

/* A file of the CPU. */
typedef struct bx_perfmon_file {
    bx_str name, text;
    bx_str role; /* of the cores of a hybrid CPU: "Atom"; empty */
    bool metrics;
} bx_perfmon_file;

/* A CPU to import. */
typedef struct bx_perfmon_cpu {
    bx_str folder; /* in lower case: "spr", "nhm-ex" */
    const bx_cat_id *ids;
    size_t ids_n;
    const bx_perfmon_file *files;
    size_t files_n;
    const struct bx_catalog *builtin; /* the built-in catalogue, … */
    int builtin_cpu;                  /* … and its CPU that the events are added to; -1: none */
} bx_perfmon_cpu;

typedef struct bx_perfmon_counts {
    size_t events;      /* that were imported, or are known already */
    size_t known;       /* of these: the built-in catalogue has them */
    size_t differences; /* of these: with other bits */
    size_t bits;        /* rows that are bits of an event */
    size_t refused;
    size_t metrics, metrics_refused;
    char version[16], date[16]; /* of the newest file */
} bx_perfmon_counts;

/* Compiles the files (malloc; free with free()). refusals: a line for each row that is no event,
 * with the reason. NULL on an error: its span is in *at_fault, one of the files. */
struct bx_catalog *bx_perfmon_compile(const bx_perfmon_cpu *cpu, bx_perfmon_counts *counts,
                                      bx_buf *refusals, const bx_perfmon_file **at_fault,
                                      bx_error *e);

#endif
