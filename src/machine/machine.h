/* A machine opened: the bus to its registers and, for a virtual one, the model and virtual PMUs
 * behind it and the work that it is to run. The public part is in boxscore.h. */
#ifndef BX_MACHINE_MACHINE_H
#define BX_MACHINE_MACHINE_H

#include "access/host.h"
#include "model/model.h"
#include "topology/topology.h"
#include "vpmu/vpmu.h"

#include <sys/types.h>

struct bx_machine {
    bx_topology topology;
    char name[128];
    char because[240]; /* why it is virtual though nobody asked for that, or "" */
    struct bx_bus *bus;
    bx_host host;    /* all zero unless it is the host */
    bx_model *model; /* NULL on the host */
    bx_vpmu *vpmu;
    struct bx_frames *frames;     /* memory of the work, or NULL */
    struct bx_workload *workload; /* built-in work, or NULL */
    struct bx_tracer *tracer;     /* a real program under trace, or NULL */
    struct bx_process *process;   /* a program on the host, or NULL */
};

/* `cycles` pass on a virtual machine with nothing to do. */
void bx_machine_idle(bx_machine *m, uint64_t cycles);

/* The process of the program that was loaded, for signals; 0: there is none, or it has ended. */
pid_t bx_machine_pid(const bx_machine *m);

/* Time in which at least so many cycles of the uncore or the cores pass, in the machine's unit of
 * time: cycles of a virtual machine, ns of the host. */
uint64_t bx_machine_time_of(const bx_machine *m, uint64_t cycles);

/* Drops what was loaded; all counts so far stay. */
void bx_machine_unload(bx_machine *m);

#endif
