/* The trace of a program in a file (docs/reference/trace.md), made and read. */
#ifndef BX_MACHINE_PROGRAM_TRACE_RECORDING_H
#define BX_MACHINE_PROGRAM_TRACE_RECORDING_H

#include "machine/program/process/surroundings.h"
#include "machine/program/trace/file.h"
#include "machine/program/trace/notes.h"

#include <sys/types.h>

/* Only checks whether a trace of the program can be written. */
int bx_recording_check(const char *program, bx_error *e);

typedef struct bx_recording {
    char *const *argv;
    bx_surroundings shown; /* the environment that the program sees */
    int fd;                /* the file for the trace of all its processes, … */
    const char *name;      /* … and its name for messages */
    /* Called with the number of the program's process when it runs, and with 0 at its end. end_all:
     * as in bx_child. */
    void (*runs)(pid_t pid, volatile int *end_all);
} bx_recording;

/* Runs the program. *status: as a shell gives it. */
int bx_recording_make(const bx_recording *what, int *status, bx_error *e);

typedef struct bx_recording_info {
    const bx_tracefile_head *head; /* NULL: even the head could not be read */
    bx_codec_counts counts;
    uint32_t processes, unread; /* unread: processes that ran without a trace */
    uint32_t left;              /* processes that still ran when the program ended */
    bx_trace_notes notes; /* facts on processes, such as that one was not counted to its end */
    uint64_t bytes;
    uint32_t cksum;
    bool whole;         /* the file has its end */
    int status, signal; /* status and signal of the program, if whole */
    bx_trace_file *file;
} bx_recording_info;

/* Reads the whole file. After an error, *info has what was read before. */
int bx_recording_read(const char *path, bx_recording_info *info, bx_error *e);
void bx_recording_info_free(bx_recording_info *info);

#endif
