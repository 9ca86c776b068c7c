/* Everything except the work that counts depend on. Runs with different environments are not
 * compared. */
#ifndef BX_CLI_MEASURE_ENVIRONMENT_H
#define BX_CLI_MEASURE_ENVIRONMENT_H

#include "cli/measure/measurement.h"

/* Sets the facts of m->measured, while its machine is open. A replay has the facts of the
 * recording. Texts live in the arena of cli, which remembers if memory ran out. */
void bx_environment_read(bx_measurement *m);

#endif
