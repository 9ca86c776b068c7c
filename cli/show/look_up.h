/* Looks for a name in the catalogue, and shows all that has it: several things may have the name,
 * such as a unit mask of many events. */
#ifndef BX_CLI_SHOW_LOOK_UP_H
#define BX_CLI_SHOW_LOOK_UP_H

#include "base/nearest.h"
#include "cli/common/page.h"
#include "catalog/catalog.h"

typedef struct bx_look_up {
    const bx_catalog *c;
    int cpu; /* -1: all */
    bx_str name;
    bx_page page; /* of text */
    size_t found;
    bool kinds;           /* the second walk, for names of several registers */
    unsigned last_fields; /* of the last register shown: its first field's index plus 1; 0: none */
    bx_nearest nearest;   /* of the names that were looked at */
    /* Whose model tells what events add up. NULL: a virtual machine of their CPU, which is opened.
     */
    const bx_machine *machine;
    bx_machine *opened; /* by bx_look_up_show(), of CPU `opened_cpu` */
    unsigned opened_cpu;
    bool workloads; /* also runs the built-in workloads: which of them make events count */
    int code;       /* of these runs: the first error, */
    bx_error error; /* and its message */
} bx_look_up;

/* Shows an event, unit mask, modifier, PMU, register, field, address, metric, group of metrics, CPU
 * model, term of the glossary, or an event string. BX_NOT_FOUND: there is none; *e has the message,
 * but no hint. Other errors are of an event string, with their span in the name. */
int bx_look_up_show(bx_look_up *s, bx_error *e);

#endif
