/* Signals during a measurement: it ends early, and registers are put back. */
#ifndef BX_CLI_MEASURE_INTERRUPTION_H
#define BX_CLI_MEASURE_INTERRUPTION_H

#include <stdbool.h>
#include <sys/types.h>

/* Catches all signals that would end the process (cli/common/signals.h), so that the counts so far
 * are reported and registers are restored. */
void bx_interruption_catch(void);

/* From now on signals are passed on to the program, including one that arrived before. 0: they are
 * not passed on any more. end_all: set to 1 after a second signal; or NULL. */
void bx_interruption_pass_on(pid_t program, volatile int *end_all);

/* Whether the measurement has to end. A program that got the signal ends by itself, or
 * continues. */
bool bx_interruption_ends(void);

/* The signal that arrived; 0: none. */
int bx_interruption_signal(void);

#endif
