/* Recording: a bus in front of another one that keeps every access in a file, with its time and
 * what it answered (docs/host.md tells the form). From such a file replay.h runs the measurement
 * again.
 *
 * Time is that of the last line: who measures takes it from the recorder, so that the file has all
 * that a reading is made of. */
#ifndef BX_HOST_RECORD_RECORDER_H
#define BX_HOST_RECORD_RECORDER_H

#include "seam/bus.h"
#include "topology/topology.h"

typedef struct bx_recorder bx_recorder;

typedef struct bx_recorder_options {
    const char *path;
    unsigned part; /* of several measurements in one file: 0 begins it, others are added */
    const bx_topology *topology;
    const char *notes; /* further lines of the head, without "# "; may be NULL */
    uint64_t (*clock)(const void *of);
    const void *of;
} bx_recorder_options;

/* Opens the file and writes the head. Part 0 is written to PATH.part and takes the place of PATH
 * when it is whole: an older recording is never half overwritten, and a run that was killed leaves
 * what it has up to its last phase. BX_SYSTEM if that is not possible. `next` is the recorder's to
 * close from then on. */
int bx_recorder_new(const bx_recorder_options *o, struct bx_bus *next, bx_recorder **r,
                    bx_error *e);

/* The bus; closing it ends the recorder, and the bus behind it. */
struct bx_bus *bx_recorder_bus(bx_recorder *r);

/* A comment, such as the phase that begins. What there is of the file is written. */
void bx_recorder_note(bx_recorder *r, const char *note);

/* The machine has run, as it was asked to, until a time or until all work was done. BX_SYSTEM when
 * the file cannot be written any more: measuring continues in vain. */
int bx_recorder_ran(bx_recorder *r, uint64_t until, bool done, int status, bx_error *e);

/* Time is looked at, though nothing has run and nothing was accessed. */
void bx_recorder_read_clock(bx_recorder *r);

uint64_t bx_recorder_time(const bx_recorder *r);

/* The file is whole: nothing more is kept, it stands at its path. Where it could not be written it
 * is removed, and BX_SYSTEM tells why. The second time nothing is done. */
int bx_recorder_end(bx_recorder *r, bx_error *e);

#endif
