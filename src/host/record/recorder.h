/* Recording: a bus in front of another one that writes every access to a file, with its time and
 * result (format: docs/reference/recording.md). replay.h repeats the measurement from that file.
 *
 * A measurement takes its times from the recorder. The recorder returns the time of the last line,
 * so the file has every time that affects a reading. */
#ifndef BX_HOST_RECORD_RECORDER_H
#define BX_HOST_RECORD_RECORDER_H

#include "seam/bus.h"
#include "topology/topology.h"

typedef struct bx_recorder bx_recorder;

typedef struct bx_recorder_options {
    const char *path;
    /* number of the measurement in the file: 0 begins the file, others are appended */
    unsigned part;
    const bx_topology *topology;
    const char *notes; /* further lines for the head, without "# "; may be NULL */
    uint64_t (*clock)(const void *of);
    const void *of;
} bx_recorder_options;

/* Opens the file and writes the head. Part 0 is written to PATH.part and renamed to PATH when it is
 * complete: an older recording is never partly overwritten, and a killed run leaves its completed
 * phases in PATH.part. BX_SYSTEM if the file cannot be written. On success the recorder owns `next`
 * and closes it. */
int bx_recorder_new(const bx_recorder_options *o, struct bx_bus *next, bx_recorder **r,
                    bx_error *e);

/* The bus; closing it ends the recording and closes the bus behind it. */
struct bx_bus *bx_recorder_bus(bx_recorder *r);

/* Adds a comment, such as the phase that begins, and writes out all lines. */
void bx_recorder_note(bx_recorder *r, const char *note);

/* Records that the machine has run, until a time or until all work was done. BX_SYSTEM when the
 * file cannot be written any more: the measurement should end. */
int bx_recorder_ran(bx_recorder *r, uint64_t until, bool done, int status, bx_error *e);

/* Records the time when nothing has run and nothing was accessed. */
void bx_recorder_read_clock(bx_recorder *r);

uint64_t bx_recorder_time(const bx_recorder *r);

/* Completes the file and moves it to its path. A file that could not be written is removed:
 * BX_SYSTEM. Further calls do nothing. */
int bx_recorder_end(bx_recorder *r, bx_error *e);

/* Ends the recording without a file. An existing file at that path stays as it was, unless this
 * recording is a further part of it. */
void bx_recorder_drop(bx_recorder *r);

#endif
