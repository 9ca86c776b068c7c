/* What kinds of machines can do, so that nobody has to ask for the kind. */
#ifndef BX_MACHINE_BACKEND_ABILITIES_H
#define BX_MACHINE_BACKEND_ABILITIES_H

#include <boxscore/boxscore.h>

#include <stdbool.h>

typedef struct bx_abilities {
    bool counts_cycles; /* its time: cycles of its uncore, which pass only while work runs. false:
                           ns, which pass by themselves */
    bool has_errata;    /* its counters have those of the processor */
    bool has_drivers;   /* readings say how they were counted, and events can be not supported */
    bool is_shared;     /* other processes use its registers, too, which keep what we leave there */
    bool is_gathered;   /* it was unpacked from a file of `machine gather`: no writes */
    bool is_recorded; /* a register log answers: nothing must be saved, and no warning is needed */
    bool takes_running; /* processes that already run can be counted */
    bool traces;        /* programs are traced; their threads get its cores */
} bx_abilities;

/* A reading that a machine model shall attribute to who causes it. */
typedef struct bx_attribute_ask {
    bx_evsel event; /* with its counter */
    uint16_t place, package, unit;
    uint16_t number;  /* of the event, in the rows */
    uint32_t reading; /* the caller's number of it */
    uint32_t scale;
} bx_attribute_ask;

#endif
