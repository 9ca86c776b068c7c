/* Signals during a measurement: it ends early, and registers are put back. */
#ifndef BX_CLI_MEASURE_INTERRUPTION_H
#define BX_CLI_MEASURE_INTERRUPTION_H

#include <stdbool.h>
#include <sys/types.h>

/* Catches all signals that would end the process (cli/common/signals.h), so that the counts so far
 * are reported and registers are restored. */
void bx_interruption_catch(void);

/* From now on signals are passed on to the program, also one that came before; 0: no longer. */
void bx_interruption_pass_on(pid_t program);

/* Whether the measurement is to end. A program that got the signal ends by itself, or goes on. */
bool bx_interruption_ends(void);

/* The signal that came; 0: none. */
int bx_interruption_signal(void);

#endif
