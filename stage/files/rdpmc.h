/* The instruction RDPMC as a file, for the library that emulates it in programs on stage. */
#ifndef BX_STAGE_FILES_RDPMC_H
#define BX_STAGE_FILES_RDPMC_H

#include "stage/files/device.h"

/* The file dev/cpu/N/rdpmc: at the offset ECX the 8 bytes of EDX:EAX, as a program at privilege
 * level 3 reads them; EIO where it faults. The machine's key pce is bit 8 of CR4. Its context is a
 * bx_machine, its number the logical CPU. */
extern const bx_device bx_device_rdpmc;

#endif
