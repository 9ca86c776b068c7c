/* The backend of a machine answers register accesses and runs the work. There are three kinds:
 * virtual PMUs with a machine model, a host, and a recording of either. A gathered machine is a
 * host that no other process uses and whose registers cannot be written. A stage shows a virtual
 * machine to other programs and needs no backend.
 *
 * Only src/machine knows which backend a machine has; all other code calls the functions of
 * machine.h. */
#ifndef BX_MACHINE_BACKEND_BACKEND_H
#define BX_MACHINE_BACKEND_BACKEND_H

#include "host/safety/lock.h"
#include "topology/topology.h"

/* The work to run: a built-in workload, a program, a trace file, or running processes. Only one of
 * these is not NULL. */
typedef struct bx_work {
    const char *workload;
    char *const *program;
    const char *trace;
    const struct bx_attach *attach; /* running processes to attach to */
} bx_work;

typedef struct bx_backend bx_backend;

struct bx_backend {
    int (*load)(bx_backend *b, const bx_work *work,
                bx_error *e); /* replaces the work that was loaded before */
    void (*unload)(bx_backend *b);
    int (*run)(bx_backend *b, uint64_t until, bool *done, bx_error *e); /* sets `ended` */
    uint64_t (*now)(const bx_backend *b);
    /* Makes a session the only user of a package's registers: takes the lock *l. Only l->package is
     * set if the helper has the lock, or if the machine is virtual, so that other processes cannot
     * reach it. claim and release are NULL if registers cannot be written. */
    int (*claim)(bx_backend *b, unsigned package, bx_lock *l, bx_error *e);
    void (*release)(bx_backend *b, unsigned package, bx_lock *l);
    void (*close)(bx_backend *b); /* after its bus */

    bx_topology topology;
    struct bx_bus *bus; /* NULL: no access to registers */
    struct {
        int status; /* exit status of the program that has ended, as in a shell */
        int signal; /* the signal that killed the program, or 0 */
    } ended;
    struct bx_virtual *virtual;   /* the virtual machine, also a recorded one; NULL: a host */
    struct bx_host *host;         /* NULL: a virtual or a recorded machine */
    struct bx_mark_server *marks; /* takes the marks of a program on the host, or NULL */
    uint64_t refused_marks;       /* of servers that are gone */
    struct bx_process *process;   /* a program on the host, or NULL */
    struct bx_attached *attached; /* running processes on the host that are counted, or NULL */
    struct bx_replay *replay;     /* the recording that answers, or NULL */
};

/* On failure these return NULL and set *e. */
bx_backend *bx_backend_virtual(const bx_topology *t, const bx_machine_options *o, bx_error *e);
bx_backend *bx_backend_host(const struct bx_catalog *c, const bx_machine_options *o, bx_error *e);
bx_backend *bx_backend_replayed(const struct bx_catalog *c, const bx_machine_options *o,
                                unsigned part, bx_error *e);

/* A host without registers and kernel: a recording replaces them. */
bx_backend *bx_backend_no_host(const bx_topology *t, bx_error *e);

#endif
