/* Replay: a bus that answers from a register log (logger.h). Its accesses must be the recorded
 * ones, in order. The first difference ends the replay, and so does a malformed line: from then on
 * every access fails with ECANCELED, and bx_replay_end() returns the error. */
#ifndef BX_HOST_REGISTER_LOG_REPLAY_H
#define BX_HOST_REGISTER_LOG_REPLAY_H

#include "seam/bus.h"
#include "topology/topology.h"

typedef struct bx_replay bx_replay;

/* Opens a part of a register log and reads the machine from its head. BX_SYSTEM: cannot be read;
 * BX_BAD_INPUT: no register log, or no such part. */
int bx_replay_new(const struct bx_catalog *c, const char *path, unsigned part, bx_replay **r,
                  bx_error *e);

/* The bus; closing it ends the replay. */
struct bx_bus *bx_replay_bus(bx_replay *r);

/* The recorded machine; is_this_machine: it was a host. */
const bx_topology *bx_replay_topology(const bx_replay *r);

/* The text after "# KEY: " in the head; empty: none. Lives as long as the replay. */
bx_str bx_replay_note(const bx_replay *r, const char *key);

/* Runs as recorded: until the time of the next recorded line, and at most until the given time.
 * *done: the work was done. */
int bx_replay_run(bx_replay *r, uint64_t until, bool *done, bx_error *e);
void bx_replay_read_clock(bx_replay *r);
uint64_t bx_replay_time(const bx_replay *r);
int bx_replay_status(const bx_replay *r); /* exit status of the recorded program */

/* The error that ended the replay, or BX_OK. whole: the measurement is complete, so that further
 * recorded lines are an error. */
int bx_replay_end(bx_replay *r, bool whole, bx_error *e);

#endif
