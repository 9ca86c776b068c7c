/* Replay: a bus that answers from a recording (recorder.h). It has to be asked the same, access by
 * access; the first difference ends it, and so does a line that cannot be understood. From then on
 * every access fails with ECANCELED, and bx_replay_end() tells what it was. */
#ifndef BX_HOST_RECORD_REPLAY_H
#define BX_HOST_RECORD_REPLAY_H

#include "seam/bus.h"
#include "topology/topology.h"

typedef struct bx_replay bx_replay;

/* Opens a part of a recording: its head is read and tells the machine. BX_SYSTEM: it cannot be
 * read, BX_BAD_INPUT: it is none, or has no such part. */
int bx_replay_new(const struct bx_catalog *c, const char *path, unsigned part, bx_replay **r,
                  bx_error *e);

/* The bus; closing it ends the replay. */
struct bx_bus *bx_replay_bus(bx_replay *r);

/* is_this_machine: it was a host. */
const bx_topology *bx_replay_topology(const bx_replay *r);

/* What the head has behind "# KEY: ", empty: nothing. Lives as long as the replay. */
bx_str bx_replay_note(const bx_replay *r, const char *key);

/* The machine runs as it did: to where the recording continues, at most until a time. */
int bx_replay_run(bx_replay *r, uint64_t until, bool *done, bx_error *e);
void bx_replay_read_clock(bx_replay *r);
uint64_t bx_replay_time(const bx_replay *r);
int bx_replay_status(const bx_replay *r); /* of the program that ran */

/* What ended it too early. whole: the measurement is over, and nothing may be left of the part. */
int bx_replay_end(bx_replay *r, bool whole, bx_error *e);

#endif
