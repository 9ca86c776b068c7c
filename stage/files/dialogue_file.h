/* The file `dialogue` of a stage: lines of a register dialogue that are written to it are played at
 * once (docs/dialogue.md), and reading it gives what the last write printed. */
#ifndef BX_STAGE_FILES_DIALOGUE_FILE_H
#define BX_STAGE_FILES_DIALOGUE_FILE_H

#include "stage/files/device.h"

typedef struct bx_control bx_control;

int bx_control_new(bx_machine *m, bx_control **c, bx_error *e);
void bx_control_free(bx_control *c); /* NULL is fine */

extern const bx_device bx_device_control; /* its context is a bx_control */

#endif
