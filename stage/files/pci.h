/* PCI as a machine on stage has it: the files that programs find functions by. */
#ifndef BX_STAGE_FILES_PCI_H
#define BX_STAGE_FILES_PCI_H

#include "machine/machine.h"
#include "stage/files/tree.h"

/* Adds proc/bus/pci, sys/bus/pci/devices, and the firmware's table of where configuration space is.
 * Registers are reached through `bus`. */
void bx_pci_add(bx_tree *t, bx_machine *m, struct bx_bus *bus);

#endif
