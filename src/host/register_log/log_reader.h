/* Reads a register log (logger.h) line by line. */
#ifndef BX_HOST_REGISTER_LOG_LOG_READER_H
#define BX_HOST_REGISTER_LOG_LOG_READER_H

#include "base/buf.h"
#include "reglog/reglog.h"

#include <stdio.h>

/* Kind of a line. */
enum bx_recorded {
    BX_RECORDED_NOTHING,
    BX_RECORDED_ACCESS,
    BX_RECORDED_RUN,
    BX_RECORDED_CLOCK,
    BX_RECORDED_END
};

typedef struct bx_register_log {
    char *path;
    FILE *file;
    char *bytes;        /* the last line read */
    unsigned long line; /* its number, counted from `skipped` on */
    uint64_t skipped;   /* bytes before the part */
    bx_buf head;        /* the comments before the first line that is not a comment */
    bx_error error;     /* the first error */
    /* The next line that is not a comment; read but not taken yet. */
    enum bx_recorded kind;
    bx_reglog_access access;
    uint64_t at, until; /* its time; the time until which the machine had to run */
    bool done;          /* it ran to the end */
    int status;
} bx_register_log;

/* Opens a part. BX_SYSTEM: cannot be read; BX_BAD_INPUT: no register log, or no such part. Call
 * bx_register_log_close() after an error as well. */
int bx_register_log_open(bx_register_log *r, const char *path, unsigned part, bx_error *e);
void bx_register_log_close(bx_register_log *r);

/* peek: the kind of the next line, BX_RECORDED_END also after an error. take: moves past it. */
enum bx_recorded bx_register_log_peek(bx_register_log *r);
void bx_register_log_take(bx_register_log *r);

/* Sets the error, with path and line number. */
void bx_register_log_fail(bx_register_log *r, const char *what);

#endif
