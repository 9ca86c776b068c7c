/* The memory controller's registers of a 6th generation Core. Programs and drivers read them as
 * memory, so no message reports an access. They are in a file that the guest sees at their
 * address. */
#ifndef BX_TESTS_KERNEL_WINDOW_H
#define BX_TESTS_KERNEL_WINDOW_H

#include "machine/machine.h"

typedef struct window {
    char path[40]; /* driver_options.memory */
    uint8_t *bytes;
} window;

window window_new(void);
void window_free(window *w); /* w may be all zero */

/* Copies the present contents of the machine's registers. */
void window_refresh(window *w, bx_bus *bus);

#endif
