/* An open machine: a backend, and the parts that are common to all machines. The public part is in
 * boxscore.h. */
#ifndef BX_MACHINE_MACHINE_H
#define BX_MACHINE_MACHINE_H

#include "guard/lock.h"
#include "host/system/cpus.h"
#include "machine/backend/abilities.h"
#include "machine/program/process/mark.h"
#include "machine/program/process/surroundings.h"
#include "model/model.h"
#include "topology/topology.h"
#include "tracefile/reader.h"
#include "vpmu/vpmu.h"

#include <sys/types.h>

struct bx_spawner;

struct bx_machine {
    bx_topology topology;
    char name[128];
    char undocumented[96]; /* what no documented part has, or "" */
    char because[240];     /* why it is virtual by default, or "" */
    struct bx_bus *bus;    /* the first one of bus_chain.h, or NULL */
    struct bx_backend *backend;
    char *journal; /* bx_machine_options of a host */
    bool force;
    bool closed;      /* its user has closed it: it is freed when its last session releases it */
    unsigned holders; /* sessions that are open */
    struct bx_perf_event *kernel; /* events of the kernel, as parsed: kernel_events.h */
    size_t kernel_n;
    bx_arena kernel_texts;             /* names of those that a model counts: modelled_events.h */
    struct bx_register_logger *logger; /* writes accesses and times to a file, or NULL */
};

/* Keeps the machine from being freed until the session releases it. */
void bx_machine_hold(bx_machine *m);
void bx_machine_let_go(bx_machine *m);

/* The run of a register log that a machine is, and notes for the register log's head. Callers that
 * measure several times into one file need it. */
typedef struct bx_log_part {
    unsigned number;   /* 0 begins the file; others are added to it, or replayed */
    const char *notes; /* lines "KEY: TEXT"; NULL: none */
} bx_log_part;

/* Copies options of a caller, whose library may be another version; NULL: none. */
int bx_machine_options_read(bx_machine_options *to, const bx_machine_options *given, bx_error *e);

/* The same as bx_machine_open_with(), for that part of a register log. */
int bx_machine_open_part(const bx_catalog *c, const char *spec, const bx_machine_options *o,
                         const bx_log_part *part, bx_machine **machine, bx_error *e);

/* ---- registers ---- */

/* The bus that reaches the registers; NULL: there is no access. */
struct bx_bus *bx_machine_bus(bx_machine *m);

/* Why the machine has no bus; "": it has one. */
const char *bx_machine_no_access(const bx_machine *m);

/* What it can do, and needs. */
const bx_abilities *bx_machine_can(const bx_machine *m);

/* Whether each pass of a session can have a bank of registers of its own: those of virtual PMUs in
 * this process, without logger or replay. The values that they return need no check. */
bool bx_machine_has_banks(const bx_machine *m);

/* Whether counters may request interrupts (PMI) at an overflow. BX_NO_ACCESS unless the machine is
 * virtual and not recorded: on a host, the kernel gets the interrupts. */
int bx_machine_check_interrupts(const bx_machine *m, bx_error *e);

/* bx_machine_produces() for an event at one of its places (catalogue index): some ports lack some
 * events. */
bool bx_machine_produces_at(const bx_machine *m, const bx_evsel *event, uint16_t place);

/* Appends what the model of a virtual machine adds up for an event, in words. false: it does not
 * produce the event, or the machine is real. */
bool bx_machine_describe(const bx_machine *m, const bx_evsel *event, bx_buf *to);

/* Returns a bank of registers for a session: the first bank, or a new one if `own` is set or
 * another session has claimed the first. Only for machines that are direct. On failure NULL and *e:
 * out of memory. */
bx_vpmu *bx_machine_bank(bx_machine *m, bool own, bx_error *e);
void bx_machine_free_bank(bx_machine *m, bx_vpmu *bank); /* does not free the first one */

/* Makes a session the only user of a package's registers, until they are released. BX_NO_ACCESS:
 * another session or process counts there. l->package is the host kernel's number of the package,
 * and -1 before and after. */
int bx_machine_claim(bx_machine *m, unsigned package, bx_lock *l, bx_error *e);
void bx_machine_release(bx_machine *m, unsigned package, bx_lock *l);

/* The socket of the helper that accesses the machine's registers, and that puts them back if we
 * cannot; NULL: none. */
const char *bx_machine_helper(const bx_machine *m);
bool bx_machine_lost_helper(const bx_machine *m);

/* The folder of a host's /dev, /proc and /sys, or "". */
const char *bx_machine_root(const bx_machine *m);

/* The kernel's numbers of the machine's CPUs; NULL: it is not a host. */
const bx_cpus *bx_machine_cpus(const bx_machine *m);

/* The virtual PMUs, that is their first bank of registers, and the model that produces their
 * signals. NULL: it is not a virtual machine. */
bx_vpmu *bx_machine_vpmu(const bx_machine *m);
bx_model *bx_machine_model(const bx_machine *m);

/* ---- work ---- */

/* Lets `cycles` pass on a virtual machine that is idle. */
void bx_machine_idle(bx_machine *m, uint64_t cycles);

/* Ends the replay of a trace that is loaded afterwards, as soon as the function returns true. A
 * file may have long stretches without accesses, in which bx_machine_run() does not return. */
void bx_machine_end_replay_if(bx_machine *m, bool (*interrupted)(void));

/* Whether the traced program has no new accesses at the moment, so that the machine can only idle.
 * It is for programs that another process starts. */
bool bx_machine_waits(const bx_machine *m);

/* Waits for the first access of the traced program, or for its end. The errors are those of
 * bx_machine_run(). */
