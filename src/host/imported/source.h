/* A user's copy of perfmon: its folders, and the files of a CPU. */
#ifndef BX_HOST_IMPORTED_SOURCE_H
#define BX_HOST_IMPORTED_SOURCE_H

#include "base/arena.h"
#include "perfmon/perfmon.h"

/* A folder of perfmon. */
typedef struct bx_source_cpu {
    char name[24];      /* in lower case */
    const char *folder; /* its path */
    const char *own;    /* its name below the copy: "SPR" */
    bx_cat_id ids[16];
    size_t ids_n;
    uint16_t steppings;
} bx_source_cpu;

typedef struct bx_source {
    bx_arena *arena;
    const char *archive; /* that the copy was unpacked from; NULL: it is a folder */
    bx_str mapfile;      /* empty: a CPU's folder without one */
    bx_source_cpu *cpus;
    size_t n;
} bx_source;

/* Finds the CPUs of a copy, or of one CPU's folder. Everything lives in the arena. */
int bx_source_open(const char *folder, bx_arena *arena, bx_source *to, bx_error *e);

/* Reads the files of a CPU. */
int bx_source_files(const bx_source *s, const bx_source_cpu *cpu, bx_arena *arena,
                    bx_perfmon_file **files, size_t *n, bx_error *e);

#endif
