/* The kernel's and the firmware's files in which programs find PCI functions. */
#ifndef BX_STAGE_FILES_PCI_H
#define BX_STAGE_FILES_PCI_H

#include "machine/machine.h"
#include "stage/files/tree.h"

/* Adds proc/bus/pci, sys/bus/pci/devices, and the ACPI table that locates configuration space.
 * The files access registers through `bus`. */
void bx_pci_add(bx_tree *t, bx_machine *m, struct bx_bus *bus);

#endif