int bx_machine_await(const bx_machine *m, bx_error *e);

/* Why lackey must trace this program on a virtual machine; NULL: our tracer can trace it. */
const char *bx_machine_lackey_because(const bx_machine *m, const char *program);

/* The environment that our tracer shows to a program on a virtual machine. */
bx_surroundings bx_machine_surroundings(const bx_machine *m);

/* Whether the loaded work has the information for an event that the machine produces. Lackey does
 * not report branches, misaligned references and the instruction mix. A register log of a program
 * under lackey has a note "lackey". */
bool bx_machine_work_tells(const bx_machine *m, const bx_evsel *event, uint16_t place);

/* Lets another process start the programs that a virtual machine loads; NULL: this process starts
 * them. */
void bx_machine_spawn_by(bx_machine *m, const struct bx_spawner *spawner);

/* The programs that the loaded program ran and that could not be traced: "NAME (process N), …".
 * Complete when the loaded program has ended. NULL: none. Belongs to the machine. */
const char *bx_machine_untraced(const bx_machine *m);

/* The processes of the loaded program that still ran when it ended, in the same form. They are
 * counted until then. */
const char *bx_machine_left(const bx_machine *m);

/* How long threads of the loaded program waited for words of others, as in bx_task_counts, in ns.
 * false: it has waited nowhere, or nobody knows. */
typedef struct bx_machine_waits_in_order {
    uint64_t n;
    double sum, longest, time;
} bx_machine_waits_in_order;
bool bx_machine_order_waits(const bx_machine *m, bx_machine_waits_in_order *to);

/* What the tracer says about the loaded program, a fact a line: instructions that it does not know,
 * system calls that it refused, processes whose trace it had to end. *cut: there is such a process.
 * Complete when the program has ended. NULL: nothing. Belongs to the machine. */
const char *bx_machine_notes(const bx_machine *m, bool *cut);

/* Marks of regions that were refused, because they came from another user's process that is no
 * descendant of the program. */
uint64_t bx_machine_refused_marks(const bx_machine *m);

/* The loaded trace file; NULL: none. When its program has ended, the whole file has been read.
 * Belongs to the machine. */
const bx_tracefile_reader *bx_machine_trace(const bx_machine *m);

/* The process of the loaded program, to send signals to; 0: none, or it has ended. */
pid_t bx_machine_pid(const bx_machine *m);

/* For a signal handler that is about to kill that process: set to 1, it ends all other traced
 * processes, too. NULL: the program is not traced. */
volatile int *bx_machine_end_all(const bx_machine *m);

/* The threads of bx_machine_attach(), [*n]. Belong to the machine. */
const struct bx_attached_thread *bx_machine_attached(const bx_machine *m, size_t *n);

/* Whether a program on the host has been started. */
bool bx_machine_begun(const bx_machine *m);

/* The signal that killed the loaded program, or 0. */
int bx_machine_killed_by(const bx_machine *m);

/* Whether the program gets rights that we do not have. If so, the kernel stops counting it at
 * execve(). */
bool bx_machine_changes_rights(const bx_machine *m);

/* A time in which at most `cycles` cycles of uncore or cores pass. The unit is the machine's:
 * cycles for a virtual machine, ns for the host. */
uint64_t bx_machine_time_of(const bx_machine *m, uint64_t cycles);

/* Sets a function that the machine calls, while it runs, when a thread of the program reaches a
 * mark. Registers then have the counts of that time. NULL removes the function. Call this before
 * the program is loaded. BX_NO_ACCESS: accesses are recorded, or another function is set. */
int bx_machine_on_mark(bx_machine *m, bx_mark_fn *fn, void *context, bx_error *e);

/* Regions that the next program has by the calls of functions are followed: those of these names
 * that begin with "func:". The names stay until the next call. BX_NO_ACCESS: the machine does not
 * see calls. */
int bx_machine_follow_functions(bx_machine *m, const char *const *regions, size_t n, bx_error *e);

/* ---- who causes what a virtual machine counts ---- */

struct bx_attribution;
struct bx_witness;

/* Notes who makes the accesses of a program that is loaded after this. */
void bx_machine_bear_witness(bx_machine *m, struct bx_witness *w);
/* Attributes events. BX_NO_ACCESS: the machine is real. */
int bx_machine_attribute(bx_machine *m, const bx_attribute_ask *ask, size_t n, unsigned events,
                         bool *told, bx_error *e);
/* The rows, up to the present time. Between runs. */
struct bx_attribution *bx_machine_attributed(bx_machine *m);

/* Unloads the program or workload; counts stay. */
void bx_machine_unload(bx_machine *m);

/* ---- logging and replaying: recorded_time.c ---- */

/* The time for readings: bx_machine_now(). While registers are logged, it is the time of the last
 * recorded line (access, run, or reading of the clock), so that the register log contains it. */
uint64_t bx_machine_time(const bx_machine *m);

/* Updates that time if nothing has run. */
void bx_machine_read_clock(bx_machine *m);

/* Marks the beginning of a phase by a comment in the register log. */
void bx_machine_mark(bx_machine *m, const char *phase);

/* The note with that key in the register log's head. Empty: there is no such note, or this is not a
 * replay. */
bx_str bx_machine_note(const bx_machine *m, const char *key);

/* Ends the register log or replay. Fails if the register log could not be written, or if the
 * replayed measurement differed from it. whole: the measurement is complete, so no lines may
 * remain. */
int bx_machine_finish(bx_machine *m, bool whole, bx_error *e);

/* Ends the register log, if there is one, because the measurement did not take place. */
void bx_machine_drop_log(bx_machine *m);

#endif
