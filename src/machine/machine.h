/* An open machine: the bus to its registers, the work to run and, for a virtual machine, the model
 * and virtual PMUs behind the bus. The public part is in boxscore.h. */
#ifndef BX_MACHINE_MACHINE_H
#define BX_MACHINE_MACHINE_H

#include "host/host.h"
#include "model/model.h"
#include "topology/topology.h"
#include "vpmu/vpmu.h"

#include <sys/types.h>

struct bx_machine {
    bx_topology topology;
    char name[128];
    char because[240]; /* why it is virtual by default, or "" */
    struct bx_bus *bus;
    bx_host host;         /* all zero unless this is the host */
    char *root, *journal; /* bx_machine_options of a host */
    bool force;
    struct bx_perf_event *kernel; /* events of the kernel, as parsed: kernel_events.h */
    size_t kernel_n;
    bx_model *model; /* NULL on the host */
    bx_vpmu *vpmu;
    struct bx_recorder *recorder;     /* writes accesses and times to a file, or NULL */
    struct bx_replay *replay;         /* reads them from a file, or NULL */
    struct bx_frames *frames;         /* page frames of the work, or NULL */
    struct bx_workload *workload;     /* built-in workload, or NULL */
    struct bx_tracer *tracer;         /* a traced program, or NULL */
    struct bx_process *process;       /* a program on the host, or NULL */
    const struct bx_spawner *spawner; /* starts programs to be traced; NULL: this process does */
};

/* Lets `cycles` pass on a virtual machine that is idle. */
void bx_machine_idle(bx_machine *m, uint64_t cycles);

/* Whether the traced program has no new accesses at the moment, so that time can pass only idly.
 * For programs that somebody else starts. */
bool bx_machine_waits(const bx_machine *m);

/* The process of the loaded program, to send signals to; 0: none, or it has ended. */
pid_t bx_machine_pid(const bx_machine *m);

/* Whether a program on the host has been started. */
bool bx_machine_begun(const bx_machine *m);

/* The signal that killed the loaded program, or 0. */
int bx_machine_killed_by(const bx_machine *m);

/* Whether the program gets other rights than ours: the kernel then stops counting it at execve().
 */
bool bx_machine_changes_rights(const bx_machine *m);

/* A time in which at most `cycles` cycles of uncore or cores pass, in the machine's unit of time:
 * cycles of a virtual machine, ns of the host. */
uint64_t bx_machine_time_of(const bx_machine *m, uint64_t cycles);

/* Unloads program or workload; counts stay. */
void bx_machine_unload(bx_machine *m);

/* ---- recording and replaying: recorded_time.c ---- */

/* The time for readings: bx_machine_now(). While recording, it is the time of the last recorded
 * line (access, run, or reading of the clock), so that the recording has it. */
uint64_t bx_machine_time(const bx_machine *m);

/* Updates that time when nothing has run. */
void bx_machine_read_clock(bx_machine *m);

/* Marks the beginning of a phase by a comment in the recording. */
void bx_machine_mark(bx_machine *m, const char *phase);

/* Whether a recording is behind the bus instead of registers: nothing to lock, save or warn of. */
bool bx_machine_is_replayed(const bx_machine *m);

/* The note with that key in the recording's head; empty: none, or no replay. */
bx_str bx_machine_note(const bx_machine *m, const char *key);

/* Ends the recording or replay: an error if the recording could not be written, or if the replayed
 * measurement differed from it. whole: the measurement is complete, and no lines may remain. */
int bx_machine_finish(bx_machine *m, bool whole, bx_error *e);

#endif
