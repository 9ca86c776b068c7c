/* What a traced program can see of the machines of a sweep: CPU features, caches, CPUs and their
 * nodes. Machines that look the same share a trace. */
#ifndef BX_SWEEP_ENVIRONMENTS_H
#define BX_SWEEP_ENVIRONMENTS_H

#include "base/arena.h"
#include "base/error.h"

#include <boxscore/boxscore.h>

#include <stdint.h>

typedef struct bx_environment {
    const char *machine; /* the first one that looks so */
    const char *sight;   /* all that a program can see, as a text */
    const char *features;
    unsigned cpus;
} bx_environment;

typedef struct bx_environments {
    bx_environment *environment;
    size_t n;
    uint32_t room;
    bx_arena *arena;
} bx_environments;

/* The index of the environment of a machine, which is added if it is new. Errors are those of
 * bx_machine_open(). */
int bx_environments_find(bx_environments *all, const bx_catalog *c, const char *machine, size_t *at,
                         bx_error *e);

#endif
