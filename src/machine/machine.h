/* A machine opened: the bus to its registers and, for a virtual one, the model and virtual PMUs
 * behind it and the work that it is to run. The public part is in boxscore.h. */
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
    char because[240]; /* why it is virtual though nobody asked for that, or "" */
    struct bx_bus *bus;
    bx_host host;         /* all zero unless it is the host */
    char *root, *journal; /* bx_machine_options of a host */
    bool force;
    struct bx_perf_event *kernel; /* events of the kernel's that were named: kernel_events.h */
    size_t kernel_n;
    bx_model *model; /* NULL on the host */
    bx_vpmu *vpmu;
    struct bx_recorder *recorder;     /* keeps accesses and times in a file, or NULL */
    struct bx_replay *replay;         /* that they come from, or NULL */
    struct bx_frames *frames;         /* memory of the work, or NULL */
    struct bx_workload *workload;     /* built-in work, or NULL */
    struct bx_tracer *tracer;         /* a real program under trace, or NULL */
    struct bx_process *process;       /* a program on the host, or NULL */
    const struct bx_spawner *spawner; /* who starts programs to be traced, or NULL: we */
};

/* `cycles` pass on a virtual machine with nothing to do. */
void bx_machine_idle(bx_machine *m, uint64_t cycles);

/* Of a program that somebody else starts: it has done nothing yet that is not taken, so that time
 * cannot continue but idly. */
bool bx_machine_waits(const bx_machine *m);

/* The process of the program that was loaded, for signals; 0: there is none, or it has ended. */
pid_t bx_machine_pid(const bx_machine *m);

/* There is a program on the host, and it was let go already. */
bool bx_machine_begun(const bx_machine *m);

/* The signal that killed the program, or 0. */
int bx_machine_killed_by(const bx_machine *m);

/* That program gets other rights than ours, and the kernel stops counting it when it begins. */
bool bx_machine_changes_rights(const bx_machine *m);

/* Time in which at least so many cycles of the uncore or the cores pass, in the machine's unit of
 * time: cycles of a virtual machine, ns of the host. */
uint64_t bx_machine_time_of(const bx_machine *m, uint64_t cycles);

/* Drops what was loaded; all counts so far stay. */
void bx_machine_unload(bx_machine *m);

/* ---- recording and replaying: recorded_time.c ---- */

/* The time that readings are made of. It is bx_machine_now(); but where accesses are recorded it is
 * that of the last one, or of the end of the last run or reading of the clock, so that it is in the
 * recording. */
uint64_t bx_machine_time(const bx_machine *m);

/* Brings that time up to date where nothing has run. */
void bx_machine_read_clock(bx_machine *m);

/* A phase of the measurement begins: a comment in the recording. */
void bx_machine_mark(bx_machine *m, const char *phase);

/* There are no registers behind the bus, but a recording: nothing to lock, to save or to warn of.
 */
bool bx_machine_is_replayed(const bx_machine *m);

/* A note that the recording's head has by that key; empty: none, or it is no replay. */
bx_str bx_machine_note(const bx_machine *m, const char *key);

/* Ends the recording, or the replay: an error if it could not be written or was asked something
 * else than what was recorded. whole: the measurement came to its end, and nothing may be left. */
int bx_machine_finish(bx_machine *m, bool whole, bx_error *e);

#endif
