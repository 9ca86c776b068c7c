/* Which running processes are counted, and on which CPUs: the options -p, -t, -a, -C and -G. */
#ifndef BX_MEASURE_ATTACH_H
#define BX_MEASURE_ATTACH_H

#include "base/arena.h"
#include "machine/machine.h"

#include <boxscore/measure.h>

/* The options as parsed for a machine. */
typedef struct bx_attach_choice {
    const int *ids; /* [ids_n] processes or threads */
    size_t ids_n;
    bool threads;
    const uint16_t *cpus; /* [cpus_n] logical CPUs of a host; none: no -a or -C, so all */
    size_t cpus_n;
    const uint32_t *cores; /* [cores_n] with -C, cores of those CPUs; those of a virtual machine are
                              numbered over all packages; none: all */
    size_t cores_n;
} bx_attach_choice;

/* Whether events are counted on CPUs, for everything that runs there. */
static inline bool bx_attach_by_cpu(const bx_measure_options *o)
{
    return o->all_cpus || o->cpus || o->cgroup || o->cgroups;
}

/* Whether no program or workload is needed, because the options name something that runs. */
static inline bool bx_attach_is_work(const bx_measure_options *o)
{
    return o->processes || o->threads || bx_attach_by_cpu(o);
}

/* Parses the options for a machine. Lists live in the arena. */
int bx_attach_read(const bx_machine *m, const bx_measure_options *o, bx_arena *arena,
                   bx_attach_choice *to, bx_error *e);

/* What is counted, in perf's words: "process id '12'"; in the arena. */
const char *bx_attach_subject(const bx_measure_options *o, bx_arena *arena);

#endif
