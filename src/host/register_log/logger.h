/* A register log: a bus in front of another one that writes every access to a file, with its time
 * and result (format: docs/reference/register-log.md). replay.h repeats the measurement from that
 * file.
 *
 * A measurement takes its times from the logger. The logger returns the time of the last line,
 * so the file has every time that affects a reading. */
#ifndef BX_HOST_REGISTER_LOG_LOGGER_H
#define BX_HOST_REGISTER_LOG_LOGGER_H

#include "seam/bus.h"
#include "topology/topology.h"

typedef struct bx_register_logger bx_register_logger;

typedef struct bx_register_logger_options {
    const char *path;
    /* number of the measurement in the file: 0 begins the file, others are appended */
    unsigned part;
    const bx_topology *topology;
    const char *notes; /* further lines for the head, without "# "; may be NULL */
    uint64_t (*clock)(const void *of);
    const void *of;
} bx_register_logger_options;

/* Opens the file and writes the head. Part 0 is written to PATH.part and renamed to PATH when it is
 * complete: an older register log is never partly overwritten, and a killed run leaves its
 * completed phases in PATH.part. BX_SYSTEM if the file cannot be written. On success the logger
 * owns `next` and closes it. */
int bx_register_logger_new(const bx_register_logger_options *o, struct bx_bus *next,
                           bx_register_logger **r, bx_error *e);

/* The bus; closing it ends the register log and closes the bus behind it. */
struct bx_bus *bx_register_logger_bus(bx_register_logger *r);

/* Adds a comment, such as the phase that begins, and writes out all lines. */
void bx_register_logger_note(bx_register_logger *r, const char *note);

/* Records that the machine has run, until a time or until all work was done. BX_SYSTEM when the
 * file cannot be written any more: the measurement should end. */
int bx_register_logger_ran(bx_register_logger *r, uint64_t until, bool done, int status,
                           bx_error *e);

/* Records the time when nothing has run and nothing was accessed. */
void bx_register_logger_read_clock(bx_register_logger *r);

uint64_t bx_register_logger_time(const bx_register_logger *r);

/* Completes the file and moves it to its path. A file that could not be written is removed:
 * BX_SYSTEM. Further calls do nothing. */
int bx_register_logger_end(bx_register_logger *r, bx_error *e);

/* Ends the register log without a file. An existing file at that path stays as it was, unless this
 * register log is a further part of it. */
void bx_register_logger_drop(bx_register_logger *r);

#endif
