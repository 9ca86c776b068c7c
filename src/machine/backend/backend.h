/* The backend of a machine answers register accesses and runs the work. Each kind is one file of
 * this folder: virtual PMUs with a machine model, a host, and a register log of either. A gathered
 * machine is a host that no other process uses and whose registers cannot be written. A stage shows
 * a virtual machine to other programs and needs no backend.
 *
 * A kind is its functions and its abilities. Nobody else asks which kind a machine is of:
 * src/machine calls these functions, higher floors those of machine.h, and ask for abilities. */
#ifndef BX_MACHINE_BACKEND_BACKEND_H
#define BX_MACHINE_BACKEND_BACKEND_H

#include "host/host.h"
#include "guard/lock.h"
#include "machine/backend/abilities.h"
#include "machine/program/process/mark.h"
#include "machine/program/process/surroundings.h"
#include "model/model.h"
#include "topology/topology.h"
#include "vpmu/vpmu.h"

/* The work to run: a built-in workload, a program, a trace file, or running processes. Only one of
 * these is not NULL. */
typedef struct bx_work {
    const char *workload;
    char *const *program;
    const char *trace;
    const struct bx_attach *attach; /* running processes to attach to */
} bx_work;

/* What a machine model counts in place of the kernel of a host. */
enum bx_kernel_count {
    BX_KERNEL_TIME, /* ns since power-on */
    BX_KERNEL_BUSY, /* ns that cores had work, added up */
    BX_KERNEL_PAGE_FAULTS,
    BX_KERNEL_SWITCHES,
    BX_KERNEL_MIGRATIONS,
    BX_KERNEL_COUNTS,
    BX_KERNEL_NOT_MODELLED = BX_KERNEL_COUNTS,
    BX_KERNEL_NOT_SUPPORTED, /* no kernel of Linux has the event on this CPU */
};

typedef struct bx_backend bx_backend;

typedef struct bx_backend_functions {
    int (*load)(bx_backend *b, const bx_work *work,
                bx_error *e); /* replaces the work that was loaded before */
    void (*unload)(bx_backend *b);
    int (*run)(bx_backend *b, uint64_t until, bool *done, bx_error *e); /* sets `ended` */
    uint64_t (*now)(const bx_backend *b);
    void (*close)(bx_backend *b); /* after its bus */

    /* The others may be NULL: the machine does not have it. */

    /* Makes a session the only user of a package's registers: takes the lock *l. Only l->package is
     * set if the helper has the lock, or if the machine is virtual, so that other processes cannot
     * reach it. NULL also if registers cannot be written. */
    int (*claim)(bx_backend *b, unsigned package, bx_lock *l, bx_error *e);
    void (*release)(bx_backend *b, unsigned package, bx_lock *l);
    struct bx_bus *(*link)(bx_backend *b);       /* a link in front of its bus */
    bool (*takes_marks)(bx_backend *b, bool on); /* begins and ends to; false with an errno */
    void (*describe_itself)(const bx_backend *b, bx_buf *to); /* in the head of a register log */

    /* A machine model. */
    bool (*produces)(const bx_backend *b, const bx_evsel *event, uint16_t place);
    bool (*describe)(const bx_backend *b, const bx_evsel *event, uint16_t place, bx_buf *to);
    bool (*needs_remarks)(const bx_backend *b, const bx_evsel *event, uint16_t place);
    bool (*kernel_count)(const bx_backend *b, enum bx_kernel_count which, uint64_t *value);
    /* From now on the model attributes events, numbered below `events`, and the cycles of its
     * cores. told: which events it can attribute. */
    int (*attribute)(bx_backend *b, const bx_attribute_ask *ask, size_t n, unsigned events,
                     bool *told, bx_error *e);
    bx_vpmu *(*bank)(bx_backend *b, bool own, bx_error *e);
    void (*free_bank)(bx_backend *b, bx_vpmu *bank);

    /* A register log that answers. */
    void (*read_clock)(bx_backend *b);
    bx_str (*note)(const bx_backend *b, const char *key);
    int (*finish)(bx_backend *b, bool whole, bx_error *e);
} bx_backend_functions;

/* What all kinds have; NULL, 0: this one does not. */
struct bx_backend {
    bx_backend_functions calls;
    bx_abilities can;
    bx_topology topology;
    double hz;          /* units of its time per second */
    struct bx_bus *bus; /* NULL: no access to registers */
    struct {
        int status; /* exit status of the program that has ended, as in a shell */
        int signal; /* the signal that killed the program, or 0 */
    } ended;
    const bx_host *host; /* facts of Linux about it; never NULL */
    bx_perf *perf;       /* the kernel's PMUs */
    bx_vpmu *vpmu;       /* virtual PMUs: the first bank of registers, */
    bx_model *model;     /* and the model whose signals they count */
    struct bx_replay *replay;

    /* The loaded work. */
    struct bx_workload *workload;     /* a built-in one */
    struct bx_tracer *tracer;         /* a traced program */
    struct bx_process *process;       /* a program on a host */
    struct bx_attached *attached;     /* running processes that are counted */
    const struct bx_spawner *spawner; /* starts programs to be traced; NULL: this process does */
    bx_surroundings shown;            /* the environment that traced programs see */
    struct bx_witness *witness;       /* notes who makes accesses; NULL: nobody asks */
    bool (*interrupted)(void);        /* ends the replay of a trace; NULL: nothing does */
    const char *const *functions; /* [functions_n] regions: those that are functions are followed */
    size_t functions_n;
    bx_mark_fn *at_mark; /* called at a mark of a region; NULL: they are not reported */
    void *mark_context;
    struct bx_mark_server *marks; /* takes the marks of a program on the host */
    uint64_t refused_marks;       /* of servers that are gone */
};

/* On failure these return NULL and set *e. */
bx_backend *bx_backend_virtual(const bx_topology *t, const bx_machine_options *o, bx_error *e);
bx_backend *bx_backend_host(const struct bx_catalog *c, const bx_machine_options *o, bx_error *e);
bx_backend *bx_backend_replayed(const struct bx_catalog *c, const bx_machine_options *o,
                                unsigned part, bx_error *e);

/* A host without registers and kernel: a register log replaces them. */
bx_backend *bx_backend_no_host(const bx_topology *t, bx_error *e);

/* The facts about a machine that is no host: none. */
extern const bx_host bx_backend_no_facts;

#endif
