/* The lines of a recording (recorder.h), one after the other. */
#ifndef BX_HOST_RECORD_RECORDING_READER_H
#define BX_HOST_RECORD_RECORDING_READER_H

#include "base/buf.h"
#include "reglog/reglog.h"

#include <stdio.h>

/* What a line tells. */
enum bx_recorded {
    BX_RECORDED_NOTHING,
    BX_RECORDED_ACCESS,
    BX_RECORDED_RUN,
    BX_RECORDED_CLOCK,
    BX_RECORDED_END
};

typedef struct bx_recording {
    char *path;
    FILE *file;
    char *bytes;        /* the line that was read last */
    unsigned long line; /* its number, counted from `skipped` on */
    uint64_t skipped;   /* bytes before the part */
    bx_buf head;        /* the comments before the first line that means something */
    bx_error trouble;   /* the first line that cannot be understood, or what else is wrong */
    /* The next of the file, looked at and not taken yet. */
    enum bx_recorded kind;
    bx_reglog_access access;
    uint64_t at, until; /* when it was, how far the machine was to run */
    bool done;          /* it ran to the end */
    int status;
} bx_recording;

/* Opens a part: BX_SYSTEM, BX_BAD_INPUT. bx_recording_close() is needed after an error as well. */
int bx_recording_open(bx_recording *r, const char *path, unsigned part, bx_error *e);
void bx_recording_close(bx_recording *r);

/* What comes next; END also after trouble. Taken, the next one comes. */
enum bx_recorded bx_recording_peek(bx_recording *r);
void bx_recording_take(bx_recording *r);

/* Sets the trouble, with the line. */
void bx_recording_fail(bx_recording *r, const char *what);

#endif
